"""What stands beside the figures of an answer: settings and targets with reasons, trades, rules of thumb."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from planner.core.advice.formats import advice_on_formats
from planner.core.advice.running import advice_on_running
from planner.core.advice.spread import advice_on_spread
from planner.core.beside import Beside
from planner.core.folklore import rules_of_thumb
from planner.core.outcome import Advice, Why
from planner.core.ruling import Ruling
from planner.core.settings import longest_tokens
from planner.core.settings_in_force import settings_in_force
from planner.core.specs import Catalog
from planner.core.target_verdicts import TargetVerdict, target_verdicts

DIGITS = 4


def remarks(found: Beside, catalog: Catalog) -> dict[str, Any]:
    """`settings`, `targets`, `advice` (trades only) and `rules_of_thumb` of one plan, in the shape of the contract."""
    plan = found.plan
    trades = [*_length(found)]
    if plan.memory.verdicts[plan.row] in ("fits", "does_not_fit"):
        trades += advice_on_formats(found)
    if plan.fits:
        trades += [*advice_on_spread(found), *advice_on_running(found, catalog)]
    settings = settings_in_force(plan.request, plan.memory, plan.row, narrow_cache=_narrow_cache(found))
    return {
        "settings": [
            {"name": name, "value": value, "reason": _reason(reason)} for name, value, reason in settings
        ],
        "targets": [_target(item) for item in target_verdicts(plan)],
        "advice": [_advice(item) for item in trades],
        "rules_of_thumb": [_rule(item) for item in rules_of_thumb(found)],
    }


def _length(found: Beside) -> list[Advice]:
    """Some requests are longer than what the engine takes, though the mean one is not."""
    plan, workload = found.plan, found.plan.request.workload
    limit = plan.of_memory("max_model_len")
    if workload is None or workload.longest_tokens is None or longest_tokens(workload) <= limit:
        return []
    values = {"tokens": workload.longest_tokens, "max_model_len": int(limit)}
    return [Advice(code="longest_above_max_model_len", severity="warning", values=values)]


def _narrow_cache(found: Beside) -> tuple[str, int] | None:
    """The KV cache dtype that would hold more, where this one is short of room."""
    plan, other = found.plan, found.variants.get("narrow_cache")
    if other is None or not other.fits:
        return None
    workload = plan.request.workload
    users = workload.concurrency / plan.request.parallelism.data if workload is not None else 0.0
    running = plan.of_speed("running")
    if plan.fits and not (isfinite(running) and running < users):
        return None
    return other.request.kv_cache_dtype, int(other.of_memory("kv_cache_tokens"))


def _reason(item: Why) -> dict[str, Any]:
    return {"code": item.code, "values": _plain(item.values)}


def _target(item: TargetVerdict) -> dict[str, Any]:
    return {
        "name": item.name,
        "limit": item.limit,
        "value": None if item.value is None else round(item.value, DIGITS),
        "met": item.met,
        "reason": _reason(item.reason),
    }


def _advice(item: Advice) -> dict[str, Any]:
    return {
        "code": item.code,
        "severity": item.severity,
        "values": _plain(item.values),
        "source": item.source,
    }


def _rule(item: Ruling) -> dict[str, Any]:
    rule = item.rule_value
    return {
        "code": item.code,
        "verdict": item.verdict,
        "rule_value": [_number(end) for end in rule] if isinstance(rule, tuple) else _number(rule),
        "exact_value": _number(item.exact_value),
        "unit": item.unit,
        "values": _plain(item.values),
        "source": item.source,
    }


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _number(value) if isinstance(value, float) else value for name, value in values.items()}


def _number(value: float | None) -> float | None:
    """Rounded for JSON; None for what is not known."""
    return round(float(value), DIGITS) if value is not None and isfinite(value) else None
