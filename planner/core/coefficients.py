"""Coefficients of the speed model: few, each with a cause, none tied to a product.

Fitted on public measurements (benchmarks/accuracy.py refits them), pulled towards a physical prior where data are
thin. Changing one here changes every prediction; the benchmark says by how much.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """Efficiencies are shares of the datasheet figure; times are in microseconds."""

    # Share of datasheet bandwidth at which kernels stream weights, by kernel
    stream_dense: float = 0.842
    stream_fp8: float = 0.779
    stream_fp4: float = 0.781
    stream_int4: float = 0.777
    stream_gguf: float = 0.843
    # Codebook lookups instead of shifts: measured about half of the other 4-bit kernels
    stream_nf4: float = 0.37
    stream_kv: float = 0.875
    # Memory shared with a CPU through a system-level cache; what its GPUs lack is in the time per layer
    stream_shared_fabric: float = 1.014
    # CPU cores saturate a smaller share of their channels than a GPU does
    stream_cpu: float = 0.8
    # Half of the weights lies behind the link to the other socket: machines left to themselves decoded at 0.15 to
    # 0.41 of both sockets' bandwidth, one whose pages were placed by hand at 0.74
    stream_two_sockets: float = 0.4
    # Matrix-vector kernels written for GDDR do not keep enough bytes in flight for stacked memory
    gguf_on_stacked_memory: float = 0.622

    # Share of dense peak in matrix multiplication, by compute type; mixture of experts multiplies by moe_compute
    compute_16bit: float = 0.667
    compute_8bit: float = 0.518
    compute_4bit: float = 0.422
    compute_attention: float = 0.5
    # Weights unpacked to 16 bit on the way into the matrix units
    compute_weight_only: float = 0.751
    moe_compute: float = 0.469
    # Measured matrix multiplication reaches less of its datasheet on parts without CUDA: 0.51-0.74 against 0.75-0.90
    compute_elsewhere: float = 0.75
    # llama.cpp: vector kernels of small batches, matrix kernels of prompts, and the same against a shader peak
    gguf_decode_compute: float = 0.086
    shader_decode_compute: float = 0.190
    gguf_prefill_compute: float = 0.3
    shader_prefill_compute: float = 0.6

    # Launch, ramp and tail of the kernels of one layer, whatever it reads
    layer_us_vllm: float = 47.8
    layer_us_sglang: float = 50.8
    layer_us_tensorrt_llm: float = 44.8
    layer_us_gguf: float = 55.2
    layer_gguf_on_stacked_memory: float = 1.74
    # Command buffers are encoded anew for every token where there are no graphs to replay
    layer_gguf_on_shaders: float = 2.61
    # Without CUDA graphs every kernel is launched from Python
    layer_eager: float = 5.5
    # Routing, dispatch and grouped kernels of an expert layer; weight-only kernels add unpacking
    moe_layer_us: float = 38.2
    moe_native_fp4: float = 0.352
    moe_weight_only_us: float = 20.1
    # Extra kernels of a latent-attention layer, and of an indexer that selects tokens
    latent_layer_us: float = 15.1
    indexer_layer_us: float = 52.5
    # Scheduler, sampler and detokenizer per running sequence; in Python, and in a C++ runtime that overlaps them
    sequence_us: float = 18.3
    sequence_us_tensorrt_llm: float = 10.5

    # Tokens choose experts alike: B sequences touch as many as B ** routing would if they chose at random
    routing: float = 0.903
    # The busiest rank holds more of the chosen experts than the mean rank
    expert_imbalance: float = 0.178
    # Measured all-reduce loops run alone; inside a step they wait for the slowest rank
    collective: float = 1.114
    # Memory and compute overlap: 1 adds them, infinity takes the longer
    overlap: float = 1.695
    # Stages of a filled pipeline wait for each other even where they are equal: share of a step per further stage
    pipeline_bubble: float = 0.03
    # Share of the others' prefill that falls between a request's own tokens; the rest delays its first token
    prefill_share: float = 0.845
    prefill_share_prefill_first: float = 0.666


FITTED = Coefficients()
SOURCE = "fitted on public measurements"
