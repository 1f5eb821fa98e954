"""Reported names: what the team says of them, and what a name is taken for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.names import MAX_NAME
from planner.browse.entry_form import typed_number
from planner.core.matching import collapse, match
from planner.core.specs import Catalog
from planner.messages.catalog import MATCHES
from planner.models import AcceleratorMapping

FOUND = frozenset({"exact_name", "name_and_memory", "pci_and_memory", "other_name", "operator"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """What a reported name is taken for. `cards` are the one found, or those it may be."""

    name: str
    mib: str
    found: bool
    why: Any
    cards: Sequence[tuple[str, str]]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRow:
    """One mapping. `idle`: the catalog knows the name by itself now, or the card is retired."""

    mapping: AcceleratorMapping
    key: str
    name: str
    idle: Any


def tested(given: Mapping[str, str], catalog: Catalog) -> Tested | None:
    """The name of the address put to the catalog, as a report of a machine would be."""
    name = collapse(given.get("name", ""))[:MAX_NAME]
    if not name:
        return None
    mib = typed_number(given.get("mib", "").strip() or None)
    known = float(mib) if isinstance(mib, int | float) and mib > 0 else None
    found = match(catalog, name=name, mib=known)
    ids = [found.accelerator_id] if found.accelerator_id else list(found.candidates)
    note = ""
    if found.memory_differs:
        note = _("The memory is not what this part is known to print: a rebuilt board, or another part.")
    elif mib is not None and known is None:
        note = _("The memory is no number of MiB and was left out.")
    return Tested(
        name=name,
        mib=given.get("mib", "").strip()[:20],
        found=found.code in FOUND,
        why=MATCHES[found.code],
        cards=[(key, catalog.accelerators[key].name) for key in ids if key in catalog.accelerators],
        note=note,
    )


def name_row(mapping: AcceleratorMapping, catalog: Catalog) -> NameRow:
    """A mapping, and whether it has any effect."""
    key = mapping.accelerator.key
    by_itself = match(catalog, name=mapping.reported_name)
    idle: Any = ""
    if key not in catalog.accelerators:
        idle = _("without effect: the card is retired")
    elif by_itself.accelerator_id and by_itself.code != "operator":
        idle = _("without effect: the catalog knows this name")
    return NameRow(mapping=mapping, key=key, name=mapping.accelerator.name, idle=idle)
