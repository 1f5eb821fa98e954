"""The smallest changes that make a set-up start, serve its users or meet its targets: each one tried by estimating it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from planner.core.batch import FloatArray, MemoryBatch, SpeedBatch
from planner.core.candidate import Candidate
from planner.core.candidates import fewer_users, pairs, single_changes
from planner.core.estimate import GIB_DIGITS, MS_DIGITS, evaluate, number, whole
from planner.core.in_force import in_force
from planner.core.limits import most_users, most_users_by_cache, most_users_within_targets
from planner.core.mend import with_fix
from planner.core.request import EstimateRequest
from planner.core.settings import derive_settings
from planner.core.specs import Catalog
from planner.core.targets import judged, miss_ratio, worst_target

SHOWN = 6
SHOWN_PAIRS = 2
SHOWN_HALVES = 2  # changes that only go a part of the way, beside ones that go all of it
HARDWARE = 50  # from this effort on a change takes other cards or other users
SHOWN_IN_VAIN = 2
MARKEDLY = 1.1  # more users, or nearer to a target, by which half a way counts as help
NARROWER = 0.8  # a cache format that saves less is none
# Kinds that people reach for first, in the order in which the ones that do not help are told.
EXPECTED = ("layout", "cache", "tensor", "weights", "replicas", "utilization")

NOT_STARTED, TOO_SHORT, NOT_ALL_SERVED, TARGET_MISSED, WELL = range(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How one set-up does. `miss` is the worst target's ratio (NaN: none), `spare_gib` below zero what it lacks.

    missed: the name of the target that is missed most, None where all are met.
    """

    level: int  # NOT_STARTED … WELL
    verdict: str
    reason: str | None  # code of the first reason against it
    users: float  # that decode at once, all replicas together
    asked: int | None
    miss: float
    missed: str | None
    figures: Mapping[str, float | int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A tried change: what it is, what it costs in kind, what it brings. `solves`: nothing is wrong any more."""

    candidate: Candidate
    before: State
    after: State

    @property
    def solves(self) -> bool:
        """Whether the changed set-up starts, serves all its users and meets its targets."""
        return self.after.level == WELL


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """What would help, smallest effort first, and what one would expect to and does not. Empty when all is well."""

    before: State
    changes: tuple[Change, ...]
    in_vain: tuple[Change, ...]


def improvements(request: EstimateRequest, catalog: Catalog) -> Improvement:
    """Changes for one request. None are tried without an accelerator, or where nothing is wrong."""
    (settled,), memory, speed = evaluate([request], catalog)
    before = states([settled], memory, speed)[0]
    if before.level == WELL or before.verdict == "unknown" or settled.accelerator is None:
        return Improvement(before=before, changes=(), in_vain=())
    singles = [*single_changes(settled, memory, catalog), *_fewer(settled, before, catalog)]
    tried = _try(settled, singles, before, catalog)
    helping = [change for change in tried if helps(change)]
    helping += _solving_pairs(settled, singles, helping, before, catalog)
    found = Improvement(
        before=before,
        changes=tuple(_shown(helping)),
        in_vain=() if before.verdict == "unsupported" else tuple(_in_vain(tried, helping)),
    )
    return _as_derived(request, found, catalog) if request.derive_settings else found


def _as_derived(request: EstimateRequest, found: Improvement, catalog: Catalog) -> Improvement:
    """What is shown, judged again with derived settings made to fit memory and targets, as an estimate makes them."""
    shown = (*found.changes, *found.in_vain)
    rows = [with_fix(_settled(request), change.candidate.change, catalog) for change in shown]
    before, *after = states(*in_force([request, *(row for row in rows if row is not None)], catalog))
    if before.level == WELL:
        return Improvement(before=before, changes=(), in_vain=())
    changes = [
        replace(change, before=before, after=state) for change, state in zip(shown, after, strict=True)
    ]
    number_of_changes = len(found.changes)
    return Improvement(
        before=before,
        changes=tuple(change for change in changes[:number_of_changes] if helps(change)),
        in_vain=tuple(change for change in changes[number_of_changes:] if not helps(change)),
    )


def _settled(request: EstimateRequest) -> EstimateRequest:
    """Derived settings put in, for changes that take them along."""
    return replace(request, settings=derive_settings(request))


def _solving_pairs(
    request: EstimateRequest,
    singles: Sequence[Candidate],
    helping: Sequence[Change],
    before: State,
    catalog: Catalog,
) -> list[Change]:
    """Two changes at once where no single one is enough, or only more hardware would be."""
    least = min((change.candidate.effort for change in helping if change.solves), default=None)
    if before.verdict == "unsupported" or (least is not None and least < HARDWARE):
        return []
    halves = [item for item in singles if least is None or item.effort < HARDWARE]
    tried = _try(request, pairs(halves), before, catalog)
    return _smallest_per_kind([change for change in tried if change.solves])[:SHOWN_PAIRS]


def states(requests: Sequence[EstimateRequest], memory: MemoryBatch, speed: SpeedBatch) -> list[State]:
    """The state of every row, each judged by its own targets."""
    spare = spare_gib(memory)
    misses = {targets: miss_ratio(targets, speed) for targets in {request.targets for request in requests}}
    return [
        _state(
            request, memory, speed, row=row, spare=float(spare[row]), miss=float(misses[request.targets][row])
        )
        for row, request in enumerate(requests)
    ]


def _state(
    request: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch, *, row: int, spare: float, miss: float
) -> State:
    workload, verdict = request.workload, memory.verdicts[row]
    running = float(speed.running[row]) * request.parallelism.data
    asked = workload.concurrency if workload is not None else None
    users = min(running, asked) if asked is not None else math.nan
    too_short = (
        workload is not None and workload.input_tokens + workload.output_tokens > memory.max_model_len[row]
    )
    reasons = memory.reasons[row]
    served = not too_short and verdict == "fits"
    return State(
        level=_level(verdict, too_short, users, asked, miss),
        verdict=verdict,
        reason=reasons[0].code if reasons else None,
        users=users if served else math.nan,
        asked=asked,
        miss=miss,
        missed=worst_target(request.targets, speed, row) if miss > 1 else None,
        figures={
            "spare_gib": number(spare, GIB_DIGITS),
            "weights_gib": number(memory.weights_gib[row], GIB_DIGITS),
            "kv_cache_tokens": whole(memory.kv_cache_tokens[row]),
            "kv_bytes_per_token": number(memory.kv_bytes_per_token[row], 2),
            "users": number(users, 2) if served else None,
            "tpot_ms": number(speed.tpot_ms[row], MS_DIGITS) if served else None,
            "ttft_ms": number(speed.ttft_ms[row], MS_DIGITS) if served else None,
            "output_tokens_per_s": number(speed.output_tokens_per_s[row], 4) if served else None,
            "output_tokens_per_s_per_user": number(speed.output_tokens_per_s_per_user[row], 4)
            if served
            else None,
        },
    )


def _level(verdict: str, too_short: bool, users: float, asked: int | None, miss: float) -> int:
    if verdict != "fits":
        return NOT_STARTED
    if too_short:
        return TOO_SHORT
    if asked is not None and users < asked * (1 - 1e-6):
        return NOT_ALL_SERVED
    return TARGET_MISSED if miss > 1 else WELL


def spare_gib(memory: MemoryBatch) -> FloatArray:
    """How far each row is from not starting, GiB per card: below zero what it lacks. (n,)

    Above zero: cache beyond one full request, and budget that nobody takes (engines with a pool of fixed size).
    """
    with np.errstate(all="ignore"):
        beyond_one = memory.kv_cache_gib * (1 - 1 / memory.max_concurrency)
        inside = memory.weights_gib + memory.activation_gib + memory.non_torch_gib + memory.kv_cache_gib
        inside = inside + np.where(memory.outside_budget_gib > 0, 0.0, memory.cuda_graph_gib)
        found = np.maximum(beyond_one, 0.0) + np.maximum(memory.budget_gib - inside, 0.0)
    lacks = np.array([_lacks(memory, row) for row in range(len(memory.verdicts))])
    return np.where(np.isnan(lacks), found, -lacks)


def _lacks(memory: MemoryBatch, row: int) -> float:
    """GiB that a row lacks to start, NaN where memory is not what is in the way."""
    gaps = [float(item.values["short_gib"]) for item in memory.reasons[row] if "short_gib" in item.values]
    pool = float(memory.kv_cache_gib[row])
    return max([*gaps, *([-pool] if pool < 0 else [])], default=math.nan)


def helps(change: Change) -> bool:
    """Whether a set-up comes nearer to what was asked: a step further, or markedly nearer to the next one."""
    before, after = change.before, change.after
    if change.candidate.kind == "cache" and not _is_narrower(change):
        return False
    if after.level != before.level:
        return after.level > before.level
    if after.level == NOT_ALL_SERVED:
        return after.users > MARKEDLY * before.users and not after.miss > 1 >= before.miss
    return after.level == TARGET_MISSED and after.miss * MARKEDLY < before.miss


def _is_narrower(change: Change) -> bool:
    before, after = change.before.figures["kv_bytes_per_token"], change.after.figures["kv_bytes_per_token"]
    return before is not None and after is not None and after < NARROWER * before


def _fewer(request: EstimateRequest, before: State, catalog: Catalog) -> list[Candidate]:
    """The users that it does serve, when that is fewer than asked."""
    workload = request.workload
    if workload is None or workload.requests_per_s is not None or before.level < NOT_ALL_SERVED:
        return []
    derived, plain = request.derive_settings, replace(request, derive_settings=False)
    limit = most_users_by_cache(plain, catalog) if derived else most_users(plain, catalog)
    if judged(request.targets):
        limit = most_users_within_targets(plain, catalog, limit, raise_slots=derived)
    return [] if limit.value is None or limit.value >= workload.concurrency else [fewer_users(limit.value)]


def _try(
    request: EstimateRequest, candidates: Sequence[Candidate], before: State, catalog: Catalog
) -> list[Change]:
    changed = [(item, with_fix(request, item.change, catalog)) for item in candidates]
    possible = [(item, after) for item, after in changed if after is not None]
    if not possible:
        return []
    settled, memory, speed = evaluate([after for _, after in possible], catalog)
    after_each = states(settled, memory, speed)
    return [
        Change(candidate=item, before=before, after=after)
        for (item, _), after in zip(possible, after_each, strict=True)
    ]


def _shown(helping: Sequence[Change]) -> list[Change]:
    """Of every kind the smallest that solves, else the one that helps most; least effort first.

    What goes only a part of the way is shown where it is less effort than all that solves, or where nothing does.
    """
    best = _fewest_cards(_smallest_per_kind(helping))
    solving = [change for change in best if change.solves]
    partly = [change for change in best if not change.solves]
    if solving:
        least = solving[0].candidate.effort
        smaller = [change for change in partly if change.candidate.effort < least]
        partly = sorted(smaller, key=_worth, reverse=True)[:SHOWN_HALVES]
    kept = [*solving, *partly][:SHOWN]
    return [change for change in best if change in kept]


def _fewest_cards(changes: Sequence[Change]) -> list[Change]:
    """Of the ways to add cards that solve, those that take the fewest; of ways to cut a model up, tensor groups."""
    more = [change for change in changes if change.candidate.code == "more_cards" and change.solves]
    fewest = min((change.candidate.values["count"] for change in more), default=None)
    kinds = {change.candidate.kind for change in more if change.candidate.values["count"] == fewest}
    return [
        change
        for change in changes
        if change.candidate.code != "more_cards"
        or fewest is None
        or (
            change.candidate.values["count"] == fewest
            and change.solves
            and not (change.candidate.kind == "stages" and "tensor" in kinds)
        )
    ]


def _smallest_per_kind(changes: Sequence[Change]) -> list[Change]:
    best: dict[str, Change] = {}
    for change in changes:
        known = best.get(change.candidate.kind)
        if known is None or (not known.solves and _worth(change) > _worth(known)):
            best[change.candidate.kind] = change
    return sorted(best.values(), key=lambda item: item.candidate.effort)


def _worth(change: Change) -> tuple[float, ...]:
    after = change.after
    return (
        after.level,
        -after.miss if math.isfinite(after.miss) else 0.0,
        after.users if math.isfinite(after.users) else 0.0,
    )


def _in_vain(tried: Sequence[Change], helping: Sequence[Change]) -> list[Change]:
    """Of the kinds that people reach for first, those of which nothing helped."""
    helped = {change.candidate.kind for change in helping}
    found: list[Change] = []
    for kind in EXPECTED:
        if kind in helped:
            continue
        same = [change for change in tried if change.candidate.kind == kind]
        if kind == "layout":
            same = [change for change in same if _is_replicas(change.candidate)]
        if same:
            found.append(same[0])
    return found[:SHOWN_IN_VAIN]


def _is_replicas(candidate: Candidate) -> bool:
    return bool(candidate.values["data"] > candidate.values["before"]["data"])


def gain(change: Change) -> dict[str, list[Any]]:
    """Figures before and after, of those that are known on either side."""
    before, after = change.before.figures, change.after.figures
    return {
        name: [before[name], after[name]]
        for name in ("spare_gib", "users", "tpot_ms", "ttft_ms", "output_tokens_per_s", "kv_cache_tokens")
        if before[name] is not None or after[name] is not None
    }
