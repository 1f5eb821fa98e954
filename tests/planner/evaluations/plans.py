"""Saved plans, and what changes under them."""

from datetime import date
from typing import Any

from access.models import User, Webhook
from access.sealing import seal
from planner.actions.entries import edit_entry
from planner.clock import today
from planner.models import Accelerator, SavedPlan
from planner.plans.saving import Faults, checked, keep_new
from planner.queries import current_catalog
from tests.planner.browse.small import CARD, MODEL

SECRET = "a secret of the receiver"


def content(**more: Any) -> dict[str, Any]:
    """Qwen2.5 7B in BF16 on an L4: 15.2 GB of weights in 24 GB."""
    request = {
        "model": {"id": MODEL},
        "accelerator": CARD,
        "workload": {"input_tokens": 1000, "output_tokens": 250, "concurrency": 8},
    }
    return {"request": request, **more}


def kept_plan(actor: User, *, name: str = "chat", on: date | None = None, **more: Any) -> SavedPlan:
    """A plan that is kept on what the catalog and the quotes say now."""
    catalog = current_catalog()
    found = checked(content(**more), catalog)
    assert not isinstance(found, Faults), found
    kept = keep_new(found, catalog=catalog, on=on or today(), name=name, notes="", note="", actor=actor)
    assert isinstance(kept, SavedPlan), kept
    return kept


def shrink_card(actor: User, memory_gb: int | None = 12) -> None:
    """Say that the card has so much memory; None takes it back. 12 GB are less than the weights."""
    card = Accelerator.objects.get(key=CARD)
    if memory_gb is None:
        edit_entry(card, None, actor=actor)
        return
    said = {"kind": "measured", "sources": ["our_own_card"]}
    figures = {
        "memory_gb": {"value": memory_gb, **said},
        "memory_gib": {"value": memory_gb * 0.93, **said},
    }
    edit_entry(card, {"figures": figures}, actor=actor, sources={"our_own_card": "nvidia-smi, our own card"})


def hook(url: str = "https://hooks.example/plans", *events: str) -> Webhook:
    """A webhook that asked for what flips."""
    asked = list(events or ("plan.verdict_changed", "plan.price_changed"))
    return Webhook.objects.create(name="procurement", url=url, sealed_secret=seal(SECRET), events=asked)
