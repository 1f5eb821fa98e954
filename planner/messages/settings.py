"""Why each engine setting has its value, and how sure a target is met. Placeholders are the values of a code."""

from typing import Any

from django.utils.translation import gettext_lazy as _

SETTING_REASONS: dict[str, Any] = {
    "asked_for": _("As you asked."),
    "default_of_version": _("The default of {engine} {version}."),
    "length_from_p99": _("P99 of {tokens} tokens × 1.2, rounded up to whole blocks."),
    "length_from_mean": _(
        "Mean of {tokens} tokens × 1.2, rounded up to whole blocks. Give P50, P90 and P99 for a safer length."
    ),
    "length_at_model_limit": _(
        "The model's limit of {limit} tokens; {tokens} tokens × 1.2 would be more than it takes."
    ),
    "length_without_room": _(
        "{wanted} tokens with room do not fit into memory: {tokens} tokens, rounded up to whole blocks, do."
    ),
    "length_of_model": _("What {model} takes: no length was asked for."),
    "one_slot_per_user": _("One slot for each of {concurrency} requests (replicas: {replicas})."),
    "slots_for_busy_moments": _(
        "{concurrency} requests at once on average (replicas: {replicas}); the mean + 2.33 × its root leaves room in 99 "
        "percent of moments (rule of thumb)."
    ),
    "slots_limited_by_cache": _(
        "The KV cache holds {holds} requests of the mean length, not {slots}: more would be preempted and worked on twice."
    ),
    "slots_limited_by_memory": _(
        "Each slot takes a full context at the start: {holds} of {concurrency} fit."
    ),
    "slots_limited_by_tpot": _(
        "{sequences} of {concurrency} at once: {tpot_ms} ms per token, within {limit_ms}. The others wait."
    ),
    "chunk_lowered_for_tpot": _(
        "A pass with {default} tokens of prompts takes {default_ms} ms and would delay a token beyond {limit_ms}; "
        "one with {chunk} takes {pass_ms} ms."
    ),
    "share_raised_to_fit": _(
        "Memory is short: {share} instead of {default} makes it fit and leaves {reserve_gib} GiB of the card."
    ),
    "default_share": _("The default of {engine} {version}; it leaves {reserve_gib} GiB of the card."),
    "default_share_with_display": _(
        "The default of {engine} {version}; it leaves {reserve_gib} GiB. Lower it by what a display or another process takes."
    ),
    "block_of_layers": _(
        "Layers of different kinds share pages here, so that the default of {default} grows."
    ),
    "cache_as_model": _("The type of the model, 16 bits unless it says otherwise."),
    "narrower_cache_would_hold": _("Kept as asked. {dtype} would hold {tokens} tokens."),
}

TARGET_REASONS: dict[str, Any] = {
    "met": _("{value} against {limit}: met."),
    "missed": _("{value} against {limit}: missed."),
    "met_but_not_certain": _(
        "{value} against {limit}: likely met, not certain. The interval is {low}–{high}."
    ),
    "missed_but_not_certain": _(
        "{value} against {limit}: likely missed, not certain. The interval is {low}–{high}."
    ),
    "unknown_until_measured": _("A P99 is unknown until it is measured; the mean is {mean}."),
    "no_speed_to_judge": _("There is no speed to judge by."),
}
