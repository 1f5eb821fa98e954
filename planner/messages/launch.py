"""Words of launch commands: why a flag is there, what a command cannot say itself, why a form is not written."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from planner.messages import word
from planner.messages.settings import SETTING_REASONS
from planner.setup import ENGINE_NAMES

# Why a flag stands in a command; settings of the plan bring the reasons that the plan gives for them.
FLAG_REASONS: dict[str, Any] = {
    "cards_share_layers": _("{degree} accelerators share each layer."),
    "stages_of_layers": _("The layers in {degree} stages, one accelerator group each."),
    "layers_over_cards": _("Whole layers on each of {degree} accelerators."),
    "replicas": _("{degree} copies of the model behind one address."),
    "attention_copies": _("{degree} copies of the attention; the experts are shared out among all."),
    "whole_experts": _("Whole experts on each accelerator, none cut."),
    "quantizes_on_load": _("Made {scheme} while it loads: nobody in the catalog publishes this model so."),
    "loader_of_method": _("This method asks for its own loader."),
    "tokenizer_of_gguf": _("The tokenizer of the model itself: the one in a GGUF file is slow to read."),
    "card_without_bf16": _("{accelerator} has no bfloat16, in which this model is published."),
    "dtype_as_planned": _("The plan is for {scheme}, the model is published otherwise."),
    "chunks_long_prompts": _(
        "A prompt may be longer than the tokens of one pass: without this flag the version refuses that."
    ),
    "token_for_each_sequence": _(
        "Each of {sequences} sequences takes at least one token of a pass: with fewer the engine refuses."
    ),
    "backend_named": _("The default changed between releases: named, so that it is the planned one."),
    "config_file": _("What has no flag of its own stands in this file."),
    "context_of_all_slots": _(
        "{slots} slots × {max_model_len} tokens: this number is for all slots together."
    ),
    "context_shared_by_slots": _("{max_model_len} tokens, shared by all slots."),
    "all_layers_on_card": _("All layers on the accelerator, as planned."),
    "flash_attention": _("Attention without a full score matrix in memory, as planned."),
    "quantized_cache_needs_it": _("A quantized V cache starts only with it."),
}

NOTES: dict[str, Any] = {
    "released_checkpoint": _("{model} is this model in {scheme}, as published."),
    "quantized_on_load": _(
        "No {scheme} release of {model} is in the catalog: the engine quantizes it at each start, which takes time, and host "
        "memory for the wide weights."
    ),
    "checkpoint_to_fill_in": _(
        "No {scheme} release of {model} is in the catalog. Put the path or name of yours in place of {name}."
    ),
    "checkpoint_of_config": _(
        "The plan is for a config. Put the path or name of its weights in place of {name}."
    ),
    "gguf_to_fill_in": _(
        "No {quant} file of {model} is in the catalog. Put yours in place of {file}; in the container it is looked for in "
        "~/models."
    ),
    "format_not_checked_for_engine": _(
        "Whether TensorRT-LLM reads {model} is not known here: it was published for other engines. Releases by nvidia are "
        "made for it."
    ),
    "server_per_replica": _(
        "This engine has no copies behind one address: start {replicas} of these, each on its own accelerators and port, "
        "behind a load balancer."
    ),
    "one_machine_assumed": _(
        "{devices} accelerators are taken to be in one machine. Over several machines the engine needs more flags, which are "
        "not written here."
    ),
    "cap_power_first": _("The plan counts on {watts} W for each card. Set that first: {command}"),
    "set_power_mode_first": _("The plan counts on the power mode {mode}. Set that first."),
    "flag_left_out": _("{flag} {value} is not among what {engine} {version} takes: left out."),
    "version_between": _(
        "Not verified: the flags of {engine} {version} were not read. They were read for {older} and {newer}; what differs "
        "between those two may be either way."
    ),
    "version_beyond": _(
        "Not verified: {engine} {version} is newer than {older}, the newest whose flags were read."
    ),
    "version_before": _(
        "Not verified: {engine} {version} is older than {newer}, the oldest whose flags were read."
    ),
    "version_line": _(
        "Not verified: the flags were read in a source of the {older} line, and which release that was is not known."
    ),
    "version_unreadable": _("Not verified: {version} is not a version of {engine} whose flags were read."),
    "driver_needed": _(
        "The host needs NVIDIA driver {driver} or newer: these binaries are built with CUDA {cuda}."
    ),
    "driver_of_board": _(
        "The driver and CUDA of a board come with its maker's system image (JetPack), and binaries for desktop cards do not "
        "run on it: take a build of {engine} {version} that was made for the board."
    ),
    "flags_read_for_cuda": _(
        "The flags were read for NVIDIA and CPU. The parser is the same on ROCm; what a flag does there was not checked."
    ),
    "image_without_version": _(
        "{image} is rebuilt all the time, and may be newer than {version}: pin its digest."
    ),
    "listens_everywhere": _(
        "It listens on all addresses, port {port}. Set {variable}, so that only those with the key are answered."
    ),
    "listens_on_loopback": _(
        "Outside a container it listens on {host} only, port {port}: --host opens it to others."
    ),
    "unit_assumes": _(
        "The unit expects the program in a virtual environment at {folder}, and a user named {user}."
    ),
}

# Why a form is not written.
MISSING: dict[str, Any] = {
    "command_not_known_for_vendor": _(
        "How {engine} is started on {accelerator} is not known here: no command is better than a wrong one."
    ),
    "card_is_several_devices": _(
        "{accelerator} shows as {devices} devices, and how the plan is spread over them is not known here."
    ),
    "container_reaches_no_metal": _("A container reaches no Apple GPU: start it on the machine itself."),
    "container_of_board": _(
        "{accelerator} takes containers made for the board by its maker, which are not known here."
    ),
    "entry_point_not_read": _("What the image of {engine} {version} starts by itself is not known here."),
    "image_not_known": _("No image of {engine} for {vendor} is known here."),
    "form_of_vllm_only": _("Written for vLLM only."),
}


WHYS = {**SETTING_REASONS, **FLAG_REASONS}


def command_words(found: dict[str, Any] | None) -> None:
    """Messages beside the codes of the `commands` of one estimate."""
    if found is None:
        return
    for flag in found["flags"]:
        _say(WHYS, flag["reason"])
    for note in found["notes"]:
        _say(NOTES, note)
    for reason in found["missing"].values():
        _say(MISSING, reason)


def _say(table: Mapping[str, Any], item: dict[str, Any]) -> None:
    values = item["values"]
    if "engine" in values:
        values = {**values, "engine": ENGINE_NAMES.get(values["engine"], values["engine"])}
    item["message"] = word(table, item["code"], values)
