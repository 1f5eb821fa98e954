"""Speed of many requests at once: decode step, time per token, first token, throughput, and how sure that is."""

from collections.abc import Sequence

import numpy as np

from planner.core.batch import FloatArray, MemoryBatch, SpeedBatch
from planner.core.coefficients import FITTED, Coefficients
from planner.core.inputs import Inputs, case_of, inputs_of
from planner.core.interval import SPREAD, Spread, half_width
from planner.core.power import PowerSetting
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.core.steady import Steady, solve

BOUNDS = ("memory", "compute", "interconnect", "host")


def evaluate(
    requests: Sequence[EstimateRequest],
    memory: MemoryBatch,
    catalog: Catalog,
    *,
    coefficients: Coefficients = FITTED,
    spread: Spread = SPREAD,
) -> SpeedBatch:
    """Steady-state speed of every request, rows as in `memory`.

    A row is NaN without accelerator, bandwidth or workload, and where the model does not fit or is not supported.
    """
    found = [
        case_of(request, verdict=verdict, row=row)
        for row, (request, verdict) in enumerate(zip(requests, memory.verdicts, strict=True))
    ]
    cases = [case for case in found if case is not None]
    batch = _empty(len(requests))
    if cases:
        inputs = inputs_of(cases, memory, catalog, coefficients)
        _fill(batch, inputs, solve(inputs.layouts, inputs.load, coefficients), spread)
    for case in cases:
        if case.request.power is not None:
            _widen(batch, case.row, case.request.power)
    return batch


def _widen(batch: SpeedBatch, row: int, setting: PowerSetting) -> None:
    """What a cap or mode leaves of the machine is known within bounds: the interval holds both."""
    slow = setting.bandwidth_share / setting.bandwidth_low
    fast = setting.bandwidth_share / setting.bandwidth_high
    batch.decode_step_low_ms[row] *= fast
    batch.decode_step_high_ms[row] *= slow
    batch.tpot_low_ms[row] *= fast
    batch.tpot_high_ms[row] *= slow
    batch.output_tokens_per_s_low[row] /= slow
    batch.output_tokens_per_s_high[row] /= fast


def _empty(rows: int) -> SpeedBatch:
    def unknown() -> FloatArray:
        return np.full(rows, np.nan)

    return SpeedBatch(
        running=unknown(),
        decode_step_ms=unknown(),
        tpot_ms=unknown(),
        ttft_ms=unknown(),
        output_tokens_per_s=unknown(),
        output_tokens_per_s_per_user=unknown(),
        mbu=unknown(),
        decode_step_low_ms=unknown(),
        decode_step_high_ms=unknown(),
        tpot_low_ms=unknown(),
        tpot_high_ms=unknown(),
        output_tokens_per_s_low=unknown(),
        output_tokens_per_s_high=unknown(),
        weights_ms=unknown(),
        kv_ms=unknown(),
        prefill_ms=unknown(),
        interconnect_ms=unknown(),
        host_ms=unknown(),
        flops_per_step=unknown(),
        bytes_per_step=unknown(),
        bounds=[""] * rows,
    )


def _fill(batch: SpeedBatch, inputs: Inputs, steady: Steady, spread: Spread) -> None:
    """Write the answered rows into `batch`."""
    work, rows = inputs.layouts.work, inputs.rows
    step_s = steady.step.total
    tokens_per_s = steady.requests_per_s * inputs.load.output_tokens
    accelerators = work.tensor * work.pipeline
    width = half_width(
        work,
        running=steady.running,
        prefill_share=steady.prefill_share_s / steady.tpot_s,
        slow_group=inputs.slow_group,
        spread=spread,
    )
    step_width = half_width(
        work,
        running=steady.running,
        prefill_share=np.zeros_like(width),
        slow_group=inputs.slow_group,
        spread=spread,
    )
    batch.running[rows] = steady.running
    batch.decode_step_ms[rows] = step_s * 1e3
    batch.tpot_ms[rows] = steady.tpot_s * 1e3
    batch.ttft_ms[rows] = steady.ttft_s * 1e3
    batch.output_tokens_per_s[rows] = tokens_per_s
    batch.output_tokens_per_s_per_user[rows] = 1.0 / steady.tpot_s
    batch.mbu[rows] = steady.bytes_per_step / step_s / (work.bandwidth * accelerators)
    batch.decode_step_low_ms[rows] = step_s * 1e3 * np.exp(-step_width)
    batch.decode_step_high_ms[rows] = step_s * 1e3 * np.exp(step_width)
    batch.tpot_low_ms[rows] = steady.tpot_s * 1e3 * np.exp(-width)
    batch.tpot_high_ms[rows] = steady.tpot_s * 1e3 * np.exp(width)
    batch.output_tokens_per_s_low[rows] = tokens_per_s * np.exp(-width)
    batch.output_tokens_per_s_high[rows] = tokens_per_s * np.exp(width)
    batch.weights_ms[rows] = steady.step.weights * 1e3
    batch.kv_ms[rows] = steady.step.kv * 1e3
    batch.prefill_ms[rows] = steady.prefill_share_s * 1e3
    batch.interconnect_ms[rows] = steady.step.interconnect * 1e3
    batch.host_ms[rows] = steady.step.host * 1e3
    batch.flops_per_step[rows] = steady.flop_per_step
    batch.bytes_per_step[rows] = steady.bytes_per_step
    for row, bound in zip(rows, _bounds(steady), strict=True):
        batch.bounds[int(row)] = bound


def _bounds(steady: Steady) -> list[str]:
    """The largest contributor of a decode step."""
    step = steady.step
    computing = step.compute > step.weight_read
    shares = np.stack(
        [
            step.kv + np.where(computing, 0.0, step.weights),
            np.where(computing, step.weights, 0.0),
            step.interconnect,
            step.host,
        ]
    )
    return [BOUNDS[index] for index in shares.argmax(axis=0)]
