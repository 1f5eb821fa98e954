"""Words of the command check: what is wrong with a launch command, and why it is."""

from typing import Any

from django.utils.translation import gettext_lazy as _

# What is wrong, by code. A code with a dot is the same problem where less is known of it.
CHECK_PROBLEMS: dict[str, Any] = {
    # the text
    "typographic_quotes": _(
        "Curly quotes, as word processors and web pages make them: a shell takes them for letters. Type straight ones."
    ),
    "typographic_dash": _("A long dash in the place of two hyphens: no program reads it as a flag."),
    "typographic_space": _("Invisible or unbreakable blanks, which a shell takes for letters of a word."),
    "blank_after_backslash": _(
        "A blank stands between the backslash and the end of the line, so the command ends there."
    ),
    "line_not_continued": _(
        "The line before this flag does not end with a backslash: the shell starts the command without the rest."
    ),
    "quote_not_closed": _("The quote {quote} is not closed."),
    "placeholder_left": _("This is still a placeholder: put in your own value."),
    "text_cut": _("Only the first {limit} words are read: paste the launch alone."),
    "flags_cut": _("More than {limit} flags of this text are unknown: it is no command of this engine."),
    "piped": _("What comes behind | is not read here: only the launch itself is checked."),
    "yaml_unreadable": _("This YAML cannot be read: something is wrong near line {line}."),
    # the program
    "no_engine_found": _(
        "No launch of vLLM, SGLang, TensorRT-LLM or llama-server in this text. Paste the whole command, "
        "from `vllm serve`, `docker run` or the like on."
    ),
    "not_a_server_command": _("This is not the server: a launch starts with the serving command."),
    "engine_not_read": _("This engine is not checked here. vLLM, SGLang, TensorRT-LLM and llama-server are."),
    "serve_missing": _("The word serve is missing behind the program."),
    "serve_not_in_version": _(
        "{engine} {version} has no `vllm serve` yet (from {first_with} on): it is started as a Python module."
    ),
    "module_unknown": _("{engine} has no module of this name that serves."),
    "program_not_named": _("The image starts no server by itself: name the program behind the image."),
    "entrypoint_repeated": _(
        "The image already starts {entry}: these words are taken for the model and a stray argument. Leave them out."
    ),
    "image_missing": _("No image is named."),
    "image_unknown": _("What this image starts is not known here."),
    "image_not_pinned": _(
        "The tag {tag} is another version tomorrow. Name one; until then this is checked as the newest known."
    ),
    "stray_word": _("Nothing takes the word {word}: {engine} stops with unrecognized arguments."),
    # the container
    "docker_option_unknown": _("The container runtime has no such option."),
    "docker_option_single_dash": _("A long option has two dashes: with one it is read letter by letter."),
    "docker_value_missing": _("This option needs a value."),
    "flag_before_image": _(
        "Before the image this reaches the container runtime, which does not know it: flags of the engine stand behind the image."
    ),
    "option_behind_image": _(
        "Behind the image this reaches the engine, which does not know it: options of the container stand before it."
    ),
    "container_without_gpus": _("The container sees no GPU: {engine} finds no device and stops."),
    "gpu_list_unquoted": _(
        "Several GPUs need quotes that reach Docker: without the inner ones the list is cut at the comma."
    ),
    "podman_gpus": _("Podman hands out GPUs as CDI devices; --gpus works in newer releases only."),
    "shared_memory_missing": _(
        "Docker gives a container 64 MB of shared memory. Processes of the engine pass data through it, above all "
        "with tensor parallelism."
    ),
    "compose_capabilities_missing": _(
        "A device reservation without capabilities [gpu] is refused by Compose."
    ),
    "compose_count_and_ids": _("count and device_ids exclude each other."),
    "ports_with_host_network": _("With the network of the host, published ports are ignored."),
    "address_inside_container_only": _(
        "{engine} listens on {host} here, which nobody outside the container reaches."
    ),
    "published_port_not_served": _(
        "Port {inside} of the container is published, and the engine listens on {port}."
    ),
    "port_in_use": _("Port {port} is taken on this host: the server stops when it binds."),
    # flags
    "flag_unknown": _("{engine} has no such flag in any version that was read."),
    "flag_unknown.instead": _("{engine} has no such flag; {instead} is the one for this."),
    "flag_unknown_here": _(
        "No version that was read has this flag, and version {version} itself was not read: it may be new."
    ),
    "flag_of_other_engine": _("This is a flag of {other}; {engine} has none for it."),
    "flag_of_other_engine.instead": _("This is a flag of {other}. {engine} calls it {instead}."),
    "flag_with_equals": _("This program takes a value as a word of its own, not behind =."),
    "flag_is_in_file": _("There is no flag for this: {key} stands in the YAML file that --config names."),
    "flag_ambiguous": _("This beginning fits several flags: {candidates}. Write the name in full."),
    "flag_removed": _("{engine} no longer has this flag."),
    "flag_removed.since": _("Gone in {engine} {first_without}; {last_with} was the last to have it."),
    "flag_removed.instead": _(
        "Gone in {engine} {first_without}; {last_with} was the last to have it. {instead} does something like it."
    ),
    "flag_renamed": _("{engine} has another name for this: {instead}."),
    "flag_renamed.since": _(
        "Gone in {engine} {first_without}; {last_with} was the last to have it. Now it is {instead}."
    ),
    "flag_of_later_version": _("{engine} {version} does not have this flag yet; {first_with} does."),
    "flag_of_later_version.unknown": _("{engine} {version} does not have this flag yet."),
    "flag_unsure": _(
        "Between the versions that were read this flag came or went: try it on {version} first."
    ),
    "flag_deprecated": _("Announced to go since {since}. It still works in {version}."),
    "flag_deprecated.instead": _(
        "Announced to go since {since}; it still works in {version}. Its successor is {instead}."
    ),
    "flag_shortened": _("Short for {name}. It works; a later version with more flags may find it ambiguous."),
    "flag_given_twice": _("Given twice: the last one counts, {value}."),
    "needs_other_flag": _("This needs {needs}."),
    "flags_exclude_each_other": _("This cannot go together with {other}."),
    # values
    "value_missing": _("This flag needs a value."),
    "value_to_switch": _(
        "This flag is a switch and takes no value: {value} would be a stray word, and {engine} stops."
    ),
    "value_not_known": _("{value} is not a value that {engine} {version} takes. It takes: {allowed}."),
    "value_not_in_version": _(
        "{engine} {version} does not take {value}; {versions} does. It takes: {allowed}."
    ),
    "value_unsure": _("Whether {engine} {version} takes {value} was not read. Known to work: {allowed}."),
    "value_out_of_range": _("{value} is out of range."),
    "value_out_of_range.between": _("{value} is out of range: allowed is {low} to {high}."),
    "value_out_of_range.low": _("{value} is out of range: allowed is {low} and more."),
    "value_out_of_range.high": _("{value} is out of range: allowed is {high} at most."),
    "value_above_other": _("{value} is above {other} ({limit})."),
    "automatic_too_early": _(
        "{engine} does not take {value} here yet: without the flag it takes the model's own length."
    ),
    "not_whole": _("{value} is not a whole number."),
    "not_a_number": _("{value} is not a number."),
    "readable_number_too_early": _("{value} is not read as a number here: write it out."),
    "json_unquoted": _(
        "Without quotes the shell splits the JSON at blanks and takes its quotes away. Put it in single quotes."
    ),
    "json_inner_quotes": _(
        "The quotes around the JSON and those in it are the same, so the shell takes both away. Use single quotes outside."
    ),
    "json_not_json": _("This is not valid JSON."),
    "json_expected": _('{value} is not what this takes: it wants JSON, such as \'{{"key": "value"}}\'.'),
    # across flags
    "budget_below_sequences": _(
        "A pass of {budget} tokens is smaller than {sequences} sequences, of which each needs one token."
    ),
    "budget_below_length": _(
        "Without chunked prefill a whole prompt must fit into one pass: {budget} tokens are fewer than {length}."
    ),
    "block_no_multiple_of_unit": _(
        "A block of {size} tokens is not a multiple of {unit}, in which the attention kernels on GPUs page."
    ),
    "gguf_not_built_in": _(
        "GGUF files are not built in at this version; {last_with} was the last known to load them. Use a plugin, another checkpoint "
        "format, or llama-server with the same file."
    ),
    "bitsandbytes_not_built_in": _(
        "{model} is stored by bitsandbytes, which is no longer built in at {version}. Use a plugin, or a checkpoint in another format."
    ),
    "bitsandbytes_in_one_flag_only": _("This version wants both flags for bitsandbytes: add {needs}."),
    "quantization_deprecated": _("{method} is on its way out: this version loads it only when told so."),
    "experts_missing": _("{model} has no experts to spread."),
    "eplb_on_one_rank": _("There is nothing to balance on one rank."),
    "dcp_does_not_divide_tp": _("{context} does not divide the tensor size of {tensor}."),
    "dcp_above_copies_of_heads": _(
        "Decode context parallelism uses ranks that hold copies of KV heads: with tensor size {tensor} and "
        "{kv_heads} KV heads at most {most}."
    ),
    "dense_with_external_balancer": _(
        "{model} has no experts: behind an external balancer its copies are started as servers of their own."
    ),
    "grpc_port_not_taken": _("This port is for the other front end ({needs}), and must not be the API's."),
    "flash_attention_needed": _("{needs} needs flash attention, which is off here."),
    "model_is_no_gguf": _("llama-server loads GGUF files; {model} is none."),
    "chunk_no_multiple_of_page": _("The chunk of {chunk} tokens is not a multiple of the page of {page}."),
    "name_with_colon": _("A colon in the public name is refused: it separates an adapter there."),
    "priority_needs_order": _("Priorities work with the orders fcfs and lof, not with {policy}."),
    "ranks_not_over_nodes": _("{ranks} ranks cannot be spread over {nodes} nodes."),
    "replicas_over_nodes": _("Copies over several nodes are refused; attention can be spread over them."),
    "more_ranks_than_cards": _("{ranks} ranks need as many cards; {count} are visible."),
    # the model
    "model_missing": _("No model is named: {engine} does not start without one."),
    "model_not_named": _("No model is named here: {engine} starts with its default, or waits for one."),
    "model_swallowed": _(
        "This flag takes every word up to the next flag, so {model} became a name and no model is left."
    ),
    "model_needs_flag": _("This form takes the model with {needs} only."),
    "model_named_twice": _("The model is named twice; the free word {model} counts."),
    "model_named_twice_refused": _(
        "The model is named twice: beside the free word {model} this flag is refused."
    ),
    "model_not_in_catalog": _("{model} is not in the catalog, so memory and shape are not checked.{close}"),
    "model_letters": _("The hub writes this name {known}."),
    # around
    "variable_not_read": _("{engine} {version} does not read this variable."),
    "variable_not_read.since": _("{engine} no longer reads this variable; {last_with} was the last."),
    "variable_unsure": _("Between the versions that were read this variable came or went."),
    "secret_on_command_line": _(
        "Everybody on this machine can read a key in the list of processes. Use a variable or a file."
    ),
    "secret_in_variable": _(
        "A key typed out stays in the history of the shell and in the description of the container. Set it before, and name it only."
    ),
    "version_unreadable": _(
        "{version} is no version of {engine} that can be read: the newest known one is used."
    ),
    "version_between": _(
        "{engine} {version} itself was not read: what {older} and {newer} have in common is sure."
    ),
    "version_beyond": _("{engine} {version} is newer than what was read ({older}): not verified."),
    "version_before": _("{engine} {version} is older than what was read (from {newer} on): not verified."),
    # risks
    "memory_share_high": _(
        "{share} leaves next to nothing for the driver, other programs and a peak: the start or a long prompt may run "
        "out of memory."
    ),
    "kv_heads_repeated": _(
        "{tensor} ranks share {kv_heads} KV heads: each rank keeps a whole head, so the cache per card stops shrinking."
    ),
    "kv_types_differ": _("K as {k} and V as {v}: memory is sized as if both were {taken}."),
    "kv_cache_not_native": _(
        "{accelerator} has no {dtype} arithmetic: the cache is stored so and computed in 16 bits, and not by every kernel."
    ),
    "dtype_not_on_card": _("{accelerator} has no bfloat16: this start is refused."),
    "quantization_not_sized": _(
        "How much memory {method} takes is not known here: weights are sized as published."
    ),
    "quantization_needs_checkpoint": _(
        "{method} needs a checkpoint that was made for it; {model} is published in {published}."
    ),
    "quantization_differs": _("{model} is published in {published}: {method} contradicts it and is refused."),
    "length_widened": _(
        "{max_model_len} tokens are above the {limit} that the model was made for. Asked for explicitly, so it starts; "
        "answers may get worse."
    ),
    "accelerator_unknown": _("No accelerator {name} in the catalog, so memory is not checked.{close}"),
    "accelerator_ambiguous": _(
        "{name} may be {candidates}. Memory is shown for the first; name one by its id."
    ),
    "accelerator_ambiguous.differ": _(
        "{name} may be {candidates}, and they do not agree. Memory is shown for the first; name one by its id."
    ),
    "cards_idle": _("{count} cards are there and the command uses {ranks}."),
}
