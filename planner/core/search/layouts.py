"""What a search needs of the model: every layout once, as columns, and which row of the search has which."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from planner.core.batch import FloatArray
from planner.core.inputs import model_work_of
from planner.core.kv import default_dtype
from planner.core.layout import (
    COLUMNS,
    OVERHEADS_PART,
    POOL_PART,
    WEIGHTS_PART,
    model_dtype_bytes,
    overheads_part,
    pool_part,
    spread,
    weights_part,
)
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest, Parallelism, Settings
from planner.core.search.hardware import WIRES
from planner.core.search.space import Index, Space
from planner.core.specs import EngineSpec
from planner.core.support import expert_reasons
from planner.core.validity import against_tensor, pipeline_reasons
from planner.core.work import ModelWork

DATA = ModelWork._fields.index("data")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layouts:
    """Columns of the distinct layouts of one engine's rows, and tables that find them by the indices of the space."""

    weights: FloatArray  # (columns of the part, w)
    overheads: FloatArray
    pools: FloatArray
    work: FloatArray  # (columns of ModelWork, m)
    weights_at: Index  # [scheme, plan]
    overheads_at: Index  # [plan, wires]
    pools_at: Index  # [scheme, cache dtype, plan]
    work_at: Index  # [scheme, cache dtype, plan]
    refused: Index  # [scheme, plan]: index in `codes`, 0 for none
    codes: tuple[str, ...]

    def rows(self, space: Space, rows: Index, wires: Index) -> FloatArray:
        """Layout rows as memory takes them, (n, columns), each column in one piece."""
        found = np.empty((COLUMNS, len(rows)))
        plan, scheme = space.plan[rows], space.scheme[rows]
        np.take(self.weights, self.weights_at[scheme, plan], axis=1, out=found[WEIGHTS_PART], mode="clip")
        np.take(
            self.overheads, self.overheads_at[plan, wires], axis=1, out=found[OVERHEADS_PART], mode="clip"
        )
        np.take(self.pools, self.pool_of(space, rows), axis=1, out=found[POOL_PART], mode="clip")
        return found.T

    def pool_of(self, space: Space, rows: Index) -> Index:
        """Which column of `pools` each row has."""
        return self.pools_at[space.scheme[rows], space.cache_dtype[rows], space.plan[rows]]

    def model_work(self, space: Space, rows: Index) -> FloatArray:
        """(columns of ModelWork, n)."""
        at = self.work_at[space.scheme[rows], space.cache_dtype[rows], space.plan[rows]]
        found = self.work[:, at]
        found[DATA] = _replicas(space)[space.plan[rows]]
        return found


def _replicas(space: Space) -> FloatArray:
    return np.array([plan.data for plan in space.plans], dtype=np.float64)


class _Distinct:
    """Columns that are worked out once for each key."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.columns: list[tuple[float, ...]] = []

    def number(self, key: Hashable, build: Callable[[], tuple[float, ...]]) -> int:
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.columns)
            self.columns.append(build())
        return found

    def array(self) -> FloatArray:
        return np.ascontiguousarray(np.array(self.columns, dtype=np.float64).T)


def layouts_of(space: Space, rows: Index, engine: EngineSpec, settings: Settings) -> Layouts:
    """Layouts of `rows`, which all run on one engine. `settings` are those of one sequence at a time."""
    shape = (len(space.schemes), len(space.cache_dtypes), len(space.plans))
    weights, overheads, pools, work = _Distinct(), _Distinct(), _Distinct(), _Distinct()
    weights_at, refused = np.zeros(shape[::2], dtype=np.intp), np.zeros(shape[::2], dtype=np.intp)
    overheads_at = np.zeros((shape[2], len(WIRES)), dtype=np.intp)
    pools_at, work_at = np.zeros(shape, dtype=np.intp), np.zeros(shape, dtype=np.intp)
    codes: dict[str, int] = {"": 0}
    against: dict[Hashable, str] = {}
    bases = [_base(plan) for plan in space.plans]
    for at in _met(space, rows, shape):
        scheme, dtype, plan = at
        base = bases[plan]
        request = _probe(space, at, base, engine, settings)
        code = against.get((scheme, base))
        if code is None:
            code = against[scheme, base] = next((reason.code for reason in _against(request)), "")
        refused[scheme, plan] = codes.setdefault(code, len(codes))
        weights_at[scheme, plan] = weights.number((scheme, base), partial(_weights, request))
        for link, name in enumerate(WIRES):
            overheads_at[plan, link] = overheads.number((base, name), partial(overheads_part, request, name))
        pools_at[at] = pools.number(_pool_key(request), partial(pool_part, request))
        work_at[at] = work.number((scheme, dtype, base), partial(model_work_of, request))
    return Layouts(
        weights=weights.array(),
        overheads=overheads.array(),
        pools=pools.array(),
        work=work.array(),
        weights_at=weights_at,
        overheads_at=overheads_at,
        pools_at=pools_at,
        work_at=work_at,
        refused=refused,
        codes=tuple(codes),
    )


def _met(space: Space, rows: Index, shape: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """(scheme, cache dtype, plan) that occur in `rows`."""
    met = np.zeros(shape, dtype=np.bool_)
    met[space.scheme[rows], space.cache_dtype[rows], space.plan[rows]] = True
    return [(int(s), int(d), int(p)) for s, d, p in np.argwhere(met)]


def _probe(
    space: Space, at: tuple[int, int, int], base: Parallelism, engine: EngineSpec, settings: Settings
) -> EstimateRequest:
    scheme, dtype, _ = at
    return EstimateRequest(
        id=None,
        model=space.model,
        scheme=space.schemes[scheme],
        scheme_as_published=True,
        kv_cache_dtype=space.cache_dtypes[dtype],
        accelerator=None,
        count=1,
        parallelism=base,
        link=None,
        engine=engine,
        settings=settings,
        workload=None,
    )


def _base(plan: Parallelism) -> Parallelism:
    """Replicas hold the same, unless they share out experts."""
    return plan if plan.expert else replace(plan, data=1)


def _weights(request: EstimateRequest) -> tuple[float, ...]:
    return weights_part(request)[1]


def _pool_key(request: EstimateRequest) -> Hashable:
    model, scheme = request.model, request.scheme
    default = default_dtype(request.engine, model, scheme)
    tensor = spread(request.engine, request.parallelism).tensor
    return request.kv_cache_dtype, default, model_dtype_bytes(model, scheme), tensor


def _against(request: EstimateRequest) -> Iterator[Reason]:
    """What the shape of the model says against a format and a spread."""
    yield from expert_reasons(request)
    parallelism = spread(request.engine, request.parallelism)
    yield from pipeline_reasons(request.model, parallelism)
    yield from against_tensor(request, parallelism)
