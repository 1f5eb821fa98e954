"""Fields of what a plan holds as people read them: a name, a value with its unit, never a path or a code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.amounts import amount
from planner.core.cost.assumptions import BY_NAME
from planner.core.figures import DASH, NBSP, count
from planner.core.plan_changes import Conflict, Difference, Path
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.cost import ASSUMPTION_NAMES, UNITS
from planner.messages.plans import FIELDS, VALUES
from planner.setup import ENGINE_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One field or figure that differs between two states."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One field in which two people differ, to be chosen between. `chosen`: theirs, ours, or "" for neither yet."""

    key: str
    name: str
    base: str
    theirs: str
    ours: str
    chosen: str = ""


def changed(item: Difference, catalog: Catalog) -> Changed:
    """A difference in words."""
    return Changed(
        name=field_name(item.parts),
        before=value_text(item.parts, item.before, catalog),
        after=value_text(item.parts, item.after, catalog),
    )


def choice(item: Conflict, catalog: Catalog, *, chosen: str = "") -> Choice:
    """A conflict in words."""
    return Choice(
        key=item.path,
        name=field_name(item.parts),
        base=value_text(item.parts, item.base, catalog),
        theirs=value_text(item.parts, item.theirs, catalog),
        ours=value_text(item.parts, item.ours, catalog),
        chosen=chosen,
    )


def field_name(parts: Path) -> str:
    """What a field is called."""
    if parts[:2] == ("bill", "extra") and len(parts) == 3:
        return parts[2]
    if parts[0] == "cost" and len(parts) == 2:
        return str(ASSUMPTION_NAMES.get(parts[1], parts[1]))
    path = ".".join(parts)
    return str(FIELDS[path][0]) if path in FIELDS else path


def value_text(parts: Path, value: Any, catalog: Catalog) -> str:
    """The value of a field with its unit; a dash where it is left to the default."""
    if value is None:
        return DASH
    path = ".".join(parts)
    said = VALUES.get(path, {}).get(value if isinstance(value, str) else None)
    if said is not None:
        return str(said)
    if parts[0] == "cost" and len(parts) == 2:
        return _assumption(parts[1], value)
    text = _known(path, value, catalog) or _plain(value)
    unit = str(FIELDS.get(path, ("", ""))[1])
    return f"{text}{NBSP}{unit}" if unit else text


def _known(path: str, value: Any, catalog: Catalog) -> str:
    """The value of a field that has a way of its own to be written; "" for others."""
    if path == "request.model":
        return model_name(value)
    if path == "request.accelerator":
        return card_name(value, catalog)
    if path == "bill.platform":
        record = catalog.platform_records.get(value)
        return str(record["name"]) if record else _gone(value)
    if path == "request.engine" and isinstance(value, Mapping):
        return engine_text(value)
    if path.startswith("bill.extra."):
        return _extra(value)
    return ""


def model_name(model: Mapping[str, Any]) -> str:
    """The id of a model, or the kind of its config.json."""
    if "id" in model:
        return str(model["id"])
    kind = (model.get("config") or {}).get("model_type")
    return f"config.json ({kind})" if kind else "config.json"


def card_name(card: str, catalog: Catalog) -> str:
    """The name of an accelerator; its id where the catalog has it no longer."""
    known = catalog.accelerators.get(card)
    return known.name if known else str(card)


def engine_text(engine: Mapping[str, Any]) -> str:
    """An engine with its version, where one is named."""
    name = engine.get("name") or "vllm"
    return f"{ENGINE_NAMES.get(name, name)} {engine.get('version') or ''}".strip()


def _gone(value: Any) -> str:
    return _("%s, no longer in the catalog") % value


def _extra(item: Mapping[str, Any]) -> str:
    values = {"quantity": count(item.get("quantity", 1)), "price": amount(item.get("unit_price"), None)}
    text = _("%(quantity)s at %(price)s") % values
    return f"{text} ({item['source']})" if item.get("source") else text


def _assumption(name: str, value: Any) -> str:
    known = BY_NAME.get(name)
    unit = word(UNITS, known.unit, {"currency": ""}).strip() if known else ""
    return f"{_plain(value)}{NBSP}{unit}" if unit else _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, Mapping):
        parts = (f"{str(key).upper()}{NBSP}{_plain(item)}" for key, item in value.items())
        return " · ".join(parts)
    if isinstance(value, list):
        return "; ".join(_plain(item) for item in value) or DASH
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return f"{value:,g}" if abs(value) < 1e6 else count(value)
    return str(value)
