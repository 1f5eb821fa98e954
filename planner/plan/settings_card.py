"""The card "Which settings, and why?": every engine setting in force with the reason for its value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

# Reasons that say no more than that nobody chose a value.
PLAIN = frozenset({"default_of_version", "cache_as_model"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting: its name and value as the engine knows them, and why."""

    name: str
    value: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsCard:
    """Settings that somebody or something chose, and those left at the version's default."""

    chosen: Sequence[Setting]
    default: Sequence[Setting]


def card(*, answer: Mapping[str, Any], **_more: Any) -> SettingsCard | None:
    """The card of one answer; None where no settings are known."""
    found = answer["settings"]
    if not found:
        return None
    return SettingsCard(
        chosen=[_setting(item) for item in found if item["reason"]["code"] not in PLAIN],
        default=[_setting(item) for item in found if item["reason"]["code"] in PLAIN],
    )


def _setting(item: Mapping[str, Any]) -> Setting:
    value = item["value"]
    if value is None:
        text = _("unknown")
    elif isinstance(value, bool):
        text = _("on") if value else _("off")
    else:
        text = str(value)
    return Setting(name=item["name"], value=text, why=item["reason"]["message"])
