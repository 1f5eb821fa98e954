"""Words for what limits a set-up, for changes that would help, and for what they cost."""

from typing import Any

from django.utils.translation import gettext_lazy as _

# What stops the step after a limit.
STOPS: dict[str, Any] = {
    "model_limit": _("the model's own limit"),
    "kv_cache": _("memory for the KV cache"),
    "max_num_seqs": _("max_num_seqs {max_num_seqs}"),
    "max_model_len": _("max_model_len {max_model_len}, shorter than one request"),
    "tpot_ms": _("the target for TPOT"),
    "ttft_ms": _("the target for TTFT"),
    "output_tokens_per_s_per_user": _("the target for tokens per second and user"),
    "not_started": _("it does not start"),
    "unknown": _("a figure that nobody states"),
    "search_limit": _("nothing that is reached by {users} users"),
}

CHANGES: dict[str, Any] = {
    "drop_eager": _("CUDA graphs instead of eager mode"),
    "more_slots": "max_num_seqs {max_num_seqs}",
    "longer_context": "max_model_len {max_model_len}",
    "shorter_context": "max_model_len {max_model_len}",
    "shared_context": "max_model_len {max_model_len}",
    "utilization": "gpu_memory_utilization {gpu_memory_utilization}",
    "token_batch": "max_num_batched_tokens {max_num_batched_tokens}",
    "newer_engine": "{engine} {version}",
    "older_engine": "{engine} {version}",
    "other_engine": _("{engine} {version} with {scheme} weights"),
    "narrow_cache": _("{dtype} KV cache"),
    "narrow_weights": _("{scheme} weights"),
    "other_layout": _("{layout} on the same cards"),
    "more_cards": _("{count} cards, {layout}"),
    "fewer_users": _("{users} users at once"),
    "other_card": "{count} × {name}",
    "pair": _("{first} and {second}"),
}

# What a change costs in kind.
PRICES: dict[str, Any] = {
    "start_slower": _("The start takes longer, and graphs take memory."),
    "less_reserve": _("Less memory is left for other programs and for surprises."),
    "slower_prompts": _("Long prompts take more passes."),
    "shorter_requests": _("Longer requests are refused."),
    "other_version": _("Another engine version to test."),
    "other_engine": _("Another engine to run and to test."),
    "cache_quality": _("Check answers on long prompts first."),
    "weights_quality_8": _("8-bit weights: rarely measurable, check your task."),
    "weights_quality_4": _("4-bit weights: check your task first, small models lose most."),
    "more_cards": _("More cards to buy, power and cool."),
    "fewer_users": _("The others wait or go elsewhere."),
    "other_card": _("Another card to buy."),
}
