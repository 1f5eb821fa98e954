"""The page of the team's assumptions about cost: each with ours beside it, and where it differs when two edit at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.assumptions import check, shown
from planner.core.cost.assumptions import ASSUMPTIONS, BY_NAME, GROUPS
from planner.core.figures import DASH
from planner.cost.working import number_text
from planner.form_inputs import MAX_TYPED_CHARS, number
from planner.messages.cost import ASSUMPTION_NAMES, SOURCES
from planner.messages.cost import GROUPS as GROUP_NAMES
from planner.models import TeamSettings

Rates = Mapping[str, float]
Typed = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRow:
    """One assumption: what the team says of it, blank where ours counts, and ours with its bounds."""

    name: str
    label: str
    unit: str
    value: str
    source: str
    ours: str
    our_source: str
    kind: str
    bounds: str
    errors: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamGroup:
    """Assumptions that belong together."""

    key: str
    name: str
    rows: Sequence[TeamRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A field in which what was typed differs from what stands there now."""

    label: str
    theirs: str
    typed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssumptionsPage:
    """The context of templates/planner/cost/assumptions.html. `amounts_in`: the currency that typed amounts are in."""

    currency: str
    amounts_in: str
    revision: int
    groups: Sequence[TeamGroup]
    replaced: int
    currency_error: str = ""
    loose: Sequence[str] = ()
    wrong: int = 0


def typed_of(team: TeamSettings) -> dict[str, str]:
    """What the form holds before anybody typed."""
    found = {"currency": team.currency, "amounts_in": team.currency}
    for name, entry in team.cost.items():
        found[name] = f"{entry['value']:.10g}"
        found[f"{name}.source"] = str(entry.get("source", ""))
    return found


def read_typed(posted: Mapping[str, str]) -> dict[str, str]:
    """What was typed, bounded; a blank value leaves ours in place, and its source with it."""
    names = ["currency", "amounts_in", *BY_NAME, *(f"{name}.source" for name in BY_NAME)]
    return {name: posted.get(name, "").strip()[: MAX_TYPED_CHARS + 1] for name in names}


def statement(typed: Typed) -> dict[str, Any]:
    """What was typed as the API has it."""
    return {
        "currency": typed["currency"].upper(),
        "assumptions": {
            name: {"value": number(typed[name]), "source": typed[f"{name}.source"]}
            for name in BY_NAME
            if typed[name]
        },
    }


def checked(typed: Typed, team: TeamSettings, per_usd: Rates) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(changes, errors) of what was typed.

    An amount that the team gave in one currency is refused in another until somebody looked at it: nothing is
    converted, and nothing means seven times less than it did because of a choice above it.
    """
    changes, errors = check(statement(typed), team, per_usd)
    if errors or typed["amounts_in"] == changes["currency"]:
        return changes, errors
    left = [
        item.name
        for item in ASSUMPTIONS
        if item.money and number(typed[item.name]) == team.cost.get(item.name, {}).get("value", DASH)
    ]
    text = _(
        "This amount was in %(before)s. Write what it is in %(after)s, or save again to keep the number."
    )
    values = {"before": team.currency, "after": changes["currency"]}
    return changes, [{"field": f"assumptions.{name}", "message": text % values} for name in left]


def page_of(
    typed: Typed, team: TeamSettings, per_usd: Rates, errors: Sequence[Mapping[str, Any]] = ()
) -> AssumptionsPage:
    """The page for what was typed, with each error beside its input."""
    currency = typed["currency"].upper()
    known = currency if currency in per_usd else team.currency
    # Ours and the bounds in the currency that was chosen; the team's values are those that were typed.
    ours = shown(TeamSettings(pk=1, currency=known, revision=team.revision), per_usd)["assumptions"]
    by_field = _by_field(errors)
    groups = [
        TeamGroup(
            key=group,
            name=str(GROUP_NAMES[group]),
            rows=[_row(item, typed, by_field) for item in ours if item["group"] == group],
        )
        for group in GROUPS
    ]
    return AssumptionsPage(
        currency=currency,
        amounts_in=known if errors else typed["amounts_in"],
        revision=team.revision,
        groups=groups,
        replaced=sum(1 for name in BY_NAME if typed.get(name)),
        currency_error=" ".join(by_field.get("currency", ())),
        loose=by_field.get("", ()),
        wrong=len(errors),
    )


def _by_field(errors: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for error in errors:
        field = str(error["field"] or "").removeprefix("assumptions.").removesuffix(".value")
        name = field.removesuffix(".source")
        found.setdefault(name if name in BY_NAME or name == "currency" else "", []).append(error["message"])
    return found


def _row(item: Mapping[str, Any], typed: Typed, errors: Mapping[str, Sequence[str]]) -> TeamRow:
    name = item["name"]
    low, high = (f"{item[end]:,.10g}" for end in ("low", "high"))
    return TeamRow(
        name=name,
        label=item["label"],
        unit=item["unit"],
        value=typed.get(name, ""),
        source=typed.get(f"{name}.source", ""),
        ours=number_text(name, item["default"]),
        our_source=str(SOURCES[name]),
        kind=item["kind"],
        bounds=_("%(low)s to %(high)s") % {"low": low, "high": high},
        errors=errors.get(name, ()),
    )


def differences(typed: Typed, current: TeamSettings) -> list[Difference]:
    """Where what was typed is another than what somebody else put there meanwhile."""
    theirs = {**dict.fromkeys(typed, ""), **typed_of(current)}
    labels = {"currency": _("Currency")}
    for name, label in ASSUMPTION_NAMES.items():
        labels[name] = str(label)
        labels[f"{name}.source"] = _("%s: source") % label
    return [
        Difference(label=label, theirs=theirs[key] or DASH, typed=typed[key] or DASH)
        for key, label in labels.items()
        if theirs[key] != typed[key]
    ]
