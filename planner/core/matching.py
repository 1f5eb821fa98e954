"""From what a vendor's tool reports to an accelerator of the catalog. Exactly, or not at all.

Parts of a name say nothing: "H20" is within "H200", "L4" within "L40S", and one number names several cards.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from planner.core.card_words import memory_word, words_of
from planner.core.specs import Catalog

# Profiles that a virtualised guest sees, such as "NVIDIA A10-24Q" or "GRID A100DX-80C".
VGPU_NAME = re.compile(r"(GRID|NVIDIA) [A-Za-z0-9 .-]+?-\d+(-\d+)?(A|B|C|CME|Q)?")
VENDOR_WORDS = ("NVIDIA ", "AMD ", "Tesla ")
DRIVER_NOTE = re.compile(r" \(driver [^)]*\)$")
MIB_TOLERANCE = 0.01
# Said of a card beside its name, not part of it.
MARKETS = frozenset(("china", "custom"))

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a report was recognised as.

    code: exact_name | name_and_memory | pci_and_memory | other_name | operator (found),
          vgpu | ambiguous | unknown (not found, accelerator_id is None; candidates where there are several).
    memory_differs: the reported total is not one that this part is known to print (a rebuilt board, another part).
    """

    code: str
    accelerator_id: str | None = None
    candidates: tuple[str, ...] = ()
    memory_differs: bool = False


def match(
    catalog: Catalog, *, name: str | None, pci_device_id: str | None = None, mib: float | None = None
) -> Match:
    """Recognise one reported device: by exact name, by PCI id and memory, by an older name, by the operator's word.

    `mib` is the total of one logical device, `pci_device_id` reads VENDOR:DEVICE in hexadecimal.
    """
    collapsed = collapse(name or "")
    found = _by_name(catalog, collapsed, mib)
    if found.accelerator_id is not None:
        return found
    if is_vgpu(collapsed) and found.code == "unknown":
        return _by_operator(catalog, collapsed) or Match(code="vgpu")
    other = _by_other_name(catalog, collapsed, mib) if found.code == "unknown" else None
    return _by_pci(catalog, pci_device_id, mib) or other or _by_operator(catalog, collapsed) or found


def as_written(catalog: Catalog, name: str) -> tuple[str, ...]:
    """Ids of the accelerators that have this whole name, as pages show it or people write it.

    Maker, family, memory and the market may be left out: "GeForce RTX 4090", "RTX 4090" and "rtx4090 24GB" are one
    card. A part of a name is none: "4090" may be two, "A100" four.
    """
    asked = words_of(name) - MARKETS
    having = []
    for card in catalog.accelerators.values():
        words, memory = words_of(card.name) - MARKETS, {memory_word(card)}
        if asked and asked in (words, words | memory, words - memory):
            having.append(card.id)
    return tuple(sorted(having))


def collapse(name: str) -> str:
    """The name with runs of white space made one space."""
    return " ".join(name.split())


def is_vgpu(name: str) -> bool:
    """Whether this is the name of a virtual GPU profile."""
    return VGPU_NAME.fullmatch(name) is not None


def _by_name(catalog: Catalog, name: str, mib: float | None) -> Match:
    if name in catalog.accelerator_names:
        found = catalog.accelerator_names[name]
        record = catalog.accelerator_records.get(found, {})
        return Match(code="exact_name", accelerator_id=found, memory_differs=not _memory_agrees(record, mib))
    carriers = [row for row in catalog.accelerator_records.values() if name in row["names"]["reported"]]
    if not carriers:
        return Match(code="unknown")
    return _one_by_memory(carriers, mib, code="name_and_memory") or Match(
        code="ambiguous", candidates=_ids(carriers)
    )


def _by_pci(catalog: Catalog, pci_device_id: str | None, mib: float | None) -> Match | None:
    # One id is used for several boards, so the memory has to agree as well.
    if pci_device_id is None or mib is None:
        return None
    wanted = pci_device_id.strip().upper()
    carriers = [
        row for row in catalog.accelerator_records.values() if wanted in row["names"]["pci_device_ids"]
    ]
    return _one_by_memory(carriers, mib, code="pci_and_memory")


def _by_other_name(catalog: Catalog, name: str, mib: float | None) -> Match | None:
    plain = _plain(name)
    if not plain:
        return None
    carriers = [
        row
        for row in catalog.accelerator_records.values()
        if plain in {_plain(other) for other in row["names"]["other"]}
    ]
    if len(carriers) == 1 and _memory_agrees(carriers[0], mib):
        return Match(code="other_name", accelerator_id=carriers[0]["id"])
    return _one_by_memory(carriers, mib, code="other_name")


def _by_operator(catalog: Catalog, name: str) -> Match | None:
    mapped = catalog.accelerator_mappings.get(name)
    return Match(code="operator", accelerator_id=mapped) if mapped in catalog.accelerators else None


def _plain(name: str) -> str:
    short = DRIVER_NOTE.sub("", collapse(name))
    for word in VENDOR_WORDS:
        short = short.removeprefix(word)
    return short


def _one_by_memory(carriers: list[Record], mib: float | None, *, code: str) -> Match | None:
    if mib is None:
        return None
    fitting = [row for row in carriers if row["reported_mib"] and _memory_agrees(row, mib)]
    return Match(code=code, accelerator_id=fitting[0]["id"]) if len(fitting) == 1 else None


def _memory_agrees(record: Record, mib: float | None) -> bool:
    known = record.get("reported_mib") or ()
    return mib is None or not known or any(abs(mib / total - 1) <= MIB_TOLERANCE for total in known)


def _ids(rows: Iterable[Record]) -> tuple[str, ...]:
    return tuple(sorted(row["id"] for row in rows))
