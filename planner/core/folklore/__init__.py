"""Rules of thumb from the field beside the exact result: agreed, contradicted, not applicable, or unknown.

A rule is agreed where the exact figure is within its tolerance of it, which stands in `values`. A source is where the
rule is told, not where it is proved; `UNSOURCED` is passed on without one.
"""

import math

from planner.core.beside import Beside, Case
from planner.core.folklore.speed import rules_of_speed
from planner.core.ruling import UNSOURCED, Ruling, compared, decided, not_applicable, unknown
from planner.core.settings import longest_tokens
from planner.core.units import GIB

VRAM_FORMULA = "https://modal.com/blog/how-much-vram-need-inference"
SAFETY_FACTOR = "https://docs.anyscale.com/llm/serving/gpu-guidance"
CACHE_FORMULA = "http://floreskul.name/posts/llm-memory-math"
SHARE_GUIDE = "https://fridayswithfaraday.com/posts/vllm-v1-configuration-tuning-guide"

USABLE_SHARE = 0.85
RESERVED_SHARE = 0.20
ACTIVATION_SHARES = (0.10, 0.15)
OVERHEAD_FACTOR = 1.2
CACHE_BYTES = 2.0
USUAL_SHARE = 0.9
SAME_SHARE = 0.005


def rules_of_thumb(found: Beside) -> list[Ruling]:
    """Every rule on one plan: memory first, then settings, then speed."""
    plan = found.plan
    if plan.request.accelerator is None or math.isnan(plan.of_memory("total_gib")):
        return []
    return [
        _usable(plan),
        _reserve(plan),
        _activation(plan),
        _parameters(plan),
        _cache_formula(plan),
        _usual_share(plan),
        _length(plan),
        *rules_of_speed(found),
    ]


def _usable(plan: Case) -> Ruling:
    """85 % of the card may be used: against what this engine really shares out."""
    code, total = "usable_memory_85", plan.of_memory("total_gib")
    if plan.request.engine.values["budget"] == "whole_context":
        return not_applicable(code, source=SAFETY_FACTOR, engine=plan.request.engine.name)
    cache = max(plan.of_memory("kv_cache_gib"), 0.0)
    exact = plan.of_memory("budget_gib")
    if plan.request.engine.values["budget"] != "share_of_total":
        exact = plan.of_memory("weights_gib") + plan.of_memory("activation_gib") + cache
    rule = USABLE_SHARE * total
    per_token = plan.of_memory("kv_bytes_per_token")
    tokens = abs(exact - rule) * GIB / per_token if per_token > 0 else math.nan
    return compared(
        code, rule, exact, unit="GiB", tolerance=0.03, source=SAFETY_FACTOR, total_gib=total, tokens=tokens
    )


def _reserve(plan: Case) -> Ruling:
    """A fifth of the card goes to other things than weights and cache: against what does."""
    code, total = "reserve_20", plan.of_memory("total_gib")
    if plan.request.engine.values["budget"] == "whole_context" or not plan.fits:
        return not_applicable(code, source=VRAM_FORMULA, engine=plan.request.engine.name)
    other = total - plan.of_memory("weights_gib") - plan.of_memory("kv_cache_gib")
    return compared(
        code,
        RESERVED_SHARE * total,
        other,
        unit="GiB",
        tolerance=0.25,
        source=VRAM_FORMULA,
        percent=100 * other / total,
    )


def _activation(plan: Case) -> Ruling:
    """Activations take 10-15 % of the weights: they follow batched tokens and vocabulary instead."""
    weights, exact = plan.of_memory("weights_gib"), plan.of_memory("activation_gib")
    rule = (ACTIVATION_SHARES[0] * weights, ACTIVATION_SHARES[1] * weights)
    return compared(
        "activation_of_weights",
        rule,
        exact,
        unit="GiB",
        tolerance=0.1,
        source=UNSOURCED,
        percent=100 * exact / weights if weights else math.nan,
        batched_tokens=plan.of_memory("max_num_batched_tokens"),
    )


def _parameters(plan: Case) -> Ruling:
    """Parameters x bits x 1.2 is all that is needed: against weights, overheads and the cache of this load."""
    code, request = "parameters_times_bits", plan.request
    model = request.model
    count = (
        model.embedding_params
        + model.lm_head_params
        + model.routed_params
        + model.linear_params
        + model.router_params
        + model.other_params
        + model.vision_params
    )
    ranks = request.parallelism.tensor * request.parallelism.pipeline
    rule = count * request.scheme.bytes_per_weight * OVERHEAD_FACTOR / GIB
    running = plan.of_speed("running")
    if request.workload is None or math.isnan(running):
        return unknown(code, rule, unit="GiB", source=VRAM_FORMULA)
    workload = request.workload
    parts = ("weights_gib", "activation_gib", "non_torch_gib", "cuda_graph_gib")
    cache = running * plan.sequence_gib(workload.input_tokens + workload.output_tokens / 2)
    exact = ranks * (sum(plan.of_memory(name) for name in parts) + cache)
    return compared(
        code, rule, exact, unit="GiB", tolerance=0.1, source=VRAM_FORMULA, cache_gib=ranks * cache
    )


def _cache_formula(plan: Case) -> Ruling:
    """2 x layers x hidden x 2 bytes for each token: true where every head has keys and values of its own."""
    model, degrees = plan.request.model, plan.request.parallelism
    rule = 2.0 * model.num_layers * model.hidden_size * CACHE_BYTES / (degrees.tensor * degrees.pipeline)
    exact = plan.of_memory("kv_bytes_per_token")
    ratio = rule / exact if exact > 0 else math.nan
    return compared(
        "cache_of_hidden_size",
        rule,
        exact,
        unit="B",
        tolerance=0.05,
        source=CACHE_FORMULA,
        ratio=ratio,
        kv_heads=model.num_kv_heads,
        heads=model.num_attention_heads,
    )


def _usual_share(plan: Case) -> Ruling:
    """Always 0.9: against the share in force, and what the difference holds."""
    code, request = "share_always_90", plan.request
    if request.engine.values["budget"] != "share_of_total":
        return not_applicable(code, source=SHARE_GUIDE, engine=request.engine.name)
    share, total = plan.of_memory("gpu_memory_utilization"), plan.of_memory("total_gib")
    per_token = plan.of_memory("kv_bytes_per_token")
    gib = abs(share - USUAL_SHARE) * total
    return decided(
        code,
        USUAL_SHARE,
        share,
        agreed=math.isclose(share, USUAL_SHARE, rel_tol=SAME_SHARE) and plan.fits,
        unit="share",
        tolerance=SAME_SHARE,
        source=SHARE_GUIDE,
        gib=gib,
        tokens=gib * GIB / per_token if per_token > 0 else math.nan,
        version=request.engine.version,
    )


def _length(plan: Case) -> Ruling:
    """1.2 x P99: needs a P99, and a model that is long enough."""
    code, workload = "length_12_p99", plan.request.workload
    if workload is None or workload.longest_tokens is None:
        return unknown(code, source=UNSOURCED)
    longest, limit = longest_tokens(workload), plan.request.model.max_position_embeddings
    rule, exact = 1.2 * longest, plan.of_memory("max_model_len")
    return decided(
        code,
        rule,
        exact,
        agreed=longest <= exact and rule <= limit,
        unit="tokens",
        tolerance=0.0,
        source=UNSOURCED,
        longest=float(longest),
        limit=float(limit),
    )
