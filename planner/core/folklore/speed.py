"""Rules of thumb about speed and spreading, each against this plan and its variants."""

import math

from planner.core.beside import SIXTEEN_BIT_BYTES, START_SEQUENCES, Beside, Case
from planner.core.ruling import UNSOURCED, Ruling, compared, decided, not_applicable, unknown
from planner.core.units import GIB

NAPKIN = "https://kubis.ai/blog/dgx_series/appendix_b_bandwidth_formula"
NARROW_GAIN = "https://www.divergentcompute.com/first-principles-latency"
SPREADING = "https://www.mintlify.com/vllm-project/vllm/serving/distributed-serving"

MBU_RANGE = (0.3, 0.5)
WIDEST_GROUP = 4
NARROW_SPEEDUP = 4.0
DOUBLING = 2.0
# A gain below this is not worth the cards or the trouble.
WORTH = 1.1
WORTH_OF_DOUBLING = 1.15


def rules_of_speed(found: Beside) -> list[Ruling]:
    """Rules that need the speed of this plan; without one they are unknown."""
    return [
        _efficiency(found.plan),
        _bandwidth_over_weights(found),
        _narrow_is_four_times(found),
        _cache_first(found),
        _start_at_eight(found),
        _widest_group(found),
        _doubling(found),
        _stages(found),
    ]


def _efficiency(plan: Case) -> Ruling:
    """Decode reaches 0.3-0.5 of bandwidth: a share of its own for each model, batch and card."""
    return compared(
        "efficiency_30_50",
        MBU_RANGE,
        plan.of_speed("mbu"),
        unit="share",
        tolerance=0.05,
        source=UNSOURCED,
        bound=plan.speed.bounds[plan.row],
    )


def _bandwidth_over_weights(found: Beside) -> Ruling:
    """Tokens/s of one stream = bandwidth / bytes of the weights: leaves out layers, cache and the kernel's share."""
    code, plan = "bandwidth_over_weights", found.plan
    alone = found.running("alone") or plan
    card = plan.request.accelerator
    weights = plan.of_memory("weights_gib") * GIB
    if plan.request.model.moe is not None:
        return not_applicable(code, source=NAPKIN, reason="moe")
    if card is None or card.bandwidth_gb_s is None or not weights > 0:
        return unknown(code, source=NAPKIN)
    rule = card.bandwidth_gb_s * 1e9 / weights
    return compared(
        code,
        rule,
        alone.of_speed("output_tokens_per_s_per_user"),
        unit="tokens/s",
        tolerance=0.15,
        source=NAPKIN,
    )


def _narrow_is_four_times(found: Beside) -> Ruling:
    """4-bit weights are four times as fast as 16-bit ones: against the throughput of both at this load."""
    code, stored = "int4_four_times", found.plan.request.scheme.bytes_per_weight
    wide: Case | None
    narrow: Case | None
    if stored >= SIXTEEN_BIT_BYTES:
        wide, narrow = found.plan, found.running("narrow")
    elif stored < 1.0:
        wide, narrow = found.running("wide"), found.plan
    else:
        wide, narrow = found.running("wide"), found.running("narrow")
    if wide is None or narrow is None:
        return not_applicable(code, source=NARROW_GAIN)
    ratio = narrow.of_speed("output_tokens_per_s") / wide.of_speed("output_tokens_per_s")
    return compared(
        code,
        NARROW_SPEEDUP,
        ratio,
        unit="x",
        tolerance=0.25,
        source=NARROW_GAIN,
        running=found.plan.of_speed("running"),
    )


def _cache_first(found: Beside) -> Ruling:
    """Quantize the cache before the weights: against the cache tokens that each of the two adds."""
    code, plan = "cache_before_weights", found.plan
    cache, weights = found.variants.get("narrow_cache"), found.variants.get("narrow")
    if cache is None or weights is None or not (cache.fits or weights.fits):
        return not_applicable(code, source=UNSOURCED)
    now = plan.of_memory("kv_cache_tokens") if plan.fits else 0.0
    by_cache = max(cache.of_memory("kv_cache_tokens") if cache.fits else 0.0, 0.0) - now
    by_weights = max(weights.of_memory("kv_cache_tokens") if weights.fits else 0.0, 0.0) - now
    return decided(
        code,
        by_cache,
        by_weights,
        agreed=by_cache >= by_weights,
        unit="tokens",
        tolerance=0.0,
        source=UNSOURCED,
        dtype=cache.request.kv_cache_dtype,
        scheme=weights.request.scheme.id,
    )


def _start_at_eight(found: Beside) -> Ruling:
    """max_num_seqs 8 to begin with: against the throughput of all that may run."""
    code, plan, eight = "start_at_8", found.plan, found.running("eight")
    running, speed = plan.of_speed("running"), plan.of_speed("output_tokens_per_s")
    if math.isnan(running):
        return unknown(code, float(START_SEQUENCES), unit="sequences", source=UNSOURCED)
    if eight is None or running <= START_SEQUENCES:
        return not_applicable(code, source=UNSOURCED, running=running)
    small = eight.of_speed("output_tokens_per_s")
    limit = plan.request.targets.mean_limit("tpot_ms") if plan.request.targets else None
    too_slow = limit is not None and eight.of_speed("tpot_ms") <= limit < plan.of_speed("tpot_ms")
    return decided(
        code,
        float(START_SEQUENCES),
        running,
        agreed=too_slow or speed < WORTH * small,
        unit="sequences",
        tolerance=WORTH - 1,
        source=UNSOURCED,
        percent=100 * (speed / small - 1),
        tokens_per_s=small,
        all_tokens_per_s=speed,
    )


def _widest_group(found: Beside) -> Ruling:
    """No tensor group above 4: against what 8 gain over 4 on this link."""
    code, tensor = "tensor_at_most_4", found.plan.request.parallelism.tensor
    if tensor == 1:
        return not_applicable(code, source=UNSOURCED, tensor=tensor)
    four = found.plan if tensor == WIDEST_GROUP else found.running("tensor_4")
    eight = found.plan if tensor == 2 * WIDEST_GROUP else found.running("tensor_8")
    if four is None or eight is None:
        return unknown(code, unit="x", source=UNSOURCED)
    gain = eight.of_speed("output_tokens_per_s") / four.of_speed("output_tokens_per_s")
    link = found.plan.request.link
    return decided(
        code,
        None,
        gain,
        agreed=gain < WORTH_OF_DOUBLING,
        unit="x",
        tolerance=WORTH_OF_DOUBLING - 1,
        source=UNSOURCED,
        link=link.kind if link is not None else "none",
        worth=WORTH_OF_DOUBLING,
        percent=100 * four.of_speed("interconnect_ms") / four.of_speed("tpot_ms"),
    )


def _doubling(found: Beside) -> Ruling:
    """Twice the cards in a tensor group is twice the speed: against the throughput of both at this load."""
    code, tensor = "tensor_doubles_speed", found.plan.request.parallelism.tensor
    one, two = (found.plan, found.running("double")) if tensor == 1 else (found.running("half"), found.plan)
    if one is None or two is None or math.isnan(found.plan.of_speed("tpot_ms")):
        return not_applicable(code, source=SPREADING, tensor=tensor)
    smaller = one.request.parallelism.tensor
    return compared(
        code,
        DOUBLING,
        two.of_speed("output_tokens_per_s") / one.of_speed("output_tokens_per_s"),
        unit="x",
        tolerance=0.1,
        source=SPREADING,
        smaller=smaller,
        larger=2 * smaller,
    )


def _stages(found: Beside) -> Ruling:
    """A pipeline is of no use in decode: true of one stream's latency, not always of throughput."""
    code, plan = "pipeline_unusable", found.plan
    stages = found.running("stages")
    if plan.request.parallelism.tensor == 1 or stages is None or math.isnan(plan.of_speed("tpot_ms")):
        return not_applicable(code, source=SPREADING)
    throughput = stages.of_speed("output_tokens_per_s") / plan.of_speed("output_tokens_per_s")
    return decided(
        code,
        None,
        throughput,
        agreed=throughput < 1 / WORTH,
        unit="x",
        tolerance=WORTH - 1,
        source=SPREADING,
        stages_ms=stages.of_speed("tpot_ms"),
        tensor_ms=plan.of_speed("tpot_ms"),
        percent=100 * (throughput - 1),
    )
