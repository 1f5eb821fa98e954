"""Words of the search over the catalog: problems of a question, reasons of a rank, of what was left out, of winners."""

from typing import Any

from django.utils.translation import gettext_lazy as _

PROBLEMS: dict[str, Any] = {
    "list_empty": _("This list is empty. Leave it out to search all."),
    "too_many_entries": _("{found} entries; at most {limit} are read."),
    "too_many_candidates": _(
        "This asks for {found} set-ups; at most {limit} are searched at once. Name fewer engines, formats, counts or "
        "accelerators."
    ),
    "not_answered_yet": _("This is not answered yet. Leave it out."),
    "engine_or_engines": _("Give one engine or a list of engines, not both."),
    "budget_needs_currency": _("A budget needs its currency, for example USD, EUR or CNY."),
    "prices_need_currency": _("Prices need their currency, for example USD, EUR or CNY."),
    "currencies_differ": _(
        "The budget is in {budget} and the prices in {prices}. Amounts are not converted here: give both in one currency."
    ),
    "unknown_currency": _(
        "No currency {found!r}.{close} Write its code of ISO 4217, such as CNY, EUR or USD."
    ),
    "accelerator_named_twice": _("{accelerator} is named twice here. Give it once."),
    "unknown_vendor": _("No accelerator of a vendor {found!r}.{close} Known: {known}."),
    "unknown_class": _("No class {found!r}.{close} Known: {known}."),
    "unknown_choice": _("No choice {found!r}. Known: {known}."),
    "owned_not_in_accelerators": _(
        "You own {accelerator}, but it is not among accelerators. Add it there, or leave accelerators out."
    ),
    "counts_above_max_count": _(
        "counts begins at {least}, but max_count is {max_count}. Raise one or lower the other."
    ),
    "edge_is_one_device": _(
        "An edge device works alone, but counts begins at {least}. Ask for 1, or for place server."
    ),
}

# Why an option stands at its rank. The part behind the dot is what balanced was weighed by.
RANKS: dict[str, Any] = {
    "ranked_by_balanced.power": _(
        "{ms_per_token} ms per token, the wait for the first included, × {power_w} W of board power: number {rank} of "
        "{of}, the smallest product first."
    ),
    "ranked_by_balanced.price": _(
        "{ms_per_token} ms per token, the wait for the first included, × a price of {purchase}: number {rank} of {of}, "
        "the smallest product first."
    ),
    "ranked_by_lowest_cost": _("It costs {purchase}: number {rank} of {of}, the cheapest first."),
    "ranked_by_lowest_tpot": _(
        "{tpot_ms} ms per token: number {rank} of {of}, the fastest for a user first."
    ),
    "ranked_by_highest_throughput": _(
        "{output_tokens_per_s} tokens per second in all: number {rank} of {of}, the most first."
    ),
    "ranked_by_highest_throughput.capacity": _(
        "It could carry up to {capacity_per_s} requests per second: number {rank} of {of}, the most first."
    ),
    "ranked_by_lowest_power": _("{power_w} W of board power: number {rank} of {of}, the least first."),
    "not_ranked_by_balanced": _("Its board power is not known, so it stands after those whose power is."),
    "not_ranked_by_lowest_cost": _("It has no price, so it stands after those that have one."),
    "not_ranked_by_lowest_tpot": _("Its time per token is not known, so it stands last."),
    "not_ranked_by_highest_throughput": _("Its throughput is not known, so it stands last."),
    "not_ranked_by_lowest_power": _("Its board power is not known, so it stands after those whose power is."),
}

# Why set-ups were left out, one line per group.
EXCLUDED: dict[str, Any] = {
    "not_owned": _("Needs accelerators that you do not have, or more of them than you have"),
    "filtered_by_vendor": _("Of another vendor than you asked for"),
    "filtered_by_class": _("Of another class than you asked for"),
    "filtered_by_place": _("Not for the place you asked for"),
    "filtered_by_ecc": _("Memory not known to have ECC"),
    "not_on_sale": _("Never on open sale: searched where you name it, own it or have a price for it"),
    "over_budget": _("Over the budget, at the prices that are known"),
    "under_budget": _("Cheaper than the lower end of the budget"),
    "over_power": _("Draws more power than you allow"),
    "power_unknown": _("Nobody states its power, so it cannot be held against your limit"),
    "no_data": _("A figure that the answer needs is not known: memory or bandwidth"),
    "does_not_fit": _("Does not fit into memory"),
    "load_above_capacity": _(
        "Cannot carry the load: requests would wait without end, or not all run at once"
    ),
    "misses_tpot_target": _("Too slow per token"),
    "misses_ttft_target": _("Too long until the first token"),
    "misses_rate": _("Too few tokens per second for each user"),
    "below_usable_floor": _("Too slow to use, by an assumption of ours: no target says otherwise"),
    "not_supported": _("Does not exist: engine, format and card do not go together"),
    "not_supported:architecture_not_in_engine": _("The engine does not run this architecture"),
    "not_supported:engine_not_for_vendor": _("The engine does not run on this vendor's cards"),
    "not_supported:card_below_engine_floor": _("The card is older than the engine accepts"),
    "not_supported:scheme_not_in_engine": _("The engine does not load weights of this format"),
    "not_supported:scheme_not_on_card": _("The card has no kernels for weights of this format"),
    "not_supported:scheme_not_on_maker": _("The maker's cards have no kernels for weights of this format"),
    "not_supported:scheme_not_here": _("The engine does not load weights of this format on this card"),
    "not_supported:scheme_not_for_experts": _("The engine has no kernels for experts in this format"),
    "not_supported:kv_cache_dtype_not_here": _("The engine has no KV cache of this format on this card"),
    "not_supported:kv_cache_dtype_not_in_engine": _("The engine has no KV cache of this format"),
    "not_supported:kv_cache_dtype_not_on_card": _("The card has no kernels for a KV cache of this format"),
}

# What else there is to say about an answer.
REMARKS: dict[str, Any] = {
    "no_prices": _(
        "No price is known of any of these. Write down a quote or give your own prices, and the cheapest is named and held "
        "against the budget."
    ),
    "some_without_price": _(
        "{unpriced} of {of} set-ups have no price: they are neither the cheapest nor over a budget."
    ),
    "public_prices": _(
        "Public prices stand in where nobody quoted: list and street prices of their date, not offers."
    ),
    "rate_assumed": _(
        "Prices in {given} are exchanged into {wanted} at a round rate that nobody here has set: set the rate of the day."
    ),
    "quotes_without_rate": _("Quotes in {currencies} do not count here: no rate is set for exchanging them."),
    "budget_without_prices": _("Without a price nothing can be over the budget, so it leaves nothing out."),
    "balanced_by_power": _(
        "Balanced: time per token of a whole request, the wait for the first included, × board power, the smallest product "
        "first. With a price for every candidate, price takes the place of power."
    ),
    "balanced_by_price": _(
        "Balanced: time per token of a whole request, the wait for the first included, × price, the smallest product first."
    ),
    "throughput_is_capacity": _(
        "All set-ups serve the rate that you give, so they are ranked by what each could carry at most."
    ),
    "usable_floor_assumed": _(
        "The cheapest, the least power and the best balance are sought among set-ups that give each user {tokens_per_s} "
        "tokens per second and a first token within {first_token_s} s: an assumption, as you give no target for it."
    ),
    "usable_floor_assumed_tokens_per_s": _(
        "The cheapest, the least power and the best balance are sought among set-ups that give each user {tokens_per_s} "
        "tokens per second: an assumption, as you give no target for it."
    ),
    "usable_floor_assumed_first_token_s": _(
        "The cheapest, the least power and the best balance are sought among set-ups with a first token within "
        "{first_token_s} s: an assumption, as you give no target for it."
    ),
    "nothing_reaches_usable_floor": _(
        "Nothing gives each user {tokens_per_s} tokens per second and a first token within {first_token_s} s, which we "
        "would call usable, so all are ranked."
    ),
    "nothing_reaches_usable_floor_tokens_per_s": _(
        "Nothing gives each user {tokens_per_s} tokens per second, which we would call usable, so all are ranked."
    ),
    "nothing_reaches_usable_floor_first_token_s": _(
        "Nothing gives a first token within {first_token_s} s, which we would call usable, so all are ranked."
    ),
    "window_from_means": _(
        "Only mean lengths are given, so max_model_len {max_model_len} is the mean and a fifth: longer requests are refused. "
        "Give P50, P90 and P99, or set it from what your product allows."
    ),
    "longest_above_model_limit": _(
        "The longest requests (P99) need {tokens} tokens and the model takes {limit}: longer ones are refused by every set-up "
        "here. Shorten or split them, or choose a model with a longer window."
    ),
    "longest_above_model_limit_scaled": _(
        "The longest requests (P99) need {tokens} tokens and the model takes {limit}: longer ones are refused by every set-up "
        "here. Its publisher documents RoPE scaling ({kind}, factor {factor} on {original}) up to {longer} tokens: with "
        "vLLM in --hf-overrides, with --max-model-len {longer}. The figures here are without it; answers to short texts "
        "may get a little worse."
    ),
    "target_unknown_until_measured": _(
        "A P99 cannot be computed from means: {field} is unknown until it is measured, and left nothing out."
    ),
    "nothing_meets_everything": _("Nothing in the catalog meets everything that was asked for."),
}

# What speaks against an option though it carries the load.
ADVICE: dict[str, Any] = {
    "load_near_capacity": _(
        "The load is {percent} percent of what this set-up carries at most. Requests come at random: above {limit_percent} "
        "percent they wait for each other, which these means leave out. Plan one more, or measure it."
    ),
    "part_of_board": _(
        "{accelerator} comes on boards of {size}: this uses {used} of {held}. Rent a part of one, or count the whole."
    ),
}
