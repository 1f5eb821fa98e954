"""What the tests of the command check share: one catalog, and a question in one line."""

from collections.abc import Sequence
from typing import Any

from planner.catalog import load_shipped
from planner.core.check.judge import Asked, check

CATALOG = load_shipped()
H100 = "nvidia-h100-sxm5-80gb"


def judged(command: str, *, version: str | None = None, **given: Any) -> dict[str, Any]:
    """The answer of the core for one command."""
    return check(Asked(id=None, command=command, version=version, **given), CATALOG)


def errors(found: dict[str, Any]) -> list[tuple[str, str | None]]:
    """(code, flag) of every error."""
    return [(item["code"], item["flag"]) for item in found["problems"] if item["severity"] == "error"]


def warnings(found: dict[str, Any]) -> list[str]:
    """Codes of every warning."""
    return [item["code"] for item in found["problems"] if item["severity"] == "warning"]


def fixes(found: dict[str, Any]) -> Sequence[str | None]:
    """The mended pieces, in the order of the problems."""
    return [item["fix"] for item in found["problems"]]
