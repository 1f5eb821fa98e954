"""Words of the reference sheet: sayings that go round, and the recipe worked through."""

from typing import Any

from django.utils.translation import gettext_lazy as _

# What is said, and where it is met.
SAYINGS: dict[str, Any] = {
    "two_bytes_per_parameter": _("Parameters × 2 bytes is the card: 7B needs 14 GB, so 16 GB will do"),
    "thirteen_on_24": _("13B runs on 24 GB"),
    "thirty_two_on_24": _("32B in INT4 is 16 GB, so 24 GB will do"),
    "seventy_on_48": _("70B in INT4 needs 48 GB"),
    "seventy_on_two_24": _("70B in INT4 runs on two 24 GB cards"),
    "seventy_on_two_80": _("70B runs on two 80 GB cards"),
    "active_parameters_only": _("A mixture needs memory for its active parameters: 3B active run on 8 GB"),
}
SOURCES: dict[str, Any] = {
    "two_bytes_per_parameter": _("rule of thumb of forums and calculators"),
    "thirteen_on_24": _("size tables of hosting guides"),
    "thirty_two_on_24": _("forum answers"),
    "seventy_on_48": _("size tables of vendors' articles"),
    "seventy_on_two_24": _("forum builds"),
    "seventy_on_two_80": _("size tables of hosting guides"),
    "active_parameters_only": _("misread model cards"),
}
WHY: dict[str, Any] = {
    "two_bytes_per_parameter": _(
        "It counts weights alone, {weights_gib} GiB here. The driver, the engine, activations and the first request "
        "come on top: {short_gib} GiB short of a start."
    ),
    "thirteen_on_24": _(
        "In 16 bits the weights alone are {weights_gib} GiB, and with heads that are not grouped each context of 4,096 "
        "tokens takes {kv_gib} GiB more. What runs on 24 GB has 8 or 4 bits."
    ),
    "thirty_two_on_24": _(
        "Embeddings, head and scales stay wide: {weights_gib} GiB. {left_gib} GiB are left for the cache at {kv_gib} GiB "
        "for each context: {contexts} of them, no team."
    ),
    "seventy_on_48": _(
        "{weights_gib} GiB of weights leave {left_gib} GiB at {kv_gib} GiB for each context: it starts, and holds "
        "{contexts} of them."
    ),
    "seventy_on_two_24": _(
        "{weights_gib} GiB on each card leave {left_gib} GiB at {kv_gib} GiB for each context, and the two wait for each "
        "other over PCIe."
    ),
    "seventy_on_two_80": _(
        "{weights_gib} GiB on each card leave {left_gib} GiB at {kv_gib} GiB for each context: {contexts} of them in 16 "
        "bits, no team."
    ),
    "active_parameters_only": _(
        "Active parameters set the speed. All experts have to lie in memory: {weights_gib} GiB, {short_gib} GiB more "
        "than the card lets have."
    ),
}

# The recipe, claim by claim: what is claimed, and what is so.
CLAIMS: dict[str, Any] = {
    "recipe_weights": _("INT4 weights of a 7B take 3.5 GB"),
    "recipe_cache_16_bit": _("16 × 4,096 tokens fit beside them"),
    "recipe_int8": _("So set the KV cache to int8"),
    "recipe_cache_8_bit": _("In 8 bits the cache fits ({dtype})"),
    "recipe_utilization": _("gpu_memory_utilization {share} is enough"),
    "recipe_real_lengths": _("It has to be 8 bits for 16 users"),
    "recipe_grouped_heads": _("7B needs all this on 24 GB"),
}
FINDINGS: dict[str, Any] = {
    "recipe_weights": _(
        "Nearly. {said_gib} GiB by the rule, {weights_gib} GiB exactly: embeddings and head stay in 16 bits, "
        "{wide_gib} GiB of them, and scales and zeros are added."
    ),
    "recipe_cache_16_bit": _(
        "No. With a KV head for each of its 32 heads every token takes {per_token_mib} MiB: {tokens} tokens are "
        "{needed_gib} GiB, and {pool_gib} GiB are left, for {contexts} full contexts."
    ),
    "recipe_int8": _(
        "No version of vLLM has a --kv-cache-dtype int8: {version} refuses to start with it. There is fp8, and from "
        "{since} on {dtype}, with a scale for each token and head."
    ),
    "recipe_cache_8_bit": _(
        "{needed_gib} GiB of {pool_gib}, with {left_gib} GiB to spare; at the low end of the interval {low_gib} GiB are "
        "there. A token every {tpot_ms} ms ({span})."
    ),
    "recipe_utilization": _(
        "{pool_gib} GiB for the cache then, {left_gib} GiB to spare. The default is {default} by now; a desktop on the "
        "same card takes about what is spare."
    ),
    "recipe_real_lengths": _(
        "Only if all of them fill their context at once. With {input} tokens in and {output} out, a busy chat, {users} "
        "users hold {needed_gib} GiB in 16 bits of {pool_gib}: no quantized cache is needed."
    ),
    "recipe_grouped_heads": _(
        "Today's 7B share KV heads: {model} takes {per_token_kib} KiB per token. Weights in 16 bits, {weights_gib} GiB, "
        "and {needed_gib} GiB for 16 full contexts in 16 bits fit the same card, {pool_gib} GiB being left for the "
        "cache. Nothing is quantized, a token every {tpot_ms} ms ({span})."
    ),
}
