"""The card "What does each choice cost?": both sides of formats, spreading and running, with this plan's numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.messages.advice import TRADE_TITLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """One choice: what it is about, both sides, and where it is told."""

    title: str
    text: str
    source: str
    state: str  # info | warn


def card(*, answer: Mapping[str, Any], **_more: Any) -> Sequence[Trade] | None:
    """The trades among the advice of one answer; None where there are none."""
    found = [_trade(item) for item in answer["advice"] if is_trade(item)]
    return found or None


def is_trade(item: Mapping[str, Any]) -> bool:
    """Whether a piece of advice is about two sides of a choice, and belongs on this card."""
    return item["code"] in TRADE_TITLES


def _trade(item: Mapping[str, Any]) -> Trade:
    return Trade(
        title=str(TRADE_TITLES[item["code"]]),
        text=item["message"],
        source=item["source"],
        state="warn" if item["severity"] == "warning" else "info",
    )
