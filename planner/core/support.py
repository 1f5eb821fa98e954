"""What an engine version loads on a kind of card: its tables of formats by hardware."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from planner.core.outcome import Reason
from planner.core.request import EstimateRequest
from planner.core.specs import AcceleratorSpec, EngineSpec, Scheme

Rule = Mapping[str, Any]
REMEMBERED = 8192


def rule_for(engine: EngineSpec, card: AcceleratorSpec) -> Rule | None:
    """The first rule of the engine's `card_formats` that describes this card, None where nothing is said of it.

    A rule names `makers` and may narrow them by `architectures` (beginnings of their names), `targets` (compute
    capabilities or compiler targets) or `capability` (lowest and highest, either may be null). It then says `runs`:
    false, or which `weights` (kernels or ids of schemes) and `kv_cache_dtypes` load, null for all; `undocumented` are
    weights that load, but that the engine's own table does not promise.
    """
    return _rule_for(id(engine.values), engine, card)


@lru_cache(maxsize=REMEMBERED)
def _rule_for(_tables: int, engine: EngineSpec, card: AcceleratorSpec) -> Rule | None:
    kind = "cpu" if card.accelerator_class == "cpu" else card.vendor.casefold()
    for rule in engine.values["card_formats"]:
        if kind in rule["makers"] and _describes(rule, card):
            found: Rule = rule
            return found
    return None


def _describes(rule: Rule, card: AcceleratorSpec) -> bool:
    architectures, targets = rule.get("architectures"), rule.get("targets")
    if architectures is not None and not (card.architecture or "").startswith(tuple(architectures)):
        return False
    if targets is not None and card.compute_capability not in targets:
        return False
    return "capability" not in rule or _within(rule["capability"], card.compute_capability)


def _within(bounds: Sequence[str | None], capability: str | None) -> bool:
    if capability is None:
        return False
    low, high = bounds
    here = _numbers(capability)
    return (low is None or here >= _numbers(low)) and (high is None or here <= _numbers(high))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def runs(engine: EngineSpec, card: AcceleratorSpec) -> bool:
    """Whether the engine runs on the card, as far as its tables say."""
    rule = rule_for(engine, card)
    return rule is None or rule.get("runs", True)


def loads(engine: EngineSpec, card: AcceleratorSpec, scheme: Scheme) -> bool:
    """Whether the engine loads weights of a format on the card, as far as its tables say."""
    rule = rule_for(engine, card)
    return rule is None or _lists(rule.get("weights"), scheme)


def is_documented(engine: EngineSpec, card: AcceleratorSpec, scheme: Scheme) -> bool:
    """Whether the engine's own tables promise a format on the card: what loads beside them is not offered unasked."""
    rule = rule_for(engine, card)
    return rule is None or not _lists(rule.get("undocumented", ()), scheme)


def cache_dtypes(engine: EngineSpec, card: AcceleratorSpec) -> Sequence[str] | None:
    """KV cache types that the engine has on the card; None: all that it has at all."""
    rule = rule_for(engine, card)
    found: Sequence[str] | None = None if rule is None else rule.get("kv_cache_dtypes")
    return found


def _lists(names: Sequence[str] | None, scheme: Scheme) -> bool:
    return names is None or scheme.kernel in names or scheme.id in names


def expert_reasons(request: EstimateRequest) -> Iterator[Reason]:
    """Formats that the engine loads for dense layers and not for experts."""
    engine, scheme = request.engine, request.scheme
    if request.model.moe is not None and scheme.id in engine.values["experts_refused"]:
        yield Reason(
            code="scheme_not_for_experts",
            field="weights",
            values={"scheme": scheme.id, "engine": engine.name, "version": engine.version},
        )
