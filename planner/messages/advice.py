"""Words for both sides of each choice. Placeholders are the values that come with a code."""

from typing import Any

from django.utils.translation import gettext_lazy as _

TRADES: dict[str, Any] = {
    "longest_above_max_model_len": _(
        "The longest requests (P99) need {tokens} tokens and max_model_len is {max_model_len}: those are refused."
    ),
    "wide_weights": _(
        "16-bit weights keep full accuracy and take {gib} GiB per card. {scheme} would take {narrow_gib} GiB and change "
        "throughput here by {percent} percent; it costs a little accuracy, more on small models, code and maths."
    ),
    "wide_weights_unmeasured": _(
        "16-bit weights keep full accuracy and take {gib} GiB per card. {scheme} would take {narrow_gib} GiB; it costs a "
        "little accuracy, more on small models, code and maths."
    ),
    "eight_bit_float_weights": _(
        "FP8 weights and activations were found lossless at every size tested; 4-bit weights would halve them again and "
        "need a test on your own tasks."
    ),
    "eight_bit_weights": _(
        "Well-tuned 8-bit integers lose 1–3 percent in tests. FP8 loses less where the card computes it; 4-bit weights "
        "would halve the bytes and need a test on your own tasks."
    ),
    "four_bit_weights": _(
        "{scheme} comes close to 8 bits in tests of large models such as this one ({billion} billion weights). Test code, "
        "maths and long reasoning on your own tasks: they lose first."
    ),
    "four_bit_weights_small_model": _(
        "{scheme} on {billion} billion weights: small models lose more by 4 bits than large ones. Test it on your own "
        "tasks, or take 8 bits where memory allows."
    ),
    "format_not_published": _(
        "No {scheme} release of {model} that this engine reads is known here: these {gib} GiB would be yours to quantize "
        "and to test. Ask for the published formats alone to see what they give."
    ),
    "layer_groups_wide_ends": _(
        "Embeddings and head stay wide: {wide_gib} GiB, {percent} percent of these weights. Feed-forward matrices are "
        "{middle_percent} percent of what is narrowed: that is where few bits pay. With a large vocabulary, narrow embeddings "
        "save more and were found to cost little."
    ),
    "layer_groups_mixed": _(
        "This GGUF type mixes widths: embeddings and head take {wide_gib} GiB, {percent} percent, and sensitive matrices get "
        "more bits. Feed-forward matrices are {middle_percent} percent of the rest. One width for all (--pure) is smaller and worse."
    ),
    "cache_first": _(
        "More room: quantize the KV cache first. {dtype} adds {cache_tokens} tokens, {scheme} weights {weight_tokens}. "
        "The cache is {kv_percent} percent of the time per token, so {dtype} changes throughput by {percent} percent; "
        "without calibrated scales it can cost accuracy."
    ),
    "weights_first": _(
        "More room: quantize the weights first. {scheme} adds {weight_tokens} tokens of cache, {dtype} {cache_tokens}. "
        "The cache is {kv_percent} percent of the time per token, so {dtype} alone changes throughput by {percent} percent."
    ),
    "narrow_cache_gain": _(
        "A KV cache in {dtype} would hold {cache_tokens} tokens more and change throughput by {percent} percent: it is "
        "{kv_percent} percent of the time per token. Without calibrated scales it can cost accuracy."
    ),
    "cache_scales": _(
        "{dtype}: without calibration every scale is 1.0. Static scales from your own texts, one per head where the attention "
        "backend takes them, cost one calibration run and lose least; scales found on the fly cost nothing and vary."
    ),
    "cache_keys_before_values": _(
        "{dtype}: keys have outliers by channel and suffer first. Keep keys at 8 bits and narrow values, rather than both."
    ),
    "cache_long_context": _(
        "A quantized cache and requests of {tokens} tokens: errors add up over long contexts, and one report saw accuracy "
        "change with the number of ranks. Test retrieval at full length before you rely on it."
    ),
    "replicas_have_more_throughput": _(
        "The same cards as {replicas} replicas: {other_tokens_per_s} tokens/s instead of {tokens_per_s} ({percent} percent "
        "more), at {other_tpot_ms} ms per token instead of {tpot_ms}. Replicas for throughput, a tensor group for latency."
    ),
    "replicas_have_more_of_both": _(
        "The same cards as {replicas} replicas: {other_tokens_per_s} tokens/s instead of {tokens_per_s} ({percent} percent "
        "more), and {other_tpot_ms} ms per token instead of {tpot_ms}: better for all and for each. Split a model over "
        "cards where it must be."
    ),
    "replicas_have_less_throughput": _(
        "The same cards as {replicas} replicas would give {other_tokens_per_s} tokens/s instead of {tokens_per_s}: each would "
        "read all weights for fewer requests, at {other_tpot_ms} ms per token instead of {tpot_ms}."
    ),
    "fast_link_gain": _(
        "{link} pays here: over {other} the same group takes {other_tpot_ms} ms per token instead of {tpot_ms}. "
        "PCIe cards cost less and run anywhere."
    ),
    "pipeline_has_more_throughput": _(
        "A pipeline of {stages} stages: {other_tokens_per_s} tokens/s instead of {tokens_per_s}, at {other_tpot_ms} ms per "
        "token instead of {tpot_ms}. It waits less for the link, and one request alone gains nothing."
    ),
    "pipeline_has_less_throughput": _(
        "A pipeline of {stages} stages would give {other_tokens_per_s} tokens/s instead of {tokens_per_s}, at {other_tpot_ms} "
        "ms per token instead of {tpot_ms}: keep the tensor group unless the link is slow."
    ),
    "wide_group": _(
        "{tensor} cards per group against {half} over {link}: {tpot_ms} ms per token instead of {other_tpot_ms}. Half the "
        "cards give {other_tokens_per_s} tokens/s of {tokens_per_s}."
    ),
    "batching_gain": _(
        "Serving {running} together gives {tokens_per_s} tokens/s, {ratio} times one after another "
        "({alone_tokens_per_s}). Each pays for it: {tpot_ms} ms per token instead of {alone_tpot_ms}."
    ),
    "offline_chunk": _(
        "If nobody waits for a token, raise max_num_batched_tokens from {now} to {chunk}: {percent} percent more throughput. "
        "With users, long prompts would then hold up everybody's next token."
    ),
    "larger_share": _(
        "A memory share of {other} instead of {share} would hold {tokens} tokens more and leave {other_reserve_gib} GiB "
        "instead of {reserve_gib}. Right on a card of its own; a display, a neighbour or graph capture can make the start fail."
    ),
    "smaller_share": _(
        "A memory share of {share} leaves {reserve_gib} GiB. {other} would leave {other_reserve_gib} GiB and cost {tokens} "
        "tokens of cache: take it if the start fails or another process shares the card."
    ),
    "block_size_trade": _(
        "Blocks of {block_size} tokens: the last one of each request is half empty, {tokens} tokens or {percent} percent of a "
        "mean request. Smaller blocks waste less; kernels and tables run better on larger ones."
    ),
    "no_error_correction": _(
        "{name} has no error correction: a flipped bit goes unseen. That is the price of a cheaper card; for unattended "
        "service compare one with it."
    ),
    "error_correction_can_be_off": _(
        "{name} has error correction, which may be switched off: on, it can cost bandwidth and memory; off, a flipped bit "
        "goes unseen. Check with nvidia-smi -q."
    ),
    "engines_not_ranked": _(
        "Physics does not rank engines: in published tests the order changes with load, prompt sharing and version. "
        "Measure {engine} and one other on your own requests."
    ),
}

_WEIGHTS = _("Weights: how many bits")
_LAYERS = _("Which layers stay wide")
_CACHE = _("KV cache or weights first")
_SCALES = _("Scales of the KV cache")
_REPLICAS = _("Replicas or a tensor group")
_LINK = _("NVLink or PCIe")
_PIPELINE = _("A pipeline instead")
_GROUP = _("More than four cards")
_SHARE = _("Share of memory")
_ECC = _("Error correction or price")
# What a trade is about; advice that is not here is no trade.
TRADE_TITLES: dict[str, Any] = {
    "wide_weights": _WEIGHTS,
    "wide_weights_unmeasured": _WEIGHTS,
    "eight_bit_float_weights": _WEIGHTS,
    "eight_bit_weights": _WEIGHTS,
    "four_bit_weights": _WEIGHTS,
    "four_bit_weights_small_model": _WEIGHTS,
    "format_not_published": _WEIGHTS,
    "layer_groups_wide_ends": _LAYERS,
    "layer_groups_mixed": _LAYERS,
    "cache_first": _CACHE,
    "weights_first": _CACHE,
    "narrow_cache_gain": _CACHE,
    "cache_scales": _SCALES,
    "cache_keys_before_values": _SCALES,
    "cache_long_context": _SCALES,
    "replicas_have_more_throughput": _REPLICAS,
    "replicas_have_more_of_both": _REPLICAS,
    "replicas_have_less_throughput": _REPLICAS,
    "fast_link_gain": _LINK,
    "pipeline_has_more_throughput": _PIPELINE,
    "pipeline_has_less_throughput": _PIPELINE,
    "wide_group": _GROUP,
    "batching_gain": _("Together or one by one"),
    "offline_chunk": _("Length of a prompt chunk"),
    "larger_share": _SHARE,
    "smaller_share": _SHARE,
    "block_size_trade": _("Block size"),
    "no_error_correction": _ECC,
    "error_correction_can_be_off": _ECC,
    "engines_not_ranked": _("Which engine"),
}
