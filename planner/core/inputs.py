"""From checked requests and their memory to the arrays that the speed model works on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.core.batch import FloatArray, MemoryBatch
from planner.core.coefficients import Coefficients
from planner.core.decode import Layouts, Wire, layouts_of
from planner.core.defaults import reserved_slots
from planner.core.layout import caches_of, spread
from planner.core.links import FAST_KINDS, Curves, collective, curves_of
from planner.core.request import EstimateRequest, Workload
from planner.core.specs import AcceleratorSpec, Catalog
from planner.core.steady import Load
from planner.core.units import GIB
from planner.core.work import ENGINES, ModelWork, Work, card_work, model_work, work_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request that there is something to say about, and its row in the memory batch."""

    row: int
    request: EstimateRequest
    accelerator: AcceleratorSpec
    workload: Workload


@dataclass(slots=True, kw_only=True)
class Inputs:
    """Arrays of the cases, in their order."""

    rows: NDArray[np.intp]
    layouts: Layouts
    load: Load
    slow_group: FloatArray  # 1.0 where a tensor group talks over PCIe or a network


def case_of(request: EstimateRequest, *, verdict: str, row: int) -> Case | None:
    """None without accelerator, bandwidth or workload, and where the model does not start."""
    accelerator, workload = request.accelerator, request.workload
    if accelerator is None or workload is None or accelerator.bandwidth_gb_s is None:
        return None
    if verdict not in ("fits", "unknown"):
        return None
    return Case(row=row, request=request, accelerator=accelerator, workload=workload)


def inputs_of(cases: Sequence[Case], memory: MemoryBatch, catalog: Catalog, c: Coefficients) -> Inputs:
    """Arrays of `cases`, whose memory is in rows of `memory`."""
    curves = curves_of(catalog)
    works = np.array([work_of_request(case.request) for case in cases], dtype=np.float64)
    rows = np.array([case.row for case in cases], dtype=np.intp)
    work = Work(*np.ascontiguousarray(works.T))
    apart = np.where(work.expert_ranks > work.tensor, work.expert_ranks, 1.0)
    return Inputs(
        rows=rows,
        layouts=layouts_of(
            work,
            group=_wire(cases, work.tensor, curves),
            experts=_wire(cases, apart, curves),
            c=c,
        ),
        load=_load(cases, rows, memory),
        slow_group=np.array(
            [
                float(ranks > 1 and (case.request.link is None or case.request.link.kind not in FAST_KINDS))
                for case, ranks in zip(cases, np.maximum(work.tensor, apart), strict=True)
            ]
        ),
    )


def _load(cases: Sequence[Case], rows: NDArray[np.intp], memory: MemoryBatch) -> Load:
    asked = np.array(
        [
            (case.workload.input_tokens, case.workload.output_tokens, case.workload.concurrency)
            for case in cases
        ],
        dtype=np.float64,
    )
    context = np.zeros(len(memory.verdicts))
    context[rows] = asked[:, 0] + asked[:, 1] / 2.0
    # where every slot has its own full context, slots limit and not a shared pool
    reserving = np.array([reserved_slots(case.request) > 1 for case in cases])
    sequences = cache_sequences(memory, context)[rows]
    return Load(
        input_tokens=asked[:, 0],
        output_tokens=asked[:, 1],
        concurrency=asked[:, 2],
        max_num_seqs=memory.max_num_seqs[rows],
        cache_sequences=np.where(reserving, np.nan, sequences),
        max_num_batched_tokens=memory.max_num_batched_tokens[rows],
    )


def cache_sequences(memory: MemoryBatch, context: FloatArray) -> FloatArray:
    """Sequences of `context` (n,) tokens that the cache of a replica holds; NaN where they take none."""
    each = memory.sequence_bytes(context)
    counts = each > 0
    return np.where(counts, np.floor(memory.kv_cache_gib * GIB / np.where(counts, each, 1.0)), np.nan)


def work_of_request(request: EstimateRequest) -> Work[float]:
    """What the layout of `request` reads and computes; it must have an accelerator."""
    assert request.accelerator is not None
    return work_of(
        card_work(request.accelerator, request.scheme),
        model_work_of(request),
        engine=ENGINES.index(request.engine.name),
        eager=float(request.settings.enforce_eager),
    )


def model_work_of(request: EstimateRequest) -> ModelWork[float]:
    """The half of the work that does not depend on the accelerator."""
    return model_work(
        request.model,
        scheme=request.scheme,
        caches=caches_of(request),
        parallelism=spread(request.engine, request.parallelism),
    )


def _wire(cases: Sequence[Case], ranks: FloatArray, curves: Curves) -> Wire:
    """The all-reduce of each case over so many of its accelerators."""
    found = [
        collective(case.request.link, case.accelerator, int(size), curves)
        for case, size in zip(cases, ranks, strict=True)
    ]
    return Wire(
        log_us=np.array([one.log_us for one in found]),
        size_scale=np.array([one.size_scale for one in found]),
        extra_us=np.array([one.extra_us for one in found]),
    )
