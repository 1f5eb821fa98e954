"""Targets in words: met or missed, by how far, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.core.figures import with_unit
from planner.plan.figures import PER_USER, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One target with its value; `low` and `high` are the ends of the 80 % interval, None where there is none.

    In ms, or in tokens per second for the one per user, which is a floor and no ceiling.
    """

    name: str
    limit: float
    value: float
    met: bool
    low: float | None = None
    high: float | None = None

    @property
    def spare(self) -> float:
        """How far inside the limit, below zero where it is missed."""
        return self.value - self.limit if self.name == PER_USER else self.limit - self.value

    @property
    def crossed(self) -> bool:
        """Whether the limit lies within the interval: then the verdict may turn when it is measured."""
        return self.low is not None and self.high is not None and self.low < self.limit < self.high


def judged(answer: Mapping[str, Any]) -> list[Judged]:
    """The targets of an answer that a mean can be held against, nearest to its limit or farthest beyond it first."""
    found = [
        Judged(
            name=item["name"],
            limit=item["limit"],
            value=item["value"],
            met=item["met"],
            **_interval(item["name"], answer["speed"]),
        )
        for item in answer.get("targets") or []
        if item["met"] is not None and item["value"] is not None
    ]
    return sorted(found, key=lambda item: item.spare / item.limit)


def _interval(name: str, speed: Mapping[str, Any]) -> dict[str, float]:
    interval = speed["interval"]["tpot_ms"]
    if not interval or name == "ttft_ms":
        return {}
    if name == PER_USER:
        return {"low": 1000 / interval[1], "high": 1000 / interval[0]}
    return {"low": interval[0], "high": interval[1]}


def headline(targets: Sequence[Judged]) -> str:
    """That a plan which fits meets the targets or not, with the distance."""
    missed = [item for item in targets if not item.met]
    if missed:
        over = _(", ").join(distance(item) for item in missed)
        return ngettext(
            "Fits, but misses your target by %(over)s.",
            "Fits, but misses your targets by %(over)s.",
            len(missed),
        ) % {"over": over}
    values = {"spare": distance(targets[0])}
    if any(item.crossed for item in targets):
        return (
            ngettext(
                "Fits and meets your target, %(spare)s to spare, but not certain.",
                "Fits and meets your targets, %(spare)s to spare, but not certain.",
                len(targets),
            )
            % values
        )
    return (
        ngettext(
            "Fits and meets your target, %(spare)s to spare.",
            "Fits and meets your targets, %(spare)s to spare.",
            len(targets),
        )
        % values
    )


def missed_too(targets: Sequence[Judged]) -> str:
    """That targets are missed as well, beside something graver; empty where none is."""
    missed = [item for item in targets if not item.met]
    if not missed:
        return ""
    over = _(", ").join(distance(item) for item in missed)
    return ngettext("It misses your target by %s.", "It misses your targets by %s.", len(missed)) % over


def distance(item: Judged) -> str:
    """How far from the limit, on whichever side: 4.3 ms per token."""
    far = abs(item.spare)
    if item.name == "tpot_ms":
        return _("%s per token") % with_unit(far, "ms")
    if item.name == "ttft_ms":
        return _("%s to the first token") % seconds(far)
    return _("%s per user") % with_unit(far, "tok/s")


def certainty(targets: Sequence[Judged]) -> str:
    """What the interval just named means for the verdict; empty where the limit lies outside of it."""
    crossed = next((item for item in targets if item.crossed), None)
    if crossed is None:
        return ""
    limit = limit_text(crossed)
    if all(item.met for item in targets):
        return _("Your limit of %s lies between: measure one machine before you buy the rest.") % limit
    if not crossed.met:
        return _("Your limit of %s lies between: a measurement may still turn this round.") % limit
    return ""


def limit_text(item: Judged) -> str:
    """The limit with its unit."""
    if item.name == "ttft_ms":
        return seconds(item.limit)
    return with_unit(item.limit, "tok/s" if item.name == PER_USER else "ms")
