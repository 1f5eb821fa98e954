"""One engine: what changed at which version, and which models, cards and formats it runs."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.catalog import versions_of
from planner.core.card_facts import cards_of
from planner.core.engines import release_of, resolve_engine
from planner.core.figures import DASH, count
from planner.core.specs import Catalog, EngineSpec
from planner.messages.catalog import KERNELS
from planner.models import EngineTable
from planner.setup import ENGINE_NAMES

LONG = 60  # characters of a value that stand in its line


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A value that is another from a version on. `before` is empty where it is new."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A version and what changed at it, against the version before."""

    version: str
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value of the newest version, since when it holds, and where it is from."""

    name: str
    short: str
    whole: str
    since: str
    kind: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorRow:
    """Cards of one vendor on which it runs, as far as its tables say."""

    vendor: str
    runs: int
    cards: int
    formats: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginePage:
    """The context of templates/planner/browse/engine.html."""

    entry: EngineTable
    name: str
    answer: str
    steps: Sequence[Step]
    first: str
    values: Sequence[Value]
    vendors: Sequence[VendorRow]
    models: Sequence[tuple[Any, str]]
    flags: int


def engine_page(entry: EngineTable, *, catalog: Catalog, keys: Iterable[str]) -> EnginePage:
    """Everything about one engine at all versions known; `keys` are the models that are counted."""
    record = entry.record
    steps = versions_of(record)
    models = Counter(_support_of(catalog.models[key].engine_support.get(entry.key)) for key in keys)
    flags = len(catalog.flags.get(entry.key, {}).get("flags", ()))
    engine = resolve_engine(catalog.engines, entry.key, None)
    return EnginePage(
        entry=entry,
        name=ENGINE_NAMES.get(entry.key, str(record["name"])),
        answer=_(
            "Known up to version %(newest)s: %(native)s models of the catalog run on its own code, and %(steps)s versions "
            "changed something that a plan depends on."
        )
        % {
            "newest": entry.newest,
            "native": count(models["native"]),
            "steps": count(max(0, len(steps) - 1)),
        },
        steps=[_step(record, version) for version in reversed(steps[1:])],
        first=steps[0],
        values=[_value(name, value) for name, value in sorted(record["values"].items())],
        vendors=_vendors(engine, catalog) if isinstance(engine, EngineSpec) else [],
        models=[
            (_("its own code"), count(models["native"])),
            (_("through transformers"), count(models["transformers"])),
            (_("up to an older version"), count(models["until"])),
            (_("not supported"), count(models["absent"])),
            (_("nobody says"), count(models["unknown"])),
        ],
        flags=flags,
    )


def _support_of(word: str | None) -> str:
    if word is None:
        return "unknown"
    return "until" if word.startswith("until") else word


def _step(record: Mapping[str, Any], version: str) -> Step:
    changes = []
    for name, value in sorted(record["values"].items()):
        rows = sorted(value["by_version"], key=lambda row: release_of(row["from"]) or ())
        for before, after in zip([None, *rows], rows, strict=False):
            if after["from"] == version:
                gone, come = _told_apart(before["value"] if before else None, after["value"])
                changes.append(Change(name=name, before=gone, after=come))
    return Step(version=version, changes=changes)


def _told_apart(before: Any, after: Any) -> tuple[str, str]:
    """What went and what came; of two lists only what they do not share."""
    if isinstance(before, list) and isinstance(after, list):
        gone = [_text(item) for item in before if item not in after]
        come = [_text(item) for item in after if item not in before]
        return ", ".join(gone), ", ".join(come)
    return "" if before is None else _text(before), _text(after)


def _value(name: str, value: Mapping[str, Any]) -> Value:
    newest = max(value["by_version"], key=lambda row: release_of(row["from"]) or ())
    whole = _text(newest["value"])
    return Value(
        name=name,
        short=whole if len(whole) <= LONG else "",
        whole=whole,
        since=newest["from"],
        kind=value["kind"],
        source=value["source"],
    )


def _text(value: Any) -> str:
    if value is None:
        return DASH
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _vendors(engine: EngineSpec, catalog: Catalog) -> list[VendorRow]:
    """Per vendor on how many cards it runs, and the kinds of weights that it loads on some of them."""
    cards = Counter(card.vendor for card in catalog.accelerators.values())
    running = Counter(card.vendor for card in cards_of(catalog, engine))
    kernels: dict[str, dict[str, None]] = {}
    for scheme in catalog.schemes.values():
        for vendor in {card.vendor for card in cards_of(catalog, engine, scheme)}:
            kernels.setdefault(vendor, {})[scheme.kernel] = None
    return [
        VendorRow(
            vendor=vendor,
            runs=number,
            cards=cards[vendor],
            formats=" · ".join(str(KERNELS.get(name, name)) for name in kernels.get(vendor, ())),
        )
        for vendor, number in running.most_common()
    ]
