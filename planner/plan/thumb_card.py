"""The card "Which rules of thumb hold here?": rules from the field beside the exact result of this plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.core.ruling import UNSOURCED
from planner.messages.folklore import RULES, VERDICTS

# Order of the rows, and the look of each: those that mislead here first.
STATES = {"contradicted": "warn", "agreed": "ok", "unknown": "off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One rule: as people say it, the verdict in a word, and what is true of this plan."""

    code: str
    title: str
    tag: str
    state: str  # ok | warn | off
    text: str
    source: str  # "" where the rule is passed on without one


@dataclass(frozen=True, slots=True, kw_only=True)
class ThumbCard:
    """Rows, the sentence that counts them, and one about those left out."""

    sentence: str
    rows: Sequence[Row]
    left_out: str


def card(*, answer: Mapping[str, Any], **_more: Any) -> ThumbCard | None:
    """The card of one answer; None where no rule can be held against it."""
    rules = answer["rules_of_thumb"]
    rows = [
        _row(rule, state) for verdict, state in STATES.items() for rule in rules if rule["verdict"] == verdict
    ]
    checked = [row for row in rows if row.state != "off"]
    if not checked:
        return None
    wrong = sum(row.state == "warn" for row in rows)
    left = len(rules) - len(rows)
    return ThumbCard(
        sentence=ngettext(
            "%(wrong)s of %(checked)s rule would mislead here.",
            "%(wrong)s of %(checked)s rules would mislead here.",
            len(checked),
        )
        % {"wrong": wrong, "checked": len(checked)},
        rows=rows,
        left_out=ngettext(
            "%(left)s more rule says nothing about this plan.",
            "%(left)s more rules say nothing about this plan.",
            left,
        )
        % {"left": left}
        if left
        else "",
    )


def _row(rule: Mapping[str, Any], state: str) -> Row:
    return Row(
        code=rule["code"],
        title=str(RULES.get(rule["code"], rule["code"])),
        tag=str(VERDICTS.get(rule["verdict"], _("unknown"))),
        state=state,
        text=rule["message"],
        source="" if rule["source"] == UNSOURCED else rule["source"],
    )
