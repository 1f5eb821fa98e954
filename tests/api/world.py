"""A team with something of everything, made from the examples that the description itself shows.

So that a call may name what exists: `path_values` and `revision` fill an operation's path and its If-Match.
"""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from access.models import User
from access.roles import Role
from access.scopes import Scope
from planner.actions.catalog import sync_catalog
from tests.access.people import bearer, person, token_text
from tests.api.described import Operation, operations

# In this order, since a later one names an earlier: (operation that makes it, its id in the answer, where that id goes)
MADE = (
    ("create_accelerator", "id", "/api/v1/accelerators/{key}"),
    ("create_platform", "id", "/api/v1/platforms/{key}"),
    ("create_accelerator_name", "id", "/api/v1/accelerator-names/{id}"),
    ("create_model_import", "id", "/api/v1/model-imports"),
    ("create_quotes", "uid", "/api/v1/quotes/{uid}"),
    ("create_length_log", "uid", "/api/v1/length-logs/{uid}"),
    ("create_plan", "uid", "/api/v1/plans/{uid}"),
    ("create_webhook", "id", "/api/v1/webhooks/{id}"),
)
HOSTS = ["127.0.0.0/8"]  # where webhooks may go
HERE = "http://127.0.0.1:9/hook"
SHIPPED = {
    "/api/v1/models/{key}": "Qwen/Qwen3-8B",
    "/api/v1/engines/{key}": "vllm",
    "/api/v1/schemes/{key}": "bf16",
    "/api/v1/exchange-rates/{currency}": "CNY",
}


@dataclass
class World:
    """`ids` are by path template; `root` may do everything, by a token with every scope."""

    admin: User
    root: Client
    root_token: str
    ids: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)  # what the calls in MADE were answered

    def path_values(self, operation: Operation) -> dict[str, Any]:
        """Values for the path of an operation under which something stands."""
        outer = next((path for path in self.ids if operation.path.startswith(path)), None)
        values: dict[str, Any] = {}
        for name in operation.parameters("path"):
            if name == "number":
                values[name] = 1
            elif operation.path.endswith("/shares/{id}") and name == "id":
                values[name] = self.ids["share"]
            elif outer is not None:
                values[name] = self.ids[outer]
        return values

    def address(self, operation: Operation) -> str:
        """The address of an operation under which something stands."""
        return operation.path.format(**self.path_values(operation))

    def revision(self, operation: Operation) -> str:
        """The ETag of what stands there now; of the plan, for what is below it."""
        kept = next((path for path in self.ids if operation.path.startswith(path)), operation.path)
        if kept == "/api/v1/exchange-rates/{currency}":
            rates = self.root.get("/api/v1/exchange-rates").json()
            return next(f'"{rate["revision"]}"' for rate in rates if rate["currency"] == self.ids[kept])
        address = kept.format(**dict.fromkeys(("key", "id", "uid"), self.ids.get(kept)))
        return str(self.root.get(address).headers.get("ETag", '"1"'))

    def send(
        self,
        operation: Operation,
        body: Any,
        *,
        client: Client | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Call an operation at something that exists, with the headers that it asks for."""
        given = dict(headers or {})
        asked = operation.parameters("header")
        if "If-Match" in asked:
            given.setdefault("If-Match", self.revision(operation))
        if "Idempotency-Key" in asked:
            given.setdefault("Idempotency-Key", str(uuid.uuid4()))
        sent = "" if body is None else json.dumps(body)
        return (client or self.root).generic(
            operation.method.upper(),
            self.address(operation),
            sent,
            content_type="application/json" if body is not None else "",
            headers=given,
        )


def example(operation: Operation) -> Any:
    """The first body that the description shows; a webhook goes to this machine, where its name needs no look-up."""
    shown = next(iter(operation.examples()), None)
    return {**shown, "url": HERE} if isinstance(shown, dict) and "url" in shown else shown


def make_world() -> World:
    """The shipped catalog, everything in MADE, and a link to the plan, made by an administrator's token."""
    sync_catalog()
    admin = person(Role.ADMIN, name="root")
    text = token_text(admin, *Scope)
    world = World(admin, bearer(text), text, ids=dict(SHIPPED))
    found = {operation.name: operation for operation in operations()}
    for name, key, place in MADE:
        answer = world.send(found[name], example(found[name]))
        assert answer.status_code == 201, (name, answer.content)
        world.ids[place] = answer.json()[key]
        world.made[name] = answer
    share = world.send(found["create_plan_share"], found["create_plan_share"].examples()[0])
    assert share.status_code == 201, share.content
    world.ids["share"] = share.json()["id"]
    return world
