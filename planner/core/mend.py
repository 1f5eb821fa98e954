"""Fixes that were tried: each is put into its request, and only one that leads to no other refusal stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.core import memory
from planner.core.engines import resolve_engine
from planner.core.outcome import Reason
from planner.core.parse import SETTINGS_LIMITS
from planner.core.request import EstimateRequest
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec
from planner.core.weights import published_scheme_id

# Corrections on top of the first one: each shows what the one before it hid.
ROUNDS = 5
# Said of engines that start: with the fix they must also take requests of the asked length.
OF_SERVING = frozenset(
    {"workload_exceeds_max_model_len", "max_num_seqs_limits_concurrency", "kv_limits_concurrency"}
)


@dataclass(slots=True)
class _Trial:
    """One fix on its way: where it came from, what it grew to, and the request with it put in."""

    row: int
    reason: Reason
    known: frozenset[str]  # refusals that the request had before, this reason aside
    must_serve: int  # tokens that a request may have with the fix, at least
    fix: Mapping[str, Any] | None
    changed: EstimateRequest | None
    open: bool = True

    def drop(self) -> None:
        """There is no fix to offer."""
        self.fix, self.open = None, False

    def judge(self, reasons: Sequence[Reason], max_model_len: float) -> Mapping[str, Any] | None:
        """Keep the fix, drop it, or return what must be added to it."""
        new = [reason for reason in reasons if reason.code not in self.known]
        if not new and max_model_len >= self.must_serve:
            self.open = False
        elif not new or new[0].fix is None:
            self.drop()
        else:
            return new[0].fix
        return None


def tried(
    requests: Sequence[EstimateRequest], reasons: Sequence[tuple[Reason, ...]], catalog: Catalog
) -> list[tuple[Reason, ...]]:
    """The reasons of every row, with fixes that were tried.

    A fix stays when its reason is gone with it and no refusal comes in its place. One that another refusal hides
    behind takes the fix of that one along; where none helps, the reason stays without a fix.
    """
    trials = [
        _trial(row, reason, request, found, catalog)
        for row, (request, found) in enumerate(zip(requests, reasons, strict=True))
        for reason in found
        if reason.fix is not None
    ]
    for _ in range(ROUNDS):
        _round([trial for trial in trials if trial.open], catalog)
    fixes = {(trial.row, id(trial.reason)): None if trial.open else trial.fix for trial in trials}
    return [
        tuple(
            replace(reason, fix=fixes[row, id(reason)]) if reason.fix is not None else reason
            for reason in found
        )
        for row, found in enumerate(reasons)
    ]


def _trial(
    row: int, reason: Reason, request: EstimateRequest, found: tuple[Reason, ...], catalog: Catalog
) -> _Trial:
    workload, fix = request.workload, merged(_derived(request), reason.fix or {})
    length = 0
    if workload is not None and reason.code in OF_SERVING:
        length = workload.input_tokens + workload.output_tokens
    trial = _Trial(
        row=row,
        reason=reason,
        known=frozenset(other.code for other in found) - {reason.code},
        must_serve=length,
        fix=fix,
        changed=with_fix(request, fix, catalog),
    )
    if trial.changed is None:
        trial.drop()
    return trial


def _derived(request: EstimateRequest) -> Mapping[str, Any]:
    """What a fix must say beside itself: it takes the place of "derive", and with it of what was derived."""
    if not request.derive_settings:
        return {}
    chosen = {name: getattr(request.settings, name) for name in (*SETTINGS_LIMITS, "gpu_memory_utilization")}
    return {"settings": {name: value for name, value in chosen.items() if value is not None}}


def _round(trials: Sequence[_Trial], catalog: Catalog) -> None:
    if not trials:
        return
    batch = memory.evaluate([trial.changed for trial in trials if trial.changed is not None])
    for trial, reasons, length in zip(trials, batch.reasons, batch.max_model_len, strict=True):
        more = trial.judge(reasons, float(length))
        if more is None or trial.changed is None:
            continue
        trial.fix = merged(trial.fix or {}, more)
        trial.changed = with_fix(trial.changed, more, catalog)
        if trial.changed is None:
            trial.drop()


def merged(fix: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """One partial request out of two; where both speak, the later one counts."""
    whole = dict(fix)
    for key, value in more.items():
        known = whole.get(key)
        whole[key] = {**known, **value} if isinstance(known, Mapping) else value
    return whole


def with_fix(request: EstimateRequest, fix: Mapping[str, Any], catalog: Catalog) -> EstimateRequest | None:
    """The request with a partial one laid over it; None where `parse_request` would not take the result."""
    settings: Mapping[str, Any] = fix.get("settings", {})
    if not all(_is_allowed(name, value) for name, value in settings.items()):
        return None
    engine: EngineSpec | Any = request.engine
    if "engine" in fix:
        engine = resolve_engine(catalog.engines, fix["engine"]["name"], fix["engine"]["version"])
        if not isinstance(engine, EngineSpec):
            return None
    if "workload" in fix and request.workload is not None:
        request = replace(request, workload=replace(request.workload, **fix["workload"]))
    if "weights" in fix:
        scheme = catalog.schemes[fix["weights"]]
        as_published = scheme.id == published_scheme_id(request.model)
        request = replace(request, scheme=scheme, scheme_as_published=as_published)
    if "accelerator" in fix:
        request = _on_card(request, catalog.accelerators[fix["accelerator"]])
    return replace(
        request,
        count=fix.get("count", request.count),
        parallelism=replace(request.parallelism, **fix.get("parallelism", {})),
        kv_cache_dtype=fix.get("kv_cache_dtype", request.kv_cache_dtype),
        engine=engine,
        settings=replace(request.settings, **settings),
        derive_settings=request.derive_settings and not settings,
    )


def _on_card(request: EstimateRequest, card: AcceleratorSpec) -> EstimateRequest:
    """The request on another card, with that card's own link unless another one was forced."""
    before = request.accelerator
    own = before is None or request.link == (before.link or before.pcie)
    return replace(
        request, accelerator=card, power=None, link=card.link or card.pcie if own else request.link
    )


def _is_allowed(name: str, value: float) -> bool:
    if name == "enforce_eager":
        return True
    if name == "gpu_memory_utilization":
        return 0 < value <= 1
    low, high = SETTINGS_LIMITS[name]
    return low <= value <= high
