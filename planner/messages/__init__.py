"""The one place that turns the core's codes into words. Placeholders are the values that come with a code."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from planner.core.figures import DASH
from planner.messages import advice as messages_advice
from planner.messages import cost as messages_cost
from planner.messages import edge as messages_edge
from planner.messages import lengths as messages_lengths
from planner.messages import plans as messages_plans
from planner.messages import search as messages_search
from planner.setup import ENGINE_NAMES

# What is wrong with an input, and how to mend it.
PROBLEMS: dict[str, Any] = {
    "not_json": _("This is not valid JSON: {detail}."),
    "not_an_object": _("A request is a JSON object, with curly braces."),
    "too_deep": _("This JSON is nested too deeply. Send the config.json of the model and nothing around it."),
    "line_too_long": _("This line is longer than {limit} bytes. Send one request per line."),
    "batch_too_long": _("This list has {found} requests; send at most {limit} at once."),
    "batch_empty": _("This list is empty. Send at least one request."),
    "missing": _("This field is required."),
    "wrong_type": _("Expected {expected}, found {found}."),
    "too_long": _("This text is too long: at most {limit} characters."),
    "out_of_range": _("{found} is out of range: allowed is {low} to {high}."),
    "not_whole": _("{found} is not a whole number."),
    "not_a_fraction": _("{found} is not a share: give a number above 0 and up to 1, for example 0.9."),
    "not_finite": _("This is not a finite number."),
    "unknown_field": _("No such field. Known here: {known}."),
    "model_id_or_config": _("Give either the id of a model or its config, not both and not neither."),
    "unknown_model": _("No model {found!r} in the catalog.{close} You can give its config.json instead."),
    "unknown_scheme": _("No weight scheme {found!r}. Known: {known}."),
    "unknown_kv_cache_dtype": _("No engine has a KV cache dtype {found!r}. Known: {known}."),
    "unknown_accelerator": _("No accelerator {found!r} in the catalog.{close}"),
    "accelerator_ambiguous": _(
        "Boards of different sizes report {found!r}. In the catalog: {candidates}. If it is yours, name it by this id."
    ),
    "accelerator_is_vgpu": _(
        "{found!r} is a slice of a card, which is not answered yet. Name the whole card."
    ),
    "count_mismatch": _(
        "count is {count}, but tensor × pipeline × data is {product}. Set count to {product} or change the degrees."
    ),
    "unknown_interconnect": _(
        "No interconnect {found!r}. Known: {known}; leave it out for the accelerator's own."
    ),
    "link_not_on_accelerator": _(
        "{accelerator} has no {link}. Leave interconnect out, or name its PCIe link."
    ),
    "config_too_deep": _(
        "This config is nested more than {limit} levels deep: it is no config.json of a model."
    ),
    "config_too_large": _("This config holds more than {limit} values: it is no config.json of a model."),
    "config_field_missing": _("The config lacks {names}, which the size of the model follows from. Add it."),
    "config_field_invalid": _("{found} cannot be: copy this field from the model's own config.json."),
    "architecture_unknown": _(
        "The architecture {found} is not known here, and a guess would size a machine wrongly. Known model_type: {known}."
    ),
    "encoder_only": _("{found} is an encoder: it has no decode to plan."),
    "encoder_decoder": _("{found} is an encoder-decoder model, which is not answered yet."),
    "no_text_config": _("This config describes an image or sound model and holds no text_config."),
    "quantization_unknown": _(
        "The quantization {found} is not known here. Name the scheme in weights instead."
    ),
    "parameters_below_fixed": _(
        "{found} parameters are fewer than this config's embeddings and norms alone need ({computed} in all)."
    ),
    "config_not_an_object": _(
        "A config.json is one JSON object: paste the whole file, with its curly braces."
    ),
    "config_link_damaged": _("The config.json in this link is cut short or damaged. Paste it again."),
    "config_too_long_for_link": _(
        "This config.json does not fit into an address: {found} characters when packed, at most {limit}. "
        "Take out what is not the shape of the model, such as long lists."
    ),
    "derive_needs_workload": _("Settings are derived from the workload: give one, or give the settings."),
    "quantiles_not_ascending": _(
        "p50 {p50}, p90 {p90} and p99 {p99} must not fall: more requests need more tokens."
    ),
    "concurrency_or_requests_per_day": _(
        "Give the load once: either concurrency, requests at the same time, or requests_per_day."
    ),
    "peak_factor_without_requests_per_day": _(
        "peak_factor multiplies requests_per_day: leave it out where concurrency is given."
    ),
    "unknown_engine": _("No engine {found!r}. Known: {known}."),
    "unreadable_engine_version": _(
        "{found!r} is no version of {engine}. Write it like {example}, or leave it out."
    ),
    "engine_version_too_old": _("{engine} {found} is older than our tables, which begin at {oldest}."),
    "reserved_field": _("{field} is not answered yet. Leave it out for an estimate without it."),
    **messages_cost.PROBLEMS,
    **messages_search.PROBLEMS,
    **messages_edge.PROBLEMS,
    **messages_lengths.PROBLEMS,
    **messages_plans.PROBLEMS,
}

REASONS: dict[str, Any] = {
    "reserved_field": _("{field} is not answered yet. Leave it out for an estimate without it."),
    "workload_exceeds_max_model_len": _(
        "A request of {tokens} tokens is refused at max_model_len {max_model_len}, so no speed is given."
    ),
    "kv_limits_concurrency": _(
        "The KV cache holds {running} of the {concurrency} requests at the mean length; the rest wait."
    ),
    "max_num_seqs_limits_concurrency": _(
        "max_num_seqs lets {running} of the {concurrency} requests run at once; the rest wait."
    ),
    "target_limits_concurrency": _(
        "{running} of the {concurrency} requests at once keep the time per token within its target; the rest wait."
    ),
    "load_above_capacity": _(
        "{requests_per_s} requests per second come at the peak and {capacity_per_s} are done: the queue grows without end."
    ),
    "no_accelerator_given": _("Name an accelerator to learn whether it fits."),
    "accelerator_memory_unknown": _("Nobody states the memory of {name}, so whether it fits is not known."),
    "kv_cache_layout_unknown": _(
        "Only its own backend knows how {dtype} lays out the KV cache, so its size is not known."
    ),
    "weights_exceed_budget": _(
        "Weights alone take {weights_gib} GiB per accelerator, {short_gib} GiB more than the budget of {budget_gib} GiB. "
        "Use more or larger accelerators, or a smaller weight scheme."
    ),
    "no_kv_memory": _(
        "Nothing is left for the KV cache beside weights and overheads: {short_gib} GiB short of one request. "
        "Raise the memory share, lower max_num_seqs, or use more accelerators."
    ),
    "kv_cache_below_one_sequence": _(
        "One request of {max_model_len} tokens needs {needed_gib} GiB of KV cache and {free_gib} GiB are free: "
        "{short_gib} GiB short."
    ),
    "budget_above_free_memory": _(
        "The engine asks for {budget_gib} GiB and only {free_gib} GiB are free at its start. Lower the memory share."
    ),
    "graphs_exceed_accelerator": _(
        "CUDA graphs take {outside_gib} GiB outside the budget, which leaves {left_gib} GiB. Lower the memory share."
    ),
    "state_blocks_below_max_num_seqs": _(
        "The pool holds {blocks} blocks, fewer than max_num_seqs {max_num_seqs}: each running request needs one for "
        "its state."
    ),
    "context_above_model_limit": _(
        "max_model_len {max_model_len} is above the model's limit of {limit} tokens."
    ),
    "architecture_not_in_engine": _("{engine} {version} does not run {architecture}."),
    "encoder_only_model": _("{model} keeps no KV cache: it does not generate text token by token."),
    "engine_not_for_vendor": _("{engine} does not run on {accelerator} ({vendor})."),
    "card_below_engine_floor": _(
        "{engine} {version} needs compute capability {floor}; {accelerator} has {capability}."
    ),
    "scheme_not_in_engine": _("{engine} {version} does not load {scheme} weights."),
    "scheme_not_on_card": _(
        "{scheme} needs compute capability {needed} or higher; {accelerator} has {capability}."
    ),
    "scheme_not_on_maker": _(
        "Nobody has kernels for {scheme} on cards of {vendor}, so not on {accelerator}."
    ),
    "scheme_not_here": _("{engine} {version} does not load {scheme} weights on {accelerator}."),
    "scheme_not_for_experts": _("{engine} {version} has no kernels for experts in {scheme}."),
    "kv_cache_dtype_not_here": _(
        "{engine} {version} has no KV cache of type {dtype} on {accelerator}. It takes: {accepted}."
    ),
    "kv_cache_dtype_not_in_engine": _(
        "{engine} {version} has no KV cache dtype {dtype}. It takes: {accepted}."
    ),
    "kv_cache_dtype_not_on_card": _(
        "KV cache dtype {dtype} needs compute capability {needed}, which {accelerator} does not have."
    ),
    "block_size_not_in_engine": _("Block size {block_size} is not accepted here. Accepted: {accepted}."),
    "batch_below_sequences": _(
        "max_num_batched_tokens {max_num_batched_tokens} is below max_num_seqs {max_num_seqs}."
    ),
    "more_stages_than_layers": _(
        "{pipeline} pipeline stages for {layers} layers: use at most one stage per layer."
    ),
    "heads_not_divisible_by_tp": _("{heads} attention heads cannot be split over {tensor} ranks."),
    "kv_heads_not_divisible_by_tp": _(
        "{kv_heads} KV heads can be neither split nor repeated over {tensor} ranks."
    ),
    "ffn_not_divisible_by_tp": _("A layer width of {width} cannot be split over {tensor} ranks."),
    "vocabulary_not_divisible_by_tp": _(
        "The padded vocabulary of {vocabulary} cannot be split over {tensor} ranks."
    ),
    "state_heads_not_divisible_by_tp": _("{heads} state heads cannot be split over {tensor} ranks."),
    "quantization_group_misaligned": _(
        "Split over {tensor} ranks, a width of {width} cuts through quantization groups of {group}."
    ),
    "expert_width_misaligned": _(
        "Split over {tensor} ranks, experts of width {width} cut through scale blocks of {group}. Use expert parallelism."
    ),
}

ADVICE: dict[str, Any] = {
    "engine_version_beyond_tables": _(
        "{engine} {version} is newer than our tables: the rules of the newest known version are used."
    ),
    "settings_derived": _(
        "Settings are ours: max_model_len {max_model_len} is the mean length and a fifth, for at most "
        "{max_num_seqs} requests at once. Longer requests are refused: give P50, P90 and P99, or set it from what your "
        "product allows."
    ),
    "eager_mode_slows_decode": _(
        "Eager mode launches every kernel from the host: decode is often 2 to 3 times slower."
    ),
    "accelerator_figure_unknown": _(
        "{figure} of {name}: not known. What needs it is left out, or has a wider interval."
    ),
    "accelerator_figure_unsure": _("{figure} of {name}: unsure. Check it before you buy."),
    "interconnect_takes_share": _(
        "{percent} percent of the time per token is spent between cards over {link}: in each layer all of them wait for each "
        "other twice."
    ),
    "format_support_unknown": _(
        "Nobody states whether {name} computes in {dtype}: measure {scheme} on one machine first."
    ),
    "format_weight_only": _(
        "{name} has no {dtype} arithmetic: {scheme} saves memory and reading there, and computes in 16 bits."
    ),
    "context_above_trained_length": _(
        "max_model_len {max_model_len} is above the {limit} tokens that the model was made for: the engine only warns, "
        "and answers may get worse."
    ),
    "memory_margin_thin": _(
        "One request needs {needed_gib} GiB of KV cache and at the low end of the interval {low_gib} GiB are free: "
        "the start may still be refused. Leave room, or try it first."
    ),
    "interval_wide": _(
        "The interval (80 %) spans a factor of {ratio}: measure one machine before you buy the rest."
    ),
    **messages_edge.ADVICE,
    **messages_advice.TRADES,
    **messages_search.ADVICE,
}

# Figures of an accelerator that a piece of advice may name.
FIGURES: dict[str, Any] = {
    "bandwidth_gb_s": _("Memory bandwidth"),
    "memory_gib": _("Memory size"),
    "fp16_tflops": _("FP16 TFLOP/s"),
}

# JSON types, as the message about a wrong one says them.
TYPES: dict[str, Any] = {
    "null": _("nothing"),
    "true or false": _("true or false"),
    "number": _("a number"),
    "text": _("text"),
    "object": _("an object"),
    "list": _("a list"),
}


def word(table: Mapping[str, Any], code: str, values: Mapping[str, Any]) -> str:
    """The sentence for a code in the language in force; the bare code when nobody wrote one."""
    template = table.get(code)
    if template is None:
        return code
    if code == "wrong_type":
        values = {key: TYPES.get(value, value) for key, value in values.items()}
    return _text(template).format_map(_Values(values))


# An answer has some thirty sentences: looking each up in a catalog of translations takes as long as its sums.
_texts: dict[tuple[int, str | None], str] = {}


def _text(template: Any) -> str:
    """A template of the tables in the language in force. Tables live as long as the program, so that ids stay taken."""
    key = (id(template), get_language())
    found = _texts.get(key)
    if found is None:
        found = _texts[key] = str(template)
    return found


# What people call that for which the core has an identifier, by the placeholder it stands at
_NAMES: dict[str, Mapping[Any, Any]] = {"figure": FIGURES, "engine": ENGINE_NAMES}


class _Values(dict[str, Any]):
    """Values of a message as text: lists joined, numbers short, a missing one shown as such."""

    def __getitem__(self, key: str) -> Any:
        value = self.get(key, "?")
        names = _NAMES.get(key)
        return names.get(value, value) if names is not None and isinstance(value, str) else _shown(value)


def _shown(value: Any) -> Any:
    if value is None:
        return DASH
    if isinstance(value, bool) or not isinstance(value, float):
        return value
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
