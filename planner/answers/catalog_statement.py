"""What is stated of a record, while it is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from planner.actions.entries import source_key
from planner.answers.catalog_fields import LEAST, MOST, SOURCE_LIMIT
from planner.models import difference

Record = Mapping[str, Any]
TEAM_WORD = "the team's own word"


@dataclass(slots=True, kw_only=True)
class Statement:
    """What was stated, read: the record that it amounts to, what it cites, and everything wrong with it."""

    record: dict[str, Any]
    shipped: Record | None
    words: Mapping[str, str] = field(default_factory=dict)  # source key -> text
    sources: dict[str, str] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)

    def wrong(self, place: str | None, code: str, message: str) -> None:
        """Note what is wrong with one field, and how to mend it."""
        self.errors.append({"field": place, "code": code, "message": message})

    def cite(self, source: Any, place: str) -> str | None:
        """The key of a source in the team's own words; None where it cannot be one, which is noted."""
        text = " ".join(source.split()) if isinstance(source, str) else ""
        if not text or len(text) > SOURCE_LIMIT or not text.isprintable():
            message = _("Say where it can be read, in up to %s characters.") % SOURCE_LIMIT
            self.wrong(place, "missing", message)
            return None
        key = source_key(text)
        self.sources[key] = text
        return key

    @property
    def edited(self) -> dict[str, Any]:
        """What the team says, to be laid over what is shipped; the whole record where nothing is."""
        return self.record if self.shipped is None else difference(self.shipped, self.record)


def is_amount(value: Any) -> bool:
    """A number above zero that a figure can have; NaN and integers beyond a float are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST <= value <= MOST
