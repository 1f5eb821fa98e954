"""Words about files of models, and about the hubs that they come from."""

from typing import Any

from django.utils.translation import gettext_lazy as _

# Why what was given cannot be read, and what to do.
PROBLEMS: dict[str, Any] = {
    "nothing_given": _("There is nothing to read. Paste a config.json or choose files."),
    "not_json": _("{file} is not valid JSON: {detail}."),
    "not_an_object": _("{file} is not a JSON object with curly braces."),
    "file_repeated": _("{file} was given twice. Give each file once."),
    "header_cut": _(
        "{file} is cut short: {needed} bytes of it are needed and {given} were given. Cut it later, "
        "for example: head -c {needed}."
    ),
    "not_a_header": _("{file} is neither JSON nor the beginning of a safetensors or GGUF file."),
    "header_too_long": _("The header of {file} claims {found} bytes; at most {limit} are read."),
    "header_not_utf8": _("The header of {file} is not UTF-8: the file is damaged."),
    "header_not_json": _("The header of {file} is not JSON: the file is damaged."),
    "header_repeats": _("{file} says {name} twice."),
    "header_too_many": _("{file} claims {found} entries; at most {limit} are read."),
    "header_empty": _("{file} holds no tensors."),
    "header_tensor_invalid": _("In {file} the {what} of {name} cannot be."),
    "header_dtype_unknown": _("In {file} the type {found} of {name} is not known."),
    "header_size_wrong": _("In {file} the bytes of {name} are not those of its shape."),
    "header_overlap": _("In {file} {name} and {other} share bytes: the file is damaged."),
    "tensor_in_two_files": _("{name} is in two of the files. Give those of one checkpoint."),
    "not_an_index": _("{file} holds no weight_map: it is no index of a checkpoint."),
    "index_entry_invalid": _("The index names no file for {name}."),
    "index_total_invalid": _("The index states a total of {found} bytes."),
    "gguf_version": _("{file} is GGUF of version {found}; versions 2 and 3 are read."),
    "gguf_big_endian": _("{file} is GGUF for big-endian machines, which is not read."),
    "gguf_text_too_long": _("{file} claims a text of {found} bytes; at most {limit} are read."),
    "gguf_value_unknown": _("In {file} {name} has a type {found} that GGUF does not know."),
    "gguf_value_invalid": _("In {file} {name} cannot be {found}."),
    "gguf_key_missing": _("{file} does not state {name}. Of a model in parts, give the first part too."),
    "gguf_differs_by_layer": _("In {file} {name} differs from layer to layer, which is not planned."),
    "gguf_not_a_decoder": _("{file} holds {found}: no language model that writes text."),
    "gguf_architecture_unknown": _("{file} holds a model of kind {found}. Known: {known}."),
    "gguf_mix_unknown": _("{file} is of the mix {found}, which the catalog has no scheme for."),
    "gguf_two_models": _("These files are of several models: {files}. Give those of one."),
    "config_not_given": _("The config.json is missing: headers alone do not tell how a model attends."),
    "index_other_checkpoint": _("The headers hold nothing that the index names, such as {name}."),
    "index_other_model": _("The index states {total} GiB, the config comes to {counted}: they are of two models."),
    "headers_other_model": _("The headers hold {share} times what the config comes to: they are of two models."),
    "model_too_large": _("This model would have more than {limit} weights."),
    "name_invalid": _("Give it a name of two parts with a slash between, such as team/model, up to 200 letters."),
    "name_shipped": _("The catalog ships a model of this name. Give yours another one."),
    "name_changed": _("Somebody changed this model meanwhile. Look at it again before you put yours in its place."),
    "package_stale": _("This preview is too old or was changed on its way. Read the files again."),
    "hub_too_often": _("Hubs are asked ten times a minute for each person. Wait a moment."),
    "hub_unknown": _("There is no such hub."),
    "hub_model_invalid": _("Give the id as the hub writes it, such as Qwen/Qwen3-8B."),
    "hub_revision_invalid": _("A revision is a branch, a tag or a commit."),
    "hub_not_allowed": _(
        "{host} may not be called from here: an operator lists it in DECODECK_OUTGOING_ALLOW. Paste the files below instead."
    ),
    "hub_unreachable": _("{host} cannot be reached: {detail}. Without it, paste the files below."),
    "hub_slow": _("{host} took too long. Try again, or paste the files below."),
    "hub_refused": _("{host} refuses {model} ({status}): it is not public, or the token of this hub is not good for it."),
    "hub_no_model": _("{host} has no {model} at this revision."),
    "hub_status": _("{host} answered {status}. Try again later, or paste the files below."),
    "hub_too_much": _("{host} sends more of {file} than is read ({limit} bytes)."),
    "hub_garbled": _("{host} sent something else than {file}. Is its address right?"),
    "hub_token_lost": _("The token of {name} was sealed with a key that is gone. An administrator gives it again."),
    "hub_no_files": _("{model} holds neither a config.json nor a GGUF file."),
    "hub_no_such_file": _("{model} holds no {file}. It holds: {files}."),
    "hub_choose_file": _("{model} holds several GGUF files. Say which: {files}."),
}  # fmt: skip

# What is to be known of a model that was read.
REMARKS: dict[str, Any] = {
    "custom_code": _("Its repository brings code of its own. It was not run; engines may need to be told to trust it."),
    "patterns_unread": _(
        "{count} patterns of what the quantizer leaves out are not understood ({patterns}): what they name counts as quantized."
    ),
    "files_missing": _("Headers of {given} of {files} files were given: bytes follow the index or the widths instead."),
    "files_seem_missing": _(
        "The headers hold {share} percent of what the config comes to: bytes follow the widths, until the others are given too."
    ),
    "headers_unread": _("The headers of its {files} files were not read: bytes follow the index or the widths."),
    "head_missing": _("No head is in the files, whatever the config says: the table of tokens is used for it."),
    "head_repeated": _("The files hold the head a second time ({gib} GiB), which engines do not load."),
    "draft_layers": _("Layers that draft ({gib} GiB) are left out: no engine loads them unless it speculates."),
    "draft_in_index": _("The index names layers that draft (about {gib} GiB): bytes follow the widths, without them."),
    "tensors_unplaced": _("Of {names} it is not known what they are for ({gib} GiB): they count as the rest."),
    "counts_differ": _("The files hold {held} weights, the config comes to {counted}; the files count."),
    "gguf_mix_guessed": _("The file does not say its mix: most of its bytes are {found}."),
}  # fmt: skip

BYTES_FROM: dict[str, Any] = {
    "headers": _("the headers of its files, exactly"),
    "index": _("the total of its index, parts by the widths"),
    "widths": _("computed from the widths in the config"),
}
