"""A Python client made from the description passes a script of ours against a running server."""

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from access.roles import Role
from access.scopes import Scope
from planner.actions.catalog import sync_catalog
from planner.models import SavedPlan
from planner.schemas.plans import EXAMPLE_PLAN
from planner.schemas.quotes import EXAMPLE_QUOTE
from planner.schemas.recommend import SEARCH_EXAMPLE
from tests.access.people import person, token_text
from tests.api.described import described, operations

PACKAGE = "decodeck_client"
PROGRAM = Path(sys.executable).with_name("openapi-python-client")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The client in a folder on the path; what the generator printed."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "schema.json").write_text(json.dumps(described()))
    (folder / "config.yaml").write_text("post_hooks: []\n")
    arguments = [
        "--path",
        "schema.json",
        "--config",
        "config.yaml",
        "--meta",
        "none",
        "--output-path",
        PACKAGE,
    ]
    run = subprocess.run(
        [PROGRAM, "generate", *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=120
    )
    sys.path.insert(0, str(folder))
    yield run.stdout + run.stderr
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def call(tag: str, operation: str) -> Callable[..., Any]:
    """The function of the client that makes one call."""
    module = importlib.import_module(f"{PACKAGE}.api.{tag}.{operation}")
    found: Callable[..., Any] = module.sync_detailed
    return found


def model(name: str, values: dict[str, Any]) -> Any:
    """One of the client's classes, from JSON."""
    return getattr(importlib.import_module(f"{PACKAGE}.models"), name).from_dict(values)


def signed_in(server: Any, token: str) -> Any:
    return importlib.import_module(PACKAGE).AuthenticatedClient(base_url=server.url, token=token)


def test_generator_leaves_no_call_out(made: str) -> None:
    assert made.strip() == f"Generating {PACKAGE}"
    for operation in operations():
        assert callable(call(operation.tag.replace(" ", "_"), operation.name))


def test_script_of_ours(made: str, transactional_db: None, live_server: Any) -> None:
    sync_catalog()
    author = signed_in(live_server, token_text(person(Role.OPERATOR, name="ada"), *Scope))
    approver = signed_in(live_server, token_text(person(Role.APPROVER, name="bo"), *Scope))

    cards = call("catalog", "list_accelerators")(client=author, q="rtx 4090", limit=2).parsed
    assert "nvidia-rtx-4090" in [card.id for card in cards.items]

    quoted = call("quotes", "create_quotes")(
        client=author, body=model("NewQuote", {**EXAMPLE_QUOTE, "valid_until": None}), idempotency_key="q1"
    )
    assert (quoted.status_code, quoted.parsed.unit_price) == (201, "15800.00")

    found = call("recommendations", "create_recommendation")(
        client=author, body=model("RecommendationRequest", {**SEARCH_EXAMPLE, "limit": 2})
    ).parsed
    assert found.options[0].rank == 1

    kept = call("plans", "create_plan")(client=author, body=model("NewPlan", EXAMPLE_PLAN))
    plan, etag = kept.parsed, kept.headers["ETag"]
    assert (kept.status_code, plan.version, str(plan.state)) == (201, 1, "draft")

    bill = call("plans", "get_plan_bill")(plan.uid, client=author).parsed
    # A card and a spare of 15,800 each
    assert ([item.quantity for item in bill.items], bill.total, bill.currency) == ([1, 1], 31600, "CNY")

    step = model("PlanStep", {"reason": "Offers of this week"})
    stale = call("plans", "propose_plan")(plan.uid, client=author, body=step, if_match='"99"')
    assert (stale.status_code, stale.parsed.code, stale.parsed.current.uid) == (
        412,
        "changed_meanwhile",
        plan.uid,
    )
    proposed = call("plans", "propose_plan")(plan.uid, client=author, body=step, if_match=etag)
    refused = call("plans", "approve_plan")(
        plan.uid, client=author, body=step, if_match=proposed.headers["ETag"]
    )
    assert (refused.status_code, refused.parsed.code) == (403, "permission_denied")
    approved = call("plans", "approve_plan")(
        plan.uid, client=approver, body=step, if_match=proposed.headers["ETag"]
    )
    assert (approved.status_code, str(approved.parsed.state)) == (200, "approved")
    assert SavedPlan.objects.get().state == "approved"
