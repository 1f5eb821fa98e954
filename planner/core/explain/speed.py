"""The working behind the speed figures of one row, built only when somebody asks."""

import math

import numpy as np

from planner.core.batch import SpeedBatch
from planner.core.coefficients import FITTED, SOURCE
from planner.core.decode import distinct_experts, sequence_us
from planner.core.inputs import work_of_request
from planner.core.outcome import Term
from planner.core.request import EstimateRequest
from planner.core.units import GB

DIGITS = 4


def terms(request: EstimateRequest, batch: SpeedBatch, row: int) -> list[Term]:
    """Formula, values and source of every speed figure of one row; empty where speed is unknown."""
    if request.workload is None or request.accelerator is None or math.isnan(batch.tpot_ms[row]):
        return []
    return [
        _running(request, batch, row),
        *_experts(request, batch, row),
        _weights(request, batch, row),
        _cache(request, batch, row),
        _interconnect(request, batch, row),
        _host(request, batch, row),
        _prefill(request, batch, row),
        _tpot(batch, row),
        _ttft(request, batch, row),
        _throughput(request, batch, row),
        _mbu(request, batch, row),
    ]


def _term(
    name: str, formula: str, values: dict[str, float | str | None], result: float | np.float64, unit: str
) -> Term:
    rounded = {
        key: round(value, DIGITS) if isinstance(value, float) else value for key, value in values.items()
    }
    return Term(
        term=name,
        formula=formula,
        values=rounded,
        result=round(float(result), DIGITS),
        unit=unit,
        source=SOURCE,
        kind="computed",
    )


def _running(request: EstimateRequest, batch: SpeedBatch, row: int) -> Term:
    assert request.workload is not None
    return _term(
        "running",
        "min(concurrency / replicas, max_num_seqs, cache / bytes of a sequence at the mean context)",
        {
            "concurrency": request.workload.concurrency,
            "replicas": request.parallelism.data,
            "mean_context_tokens": request.workload.input_tokens + request.workload.output_tokens / 2,
        },
        batch.running[row],
        "sequences",
    )


def _experts(request: EstimateRequest, batch: SpeedBatch, row: int) -> list[Term]:
    if request.model.moe is None:
        return []
    experts, chosen = request.model.moe.num_experts, request.model.moe.experts_per_token
    running = float(batch.running[row])
    found = distinct_experts(
        np.array([float(experts)]), np.array([float(chosen)]), batch.running[row : row + 1], FITTED.routing
    )
    return [
        _term(
            "distinct_experts",
            "E × (1 − (1 − k/E)^(sequences^routing))",
            {"E": experts, "k": chosen, "sequences": running, "routing": FITTED.routing},
            found[0],
            "experts per layer",
        )
    ]


def _weights(request: EstimateRequest, batch: SpeedBatch, row: int) -> Term:
    work = work_of_request(request)
    return _term(
        "weights_ms",
        "overlap of (dense + touched experts) / (bandwidth × stream) with 2 × active parameters × sequences / compute",
        {
            "dense_gb": work.dense_bytes / GB,
            "experts_gb": work.expert_bytes / GB,
            "bandwidth_gb_s": work.bandwidth / GB,
            "peak_tflops": work.peak / 1e12 if work.peak_known else None,
            "active_parameters_billion": work.active_params / 1e9,
        },
        batch.weights_ms[row],
        "ms",
    )


def _cache(request: EstimateRequest, batch: SpeedBatch, row: int) -> Term:
    work = work_of_request(request)
    return _term(
        "kv_ms",
        "sequences × cache bytes read per step / (bandwidth × stream)",
        {
            "bytes_per_token": work.kv_bytes_per_token,
            "window_tokens": max(work.window0, work.window1, work.window2),
            "state_bytes": work.state_bytes,
            "stream": FITTED.stream_kv,
        },
        batch.kv_ms[row],
        "ms",
    )


def _interconnect(request: EstimateRequest, batch: SpeedBatch, row: int) -> Term:
    link = request.link
    apart = request.parallelism.expert and request.parallelism.data > 1
    return _term(
        "interconnect_ms",
        "2 × layers × all-reduce(sequences × hidden × 2 B) + (stages − 1) × hop"
        + (" + expert layers × all-reduce(sequences × replicas × hidden × 2 B)" if apart else ""),
        {
            "link": link.kind if link is not None else None,
            "one_way_gb_s": link.bandwidth_gb_s if link is not None else None,
            "tensor": request.parallelism.tensor,
            "stages": request.parallelism.pipeline,
            "layers": request.model.num_layers,
            "hidden": request.model.hidden_size,
        },
        batch.interconnect_ms[row],
        "ms",
    )


def _host(request: EstimateRequest, batch: SpeedBatch, row: int) -> Term:
    work = work_of_request(request)
    return _term(
        "host_ms",
        "layers × launch and ramp + expert layers × routing + sequences × scheduling",
        {
            "layers": work.layers,
            "expert_layers": work.moe_layers,
            "latent_layers": work.latent_layers,
            "sequence_us": float(sequence_us(FITTED)[int(work.engine)]),
        },
        batch.host_ms[row],
        "ms",
    )


def _prefill(request: EstimateRequest, batch: SpeedBatch, row: int) -> Term:
    assert request.workload is not None
    return _term(
        "prefill_ms",
        "share × (sequences − 1) × time of one prompt / output tokens",
        {
            "input_tokens": request.workload.input_tokens,
            "output_tokens": request.workload.output_tokens,
            "sequences": float(batch.running[row]),
        },
        batch.prefill_ms[row],
        "ms",
    )


def _tpot(batch: SpeedBatch, row: int) -> Term:
    names = ("weights_ms", "kv_ms", "prefill_ms", "interconnect_ms", "host_ms")
    return _term(
        "tpot_ms",
        "weights + kv + prefill + interconnect + host",
        {name: float(getattr(batch, name)[row]) for name in names},
        batch.tpot_ms[row],
        "ms",
    )


def _ttft(request: EstimateRequest, batch: SpeedBatch, row: int) -> Term:
    assert request.workload is not None
    return _term(
        "ttft_ms",
        "own prompt + wait behind other prompts + queue while more is asked than runs",
        {"concurrency": request.workload.concurrency, "running": float(batch.running[row])},
        batch.ttft_ms[row],
        "ms",
    )


def _throughput(request: EstimateRequest, batch: SpeedBatch, row: int) -> Term:
    assert request.workload is not None
    return _term(
        "output_tokens_per_s",
        "concurrency × output tokens / (TTFT + (output tokens − 1) × TPOT)",
        {
            "concurrency": request.workload.concurrency,
            "output_tokens": request.workload.output_tokens,
            "ttft_ms": float(batch.ttft_ms[row]),
            "tpot_ms": float(batch.tpot_ms[row]),
        },
        batch.output_tokens_per_s[row],
        "tokens/s",
    )


def _mbu(request: EstimateRequest, batch: SpeedBatch, row: int) -> Term:
    assert request.accelerator is not None
    return _term(
        "mbu",
        "bytes read per step / step / (bandwidth × accelerators of a replica)",
        {
            "bytes_per_step_gb": float(batch.bytes_per_step[row]) / GB,
            "decode_step_ms": float(batch.decode_step_ms[row]),
            "bandwidth_gb_s": request.accelerator.bandwidth_gb_s,
            "accelerators": request.parallelism.tensor * request.parallelism.pipeline,
        },
        batch.mbu[row],
        "share",
    )
