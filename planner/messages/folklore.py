"""Rules of thumb in words: the rule as people say it, and what is true of this plan."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from planner.messages import word

RULES: dict[str, Any] = {
    "usable_memory_85": _("Usable memory is 85 percent of the card"),
    "reserve_20": _("Keep 20 percent for everything but weights and cache"),
    "activation_of_weights": _("Activation is 10–15 percent of the weights"),
    "parameters_times_bits": _("Memory is parameters × bytes × 1.2"),
    "cache_of_hidden_size": _("KV cache is 2 × layers × hidden × 2 bytes per token"),
    "share_always_90": _("Memory share is always 0.9"),
    "length_12_p99": _("Length is 1.2 × P99"),
    "efficiency_30_50": _("Efficiency is 0.3–0.5 of bandwidth"),
    "bandwidth_over_weights": _("One stream gives bandwidth ÷ weights"),
    "int4_four_times": _("INT4 is four times as fast"),
    "cache_before_weights": _("Quantize the KV cache before the weights"),
    "start_at_8": _("Start at 8 sequences"),
    "tensor_at_most_4": _("Keep tensor groups at 4 or below"),
    "tensor_doubles_speed": _("Twice the cards is twice the speed"),
    "pipeline_unusable": _("A pipeline is of no use in decode"),
}

VERDICTS: dict[str, Any] = {
    "agreed": _("agreed"),
    "contradicted": _("contradicted"),
    "unknown": _("unknown"),
}

AGREED: dict[str, Any] = {
    "usable_memory_85": _("{rule} GiB by the rule, {exact} GiB exactly."),
    "reserve_20": _("{rule} GiB by the rule, {exact} GiB exactly: {percent} percent of the card."),
    "activation_of_weights": _("{rule}–{rule_high} GiB by the rule, {exact} GiB exactly."),
    "parameters_times_bits": _(
        "{rule} GiB by the rule, {exact} GiB exactly for this load, of which {cache_gib} GiB cache."
    ),
    "cache_of_hidden_size": _(
        "{rule} bytes by the rule, {exact} exactly: each head keeps its own keys and values."
    ),
    "share_always_90": _("0.9 is in force here and it starts."),
    "length_12_p99": _("{longest} tokens × 1.2 is {rule}, within the model's {limit}; in force is {exact}."),
    "efficiency_30_50": _("Here {exact}."),
    "bandwidth_over_weights": _("{rule} tokens/s by the rule, {exact} exactly."),
    "int4_four_times": _("{exact} times here, with {running} requests at once."),
    "cache_before_weights": _("{dtype} adds {rule} tokens, {scheme} weights {exact}."),
    "start_at_8": _("8 give {tokens_per_s} tokens/s; {exact} give {all_tokens_per_s}."),
    "tensor_at_most_4": _("8 cards over {link} give {exact} times the throughput of 4."),
    "tensor_doubles_speed": _("{larger} cards give {exact} times the throughput of {smaller}."),
    "pipeline_unusable": _(
        "Its throughput is {exact} times that of the tensor group, at {stages_ms} ms per token."
    ),
}

CONTRADICTED: dict[str, Any] = {
    "usable_memory_85": _("{rule} GiB by the rule, {exact} GiB exactly: a difference of {tokens} KV tokens."),
    "reserve_20": _("{rule} GiB by the rule, {exact} GiB exactly: {percent} percent of the card."),
    "activation_of_weights": _(
        "{rule}–{rule_high} GiB by the rule, {exact} exactly ({percent} percent); it follows batched tokens and "
        "vocabulary, not weights."
    ),
    "parameters_times_bits": _(
        "{rule} GiB by the rule, {exact} GiB exactly: the cache of this load alone is {cache_gib} GiB."
    ),
    "cache_of_hidden_size": _(
        "{rule} bytes by the rule, {exact} exactly, {ratio} times less: it knows nothing of shared KV heads ({kv_heads} for "
        "{heads} heads here), narrow caches, windows, latents or states."
    ),
    "share_always_90": _("{exact} is in force here: {gib} GiB or {tokens} KV tokens apart."),
    "length_12_p99": _("{longest} tokens × 1.2 is {rule}; in force is {exact}, and the model takes {limit}."),
    "efficiency_30_50": _("Here {exact}. It depends on bytes per layer, batch and link, not on a constant."),
    "bandwidth_over_weights": _(
        "{rule} tokens/s by the rule, {exact} exactly: kernels, each layer's fixed time and the cache are left out."
    ),
    "int4_four_times": _(
        "{exact} times here, with {running} requests at once: only reading weights gets faster, and unpacking costs."
    ),
    "cache_before_weights": _("{dtype} adds {rule} tokens, {scheme} weights {exact}: the weights first."),
    "start_at_8": _("8 give {tokens_per_s} tokens/s; {exact} give {percent} percent more."),
    "tensor_at_most_4": _("8 cards over {link} give {exact} times the throughput of 4."),
    "tensor_doubles_speed": _("{larger} cards give {exact} times the throughput of {smaller}."),
    "pipeline_unusable": _(
        "Its throughput is {exact} times that of the tensor group; a token takes {stages_ms} ms instead of {tensor_ms}."
    ),
}

NOT_APPLICABLE: dict[str, Any] = {
    "usable_memory_85": _("{engine} takes the cache of its context, not a share of the card."),
    "reserve_20": _("Nothing is shared out here."),
    "share_always_90": _("{engine} shares memory out by another rule: 0.9 means something else there."),
    "bandwidth_over_weights": _("A mixture of experts reads a part of its weights only."),
    "int4_four_times": _("Both widths would have to run here to compare them."),
    "cache_before_weights": _("There are not two formats left to choose between."),
    "start_at_8": _("No more than 8 run at once here."),
    "tensor_at_most_4": _("There is no tensor group here."),
    "tensor_doubles_speed": _("The other group does not run here."),
    "pipeline_unusable": _("There is no group to make a pipeline of."),
}

UNKNOWN: dict[str, Any] = {
    "length_12_p99": _("Give P50, P90 and P99 to check it."),
    "tensor_at_most_4": _("The model does not run on both 4 and 8 of these cards."),
}
NO_FIGURE: Any = _("The figure to hold it against is not known.")
BY_VERDICT: dict[str, dict[str, Any]] = {
    "agreed": AGREED,
    "contradicted": CONTRADICTED,
    "not_applicable": NOT_APPLICABLE,
    "unknown": UNKNOWN,
}


def rule_message(code: str, verdict: str, values: Mapping[str, Any]) -> str:
    """What is true of this plan, beside a rule."""
    table = BY_VERDICT[verdict]
    return word(table, code, values) if code in table else str(NO_FIGURE)
