"""Checks across flags of llama-server, SGLang and TensorRT-LLM."""

import shlex
from collections.abc import Iterator

from planner.core.check.found import Edit, Finding
from planner.core.check.launch import Launch, number_of
from planner.core.launch.lookup import rules_at

PLAIN_CACHE = frozenset({"f32", "f16", "bf16"})


def other_conflicts(launch: Launch) -> Iterator[Finding]:
    """Every rule of an engine other than vLLM that the flags break."""
    if launch.engine == "llama.cpp":
        yield from _llama(launch)
    holding = {rule["id"] for rule in rules_at(launch.table, launch.version)}
    if launch.engine == "sglang":
        yield from _sglang(launch, holding)
    if launch.engine == "tensorrt-llm":
        yield from _tensorrt(launch)


def _llama(launch: Launch) -> Iterator[Finding]:
    arguments = launch.arguments
    attention, values = arguments.last("--flash-attn"), arguments.last("--cache-type-v")
    off = attention is not None and attention.value == "off"
    if off and attention is not None:
        split = arguments.last("--split-mode")
        needs = None
        if values is not None and values.value and values.value not in PLAIN_CACHE:
            needs = f"{values.typed} {shlex.quote(values.value)}"
        elif split is not None and split.value == "tensor":
            needs = f"{split.typed} tensor"
        if needs is not None:
            yield Finding(
                code="flash_attention_needed",
                flag=attention.typed,
                values={"needs": needs},
                fix=f"{attention.typed} on",
                edits=(attention.with_value("on"),),
            )
    yield from _llama_model(launch)


def _llama_model(launch: Launch) -> Iterator[Finding]:
    """llama-server loads GGUF files only."""
    given = launch.arguments.last("--model")
    if given is None or given.value is None or given.value.lower().endswith(".gguf"):
        return
    repository = given.value.count("/") == 1 and not given.value.startswith((".", "/", "~"))
    if repository:
        name = given.value if "gguf" in given.value.lower() else f"{given.value}-GGUF:Q4_K_M"
        fix = f"-hf {shlex.quote(name)}"
        yield Finding(
            code="model_is_no_gguf",
            flag=given.typed,
            values={"model": given.value},
            fix=fix,
            edits=(Edit(given.start, given.end, fix),),
        )
    else:
        yield Finding(code="model_is_no_gguf", flag=given.typed, values={"model": given.value})


def _sglang(launch: Launch, holding: set[str]) -> Iterator[Finding]:
    if "nodes" in holding:
        yield from _nodes(launch)
    chunk, page = launch.arguments.last("--chunked-prefill-size"), launch.whole("block_size")
    size = number_of(chunk.value) if chunk is not None else None
    if "chunk-page" in holding and chunk is not None and size and page and size > 0 and size % page:
        fits = max(page, int(size) // page * page)
        yield Finding(
            code="chunk_no_multiple_of_page",
            flag=chunk.typed,
            values={"chunk": int(size), "page": page},
            fix=f"{chunk.typed} {fits}",
            edits=(chunk.with_value(str(fits)),),
        )
    name = launch.of("public_name")
    if "colon" in holding and name is not None and name.value is not None and ":" in name.value:
        fix = name.value.replace(":", "-")
        yield Finding(
            code="name_with_colon",
            flag=name.typed,
            values={"name": name.value},
            fix=f"{name.typed} {fix}",
            edits=(name.with_value(fix),),
        )
    compiled = launch.arguments.last("--enable-torch-compile")
    padding = launch.arguments.last("--disable-cuda-graph-padding")
    if "compile-padding" in holding and compiled is not None and padding is not None:
        yield Finding(
            code="flags_exclude_each_other",
            flag=padding.typed,
            values={"other": compiled.typed},
            fix="",
            edits=(padding.dropped(launch.text),),
        )
    policy = launch.arguments.last("--schedule-policy")
    ranked = launch.arguments.last("--enable-priority-scheduling")
    if "priority" in holding and ranked and policy and policy.value not in ("fcfs", "lof", None):
        yield Finding(
            code="priority_needs_order",
            flag=policy.typed,
            values={"policy": policy.value},
            fix=f"{policy.typed} fcfs",
            edits=(policy.with_value("fcfs"),),
        )


def _nodes(launch: Launch) -> Iterator[Finding]:
    nodes, given = launch.whole("nodes") or 1, launch.of("nodes")
    ranks = (launch.whole("tensor_parallel") or 1) * (launch.whole("pipeline_parallel") or 1)
    if given is not None and nodes > 1 and ranks % nodes:
        yield Finding(code="ranks_not_over_nodes", flag=given.typed, values={"ranks": ranks, "nodes": nodes})
    replicas = launch.of("data_parallel")
    if replicas is not None and nodes > 1 and (launch.whole("data_parallel") or 1) > 1:
        fix = replicas.piece("--attn-dp-size", launch.text)
        yield Finding(
            code="replicas_over_nodes",
            flag=replicas.typed,
            values={"nodes": nodes},
            fix=fix,
            edits=(replicas.renamed("--attn-dp-size"),),
        )


def _tensorrt(launch: Launch) -> Iterator[Finding]:
    given = launch.arguments.last("--metadata_server_config_file", "--disagg_cluster_uri")
    if given is not None and launch.arguments.last("--server_role") is None:
        yield Finding(code="needs_other_flag", flag=given.typed, values={"needs": "--server_role"})
