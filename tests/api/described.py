"""The description of the REST interface, as it is served, and its operations one by one."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Operation:
    """One operation: `spec` is its object in the description."""

    method: str
    path: str
    spec: dict[str, Any]

    @property
    def name(self) -> str:
        name: str = self.spec.get("operationId", f"{self.method} {self.path}")
        return name

    @property
    def tag(self) -> str:
        found: str = self.spec["tags"][0]
        return found

    @property
    def writes(self) -> bool:
        """Does it change rows? Questions are asked by POST too, and need a right to read."""
        return self.method != "get" and not self.scope.endswith(":read")

    @property
    def scope(self) -> str:
        """The scope that a token needs for it."""
        scopes: list[str] = self.spec["security"][0]["token"]
        return scopes[0]

    def parameters(self, where: str) -> dict[str, dict[str, Any]]:
        """Parameters by name: those of the path, the query or the headers."""
        return {item["name"]: item for item in self.spec.get("parameters", []) if item["in"] == where}

    @property
    def body(self) -> dict[str, Any] | None:
        """The media type object of the JSON that it takes; None where it takes none."""
        found: dict[str, Any] | None = (
            self.spec.get("requestBody", {}).get("content", {}).get("application/json")
        )
        return found

    def examples(self) -> list[Any]:
        """The bodies that the description shows."""
        return [] if self.body is None else [item["value"] for item in self.body.get("examples", {}).values()]


def faults(operation: Operation, status: int, media_type: str, value: Any) -> list[str]:
    """What of an answer the description does not allow."""
    answer = operation.spec["responses"].get(str(status))
    if answer is None:
        return [f"{status} is not described"]
    content = answer.get("content", {})
    if media_type not in content:
        return [] if not content and not media_type else [f"{media_type} is not described for {status}"]
    schema = {**content[media_type]["schema"], "components": described()["components"]}
    return [error.message[:300] for error in Draft202012Validator(schema).iter_errors(value)]


@cache
def described() -> dict[str, Any]:
    """The whole description as JSON carries it."""
    made = SchemaGenerator(api_version="v1").get_schema(request=None, public=True)
    found: dict[str, Any] = json.loads(json.dumps(made))
    return found


def operations() -> Iterator[Operation]:
    """Every operation, in the order of the description."""
    for path, item in described()["paths"].items():
        for method in METHODS:
            if method in item:
                yield Operation(method, path, item[method])
