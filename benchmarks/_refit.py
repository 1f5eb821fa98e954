"""Fit the coefficients of the speed model: robust least squares in logarithms, pulled towards physical priors.

Plain NumPy, because the product itself needs no solver.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from planner.core.coefficients import Coefficients

FloatArray = NDArray[np.float64]

# (prior, relative standard deviation). Stream and cache shares: copy kernels and GEMV on large matrices reach
# 0.75-0.90 of the datasheet; layer times: 8-12 kernels of 4-6 us; compute: measured matrix multiplication.
PRIORS = {
    "stream_dense": (0.85, 0.08),
    "stream_fp8": (0.79, 0.06),
    "stream_fp4": (0.70, 0.12),
    "stream_int4": (0.80, 0.12),
    "stream_gguf": (0.86, 0.015),
    "stream_kv": (0.88, 0.05),
    "stream_shared_fabric": (1.02, 0.02),
    "gguf_on_stacked_memory": (0.65, 0.20),
    "compute_16bit": (0.60, 0.20),
    "compute_8bit": (0.55, 0.10),
    "compute_4bit": (0.40, 0.15),
    "compute_weight_only": (0.80, 0.20),
    "moe_compute": (0.50, 0.15),
    "gguf_decode_compute": (0.12, 0.40),
    "shader_decode_compute": (0.20, 0.12),
    "layer_us_vllm": (48.0, 0.15),
    "layer_us_sglang": (48.0, 0.15),
    "layer_us_tensorrt_llm": (48.0, 0.15),
    "layer_us_gguf": (50.0, 0.06),
    "layer_gguf_on_stacked_memory": (1.30, 0.25),
    "layer_gguf_on_shaders": (2.5, 0.10),
    "moe_layer_us": (30.0, 0.25),
    "moe_native_fp4": (0.70, 0.50),
    "moe_weight_only_us": (20.0, 0.40),
    "latent_layer_us": (12.0, 0.40),
    "indexer_layer_us": (40.0, 0.40),
    "sequence_us": (20.0, 0.25),
    "sequence_us_tensorrt_llm": (10.0, 0.25),
    "routing": (0.95, 0.08),
    "expert_imbalance": (0.20, 0.40),
    "collective": (1.10, 0.15),
    "overlap": (2.0, 0.15),
    "prefill_share": (0.80, 0.12),
    "prefill_share_prefill_first": (0.70, 0.12),
}
# A miss larger than this counts by its size, not its square
ROBUST_AT = 0.10
# Records of one layout share their error: together they weigh like the root of their number, and so do sources
PRIOR_WEIGHT = 3.0
ITERATIONS = 25
STEP = 1e-3


def weights_of(layouts: Sequence[object], sources: Sequence[str]) -> FloatArray:
    """Weight per record, mean 1: large groups of the same layout or source count less than their number."""
    per_layout = {key: layouts.count(key) for key in set(layouts)}
    weight = np.array([per_layout[key] ** -0.5 for key in layouts])
    for source in set(sources):
        chosen = np.array([item == source for item in sources])
        weight[chosen] *= weight[chosen].sum() ** -0.3
    return np.asarray(weight / weight.mean(), dtype=np.float64)


def fit(
    errors: Callable[[Coefficients], FloatArray], weight: FloatArray, start: Coefficients
) -> Coefficients:
    """Coefficients that make `errors` (log predicted / measured per record) small, by damped Gauss-Newton steps."""
    names = list(PRIORS)
    prior = np.log([PRIORS[name][0] for name in names])
    tightness = PRIOR_WEIGHT / np.array([PRIORS[name][1] for name in names])

    def made(at: FloatArray) -> Coefficients:
        return replace(start, **{name: float(np.exp(value)) for name, value in zip(names, at, strict=True)})

    def residuals(at: FloatArray) -> FloatArray:
        error = errors(made(at)) / ROBUST_AT
        softened = np.sign(error) * np.sqrt(2.0 * (np.sqrt(1.0 + error**2) - 1.0))
        return np.concatenate([softened * np.sqrt(weight), (at - prior) * tightness])

    at = prior.copy()
    damping = 1.0
    now = residuals(at)
    for _ in range(ITERATIONS):
        slope = np.stack([(residuals(at + STEP * unit) - now) / STEP for unit in np.eye(len(at))], axis=1)
        curvature = slope.T @ slope
        move = -np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), slope.T @ now)
        after = residuals(at + move)
        better = float(after @ after) < float(now @ now)
        gain = float(now @ now) - float(after @ after)
        damping = max(1e-6, damping / 5) if better else damping * 5
        if better:
            at, now = at + move, after
            if gain < 1e-3:
                break
    return made(at)
