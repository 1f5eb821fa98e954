"""Time of one pass of a model over a batch: decode tokens, with or without a piece of a prompt beside them."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from planner.core.batch import FloatArray
from planner.core.coefficients import Coefficients
from planner.core.links import EAGER_FLOOR_US, STAGE_HOP_US, collective_seconds
from planner.core.work import ENGINES, KERNELS, Work

GGUF_ENGINE = float(ENGINES.index("llama.cpp"))
PREFILL_FIRST_ENGINE = float(ENGINES.index("sglang"))
ACTIVATION_BYTES = 2.0


@dataclass(slots=True)
class Wire:
    """All-reduce of one group per row, as `links.Collective`: `log_us` (n, 6), the others (n,)."""

    log_us: FloatArray
    size_scale: FloatArray
    extra_us: FloatArray

    def at(self, rows: NDArray[np.intp]) -> "Wire":
        """Some of the rows."""
        return Wire(self.log_us[rows], self.size_scale[rows], self.extra_us[rows])

    def seconds(self, size: FloatArray, more_us: FloatArray) -> FloatArray:
        """Of an all-reduce of `size` bytes per rank, and `more_us` beside it; 0 where there is no group."""
        return collective_seconds(self.log_us, self.size_scale, self.extra_us + more_us, size)


@dataclass(slots=True)
class Layouts:
    """Columns of `Work` with the rates that coefficients give them; shape (n,) each."""

    work: Work[FloatArray]
    group: Wire  # of the tensor group
    experts: Wire  # of all ranks that share out whole experts, where they are more than a tensor group
    is_gguf: NDArray[np.bool_]
    weight_rate: FloatArray  # bytes/s of one rank
    kv_rate: FloatArray
    decode_compute: FloatArray  # FLOP/s of one rank
    prefill_compute: FloatArray
    attention_compute: FloatArray
    host_s: FloatArray  # per pass
    sequence_s: FloatArray  # per running sequence

    def at(self, rows: NDArray[np.intp]) -> "Layouts":
        """Some of the rows."""
        rest = [getattr(self, item.name) for item in fields(self)[3:]]
        return Layouts(
            Work(*(column[rows] for column in self.work)),
            self.group.at(rows),
            self.experts.at(rows),
            *(column[rows] for column in rest),
        )


@dataclass(slots=True)
class Pass:
    """Seconds of one pass, by cause; `weights` holds what is longer, reading or computing, overlapped."""

    weights: FloatArray
    kv: FloatArray
    interconnect: FloatArray
    host: FloatArray
    weight_read: FloatArray  # of `weights`, had compute been free
    compute: FloatArray
    bytes_read: FloatArray  # weights and cache, one rank

    @property
    def total(self) -> FloatArray:
        """Seconds of the pass."""
        return self.weights + self.kv + self.interconnect + self.host

    def scaled(self, factor: FloatArray) -> "Pass":
        """The same work in `factor` times the time."""
        return Pass(
            weights=self.weights * factor,
            kv=self.kv * factor,
            interconnect=self.interconnect * factor,
            host=self.host * factor,
            weight_read=self.weight_read * factor,
            compute=self.compute * factor,
            bytes_read=self.bytes_read,
        )


def layouts_of(work: Work[FloatArray], *, group: Wire, experts: Wire, c: Coefficients) -> Layouts:
    """Rates of every layout: datasheet figures times the efficiencies of kernel, memory and compute type."""
    is_gguf = work.engine == GGUF_ENGINE
    return Layouts(
        work=work,
        group=group,
        experts=experts,
        is_gguf=is_gguf,
        weight_rate=work.bandwidth * _stream(work, is_gguf, c),
        kv_rate=work.bandwidth * c.stream_kv * _fabric(work, c),
        decode_compute=work.peak * _decode_compute(work, is_gguf, c),
        prefill_compute=work.peak * _prefill_compute(work, is_gguf, c),
        attention_compute=work.peak_16bit * c.compute_attention,
        host_s=_host(work, is_gguf, c) * 1e-6,
        sequence_s=sequence_us(c)[work.engine.astype(np.intp)] * 1e-6,
    )


def sequence_us(c: Coefficients) -> FloatArray:
    """Microseconds per running sequence and step, in the order of ENGINES."""
    return np.array([c.sequence_us, c.sequence_us, c.sequence_us_tensorrt_llm, 0.0])


def _fabric(work: Work[FloatArray], c: Coefficients) -> FloatArray:
    cores = np.where(work.cpu > 1, c.stream_two_sockets, c.stream_cpu)
    return np.where(work.shared_fabric > 0, c.stream_shared_fabric, np.where(work.cpu > 0, cores, 1.0))


def _stream(work: Work[FloatArray], is_gguf: NDArray[np.bool_], c: Coefficients) -> FloatArray:
    by_kernel = {
        "dense": c.stream_dense,
        "fp8": c.stream_fp8,
        "fp4": c.stream_fp4,
        "int4": c.stream_int4,
        "gguf": c.stream_gguf,
        "nf4": c.stream_nf4,
    }
    table = np.array([by_kernel[name] for name in KERNELS])
    stacked = np.where(is_gguf & (work.stacked_memory > 0), c.gguf_on_stacked_memory, 1.0)
    return table[work.kernel.astype(np.intp)] * _fabric(work, c) * stacked


def _compute(work: Work[FloatArray], c: Coefficients) -> FloatArray:
    table = np.array([c.compute_16bit, c.compute_8bit, c.compute_4bit])
    share = table[work.compute.astype(np.intp)]
    share = share * np.where(work.weight_only > 0, c.compute_weight_only, 1.0)
    share = share * np.where(work.measured_class > 0, 1.0, c.compute_elsewhere)
    return np.asarray(share * np.where(work.moe_layers > 0, c.moe_compute, 1.0), dtype=np.float64)


def _decode_compute(work: Work[FloatArray], is_gguf: NDArray[np.bool_], c: Coefficients) -> FloatArray:
    gguf = np.where(work.shader_peak > 0, c.shader_decode_compute, c.gguf_decode_compute)
    return np.where(is_gguf, gguf, _compute(work, c))


def _prefill_compute(work: Work[FloatArray], is_gguf: NDArray[np.bool_], c: Coefficients) -> FloatArray:
    gguf = np.where(work.shader_peak > 0, c.shader_prefill_compute, c.gguf_prefill_compute)
    gguf = gguf * np.where(work.moe_layers > 0, c.moe_compute, 1.0)
    return np.where(is_gguf, gguf, _compute(work, c))


def _host(work: Work[FloatArray], is_gguf: NDArray[np.bool_], c: Coefficients) -> FloatArray:
    """Microseconds of a pass that neither bandwidth nor compute explain."""
    table = np.array([c.layer_us_vllm, c.layer_us_sglang, c.layer_us_tensorrt_llm, c.layer_us_gguf])
    layer = table[work.engine.astype(np.intp)]
    layer = layer * np.where(is_gguf & (work.stacked_memory > 0), c.layer_gguf_on_stacked_memory, 1.0)
    layer = layer * np.where(is_gguf & (work.shader_peak > 0), c.layer_gguf_on_shaders, 1.0)
    unpacking = np.where((work.weight_only > 0) & ~is_gguf, c.moe_weight_only_us, 0.0)
    expert_layer = c.moe_layer_us * np.where(work.native_fp4 > 0, c.moe_native_fp4, 1.0) + unpacking
    total = work.layers * layer + work.moe_layers * expert_layer
    total = total + work.latent_layers * c.latent_layer_us + work.indexer_layers * c.indexer_layer_us
    total = total * np.where((work.eager > 0) & ~is_gguf, c.layer_eager, 1.0)
    return np.asarray(total, dtype=np.float64)


def distinct_experts(
    experts: FloatArray, chosen: FloatArray, tokens: FloatArray, routing: float
) -> FloatArray:
    """Expected number of different experts that `tokens` tokens touch in one layer.

    E (1 - (1 - k/E)^n) for n independent choices; tokens of real text agree more, which `routing` < 1 expresses.
    """
    if np.all(experts == chosen):
        return experts  # each is met by every token: dense models count as one expert
    return experts * (1.0 - (1.0 - chosen / experts) ** tokens**routing)


def run_pass(
    layouts: Layouts,
    c: Coefficients,
    *,
    sequences: FloatArray,
    context: FloatArray,
    prompt_tokens: FloatArray,
) -> Pass:
    """One pass over `sequences` decoding at a mean `context`, with `prompt_tokens` of new prompts beside them.

    Attention of the prompt itself is not in here: it depends on the prompt's length, see `steady`.
    """
    work = layouts.work
    tokens = sequences + prompt_tokens
    seen = tokens * np.where(work.expert_ranks > work.tensor, work.data, 1.0)
    touched = distinct_experts(work.experts, work.experts_per_token, seen, c.routing) / work.experts
    spread = np.where(work.expert_ranks > 1, np.minimum(1.0 + c.expert_imbalance, 1.0 / touched), 1.0)
    weight_bytes = work.dense_bytes + work.expert_bytes * touched * spread
    weight_read = weight_bytes / layouts.weight_rate
    rate = np.where(prompt_tokens > 0, layouts.prefill_compute, layouts.decode_compute)
    # A vector kernel multiplies one token while it waits for memory: its stream share holds that already
    free = np.where(layouts.is_gguf & (work.shader_peak == 0.0) & (prompt_tokens == 0.0), 1.0, 0.0)
    compute = 2.0 * (tokens - free) * work.active_params / work.tensor / rate
    kv_bytes = sequences * cache_bytes(work, context)
    kv_read = kv_bytes / layouts.kv_rate
    kv_compute = sequences * work.attention_flop * context / work.tensor / layouts.attention_compute
    return Pass(
        weights=overlapped(weight_read, compute, c.overlap),
        kv=np.maximum(kv_read, kv_compute),
        interconnect=_interconnect(layouts, c, tokens) + _dispatch(layouts, c, seen),
        host=layouts.host_s + sequences * layouts.sequence_s,
        weight_read=weight_read,
        compute=compute,
        bytes_read=weight_bytes + kv_bytes,
    )


def overlapped(first: FloatArray, second: FloatArray, power: float) -> FloatArray:
    """Time of two activities that partly overlap: between the longer of them and their sum."""
    long = np.maximum(first, second)
    short = np.minimum(first, second)
    return long * (1.0 + (short / long) ** power) ** (1.0 / power)


def cache_bytes(work: Work[FloatArray], context: FloatArray) -> FloatArray:
    """Cache bytes that one sequence makes one rank read in a step."""
    windowed = (
        np.minimum(context, work.window0) * work.window_bytes0
        + np.minimum(context, work.window1) * work.window_bytes1
        + np.minimum(context, work.window2) * work.window_bytes2
    )
    return work.kv_bytes_per_token * context + windowed + work.state_bytes


def _interconnect(layouts: Layouts, c: Coefficients, tokens: FloatArray) -> FloatArray:
    """Two all-reduces per layer in the tensor group, and the way from stage to stage."""
    work = layouts.work
    each = layouts.group.seconds(tokens * work.hidden * ACTIVATION_BYTES, _eager_us(work)) * c.collective
    return 2.0 * work.layers * each + (work.pipeline - 1.0) * STAGE_HOP_US * 1e-6


def _dispatch(layouts: Layouts, c: Coefficients, seen: FloatArray) -> FloatArray:
    """The way of all replicas' tokens to the ranks that hold their experts and back, in every expert layer.

    Gathering all tokens and scattering the sums moves what one all-reduce over those ranks moves. Where experts are
    shared out within a tensor group, its own all-reduce holds that already.
    """
    work = layouts.work
    apart = np.flatnonzero(work.expert_ranks > work.tensor)
    found = np.zeros_like(seen)
    if len(apart):
        size = (seen * work.hidden * ACTIVATION_BYTES)[apart]
        each = layouts.experts.at(apart).seconds(size, _eager_us(work)[apart]) * c.collective
        found[apart] = work.moe_layers[apart] * each
    return found


def _eager_us(work: Work[FloatArray]) -> FloatArray:
    return np.where(work.eager > 0, EAGER_FLOOR_US, 0.0)
