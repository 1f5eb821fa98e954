"""Checks across flags of vLLM that fail when the configuration is built. Which version has which is in the flag data."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from math import gcd
from typing import Any

from planner.core.check.arguments import Given
from planner.core.check.found import Edit, Finding
from planner.core.check.launch import Launch, digits_of
from planner.core.engines import release_of
from planner.core.kv import STATE_KINDS
from planner.core.launch.lookup import rules_at, value_table
from planner.core.specs import ModelSpec

Rule = Callable[[Launch, ModelSpec | None], Iterator[Finding]]
# Budget offered where it was below the sequences: what the engine takes by itself on small cards.
USUAL_BUDGET = 2048
# Before this release long prompts were cut into chunks only where asked for, or above 32k.
CHUNKS_BY_DEFAULT = (0, 8)
CHUNKED_ABOVE = 32_768
BLOCK_UNIT = 16
# Families of models and how they write tool calls; the first whose letters occur in the model's name counts.
TOOL_PARSERS = (
    ("qwen3-coder", "qwen3_coder"),
    ("qwen", "hermes"),
    ("llama-4", "llama4_pythonic"),
    ("llama", "llama3_json"),
    ("mistral", "mistral"),
    ("mixtral", "mistral"),
    ("deepseek", "deepseek_v3"),
    ("kimi", "kimi_k2"),
    ("granite", "granite"),
    ("gpt-oss", "openai"),
    ("glm", "glm45"),
    ("", "hermes"),
)


def conflict_findings(launch: Launch, model: ModelSpec | None) -> Iterator[Finding]:
    """Every rule of this version that the flags break."""
    holding = {rule["id"]: rule for rule in rules_at(launch.table, launch.version)}
    for rule_id, rule in RULES.items():
        if rule_id in holding:
            yield from rule(launch, model)


def _error(code: str, flag: str, values: Mapping[str, Any], fix: str | None = None, *edits: Edit) -> Finding:
    return Finding(code=code, flag=flag, values=values, fix=fix, edits=edits)


def _batched_vs_seqs(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
    budget, sequences = launch.whole("token_budget"), launch.whole("max_sequences")
    if budget is None or sequences is None or not 0 < budget < sequences:
        return
    fix, edits = launch.set("token_budget", max(USUAL_BUDGET, sequences))
    values = {"budget": budget, "sequences": sequences}
    yield _error("budget_below_sequences", launch.typed("token_budget"), values, fix, *edits)


def _batched_vs_len(launch: Launch, model: ModelSpec | None) -> Iterator[Finding]:
    budget = launch.whole("token_budget")
    length = launch.whole("max_length") or (model.max_position_embeddings if model else None)
    if budget is None or length is None or budget >= length or not _whole_prompts(launch, length):
        return
    fix, edits = launch.set("token_budget", length)
    values = {"budget": budget, "length": length}
    yield _error("budget_below_length", launch.typed("token_budget"), values, fix, *edits)


def _whole_prompts(launch: Launch, length: int) -> bool:
    """Whether prompts are not cut into chunks."""
    chunked = launch.arguments.on("--enable-chunked-prefill")
    if chunked is not None:
        return not chunked
    release = release_of(launch.version or launch.table.newest) or ()
    by_itself = length > CHUNKED_ABOVE and release > (0, 5)
    return release < CHUNKS_BY_DEFAULT and not by_itself


def _above(small: str, large: str, code: str) -> Rule:
    """A number that must not be above another one."""

    def rule(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
        low, high = _number(launch, small), _number(launch, large)
        given = launch.arguments.last(small)
        if low is None or high is None or given is None or low <= high:
            return
        fix = f"{given.typed} {high}"
        yield _error(
            code, given.typed, {"value": low, "other": large, "limit": high}, fix, given.with_value(str(high))
        )

    return rule


def _number(launch: Launch, name: str) -> int | None:
    given = launch.arguments.last(name)
    return digits_of(given.value) if given is not None else None


def _needs(flag: str, other: str, code: str = "needs_other_flag") -> Rule:
    """A switch that another switch must go with."""

    def rule(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
        given = launch.arguments.last(flag)
        if given is None or launch.arguments.on(flag) is False:
            return
        partner = launch.arguments.last(other)
        if partner is None:
            yield _error(code, given.typed, {"needs": other}, other, launch.appended(other))
        elif launch.arguments.on(other) is False:
            yield _error(code, given.typed, {"needs": other}, other, partner.renamed(other))

    return rule


def _not_with(flag: str, other: str) -> Rule:
    """Two flags that exclude each other: the second one is dropped."""

    def rule(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
        first, second = launch.arguments.last(flag), launch.arguments.last(other)
        if first is None or second is None:
            return
        if False in (launch.arguments.on(flag), launch.arguments.on(other)):
            return
        yield _error(
            "flags_exclude_each_other", second.typed, {"other": first.typed}, "", second.dropped(launch.text)
        )

    return rule


def _eplb(launch: Launch, model: ModelSpec | None) -> Iterator[Finding]:
    yield from _needs("--enable-eplb", "--enable-expert-parallel")(launch, model)
    given = launch.arguments.last("--enable-eplb")
    alone = all((launch.whole(name) or 1) == 1 for name in ("tensor_parallel", "data_parallel"))
    if given is not None and launch.arguments.on("--enable-eplb") and alone:
        yield _error("eplb_on_one_rank", given.typed, {}, "", given.dropped(launch.text))


def _expert_parallel(launch: Launch, model: ModelSpec | None) -> Iterator[Finding]:
    given = launch.arguments.last("--enable-expert-parallel")
    if (
        given is None
        or not launch.arguments.on("--enable-expert-parallel")
        or model is None
        or model.moe is not None
    ):
        return
    yield _error("experts_missing", given.typed, {"model": model.id}, "", given.dropped(launch.text))


def _dcp_divides(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
    tensor, context = launch.whole("tensor_parallel") or 1, launch.whole("decode_context_parallel") or 1
    given = launch.of("decode_context_parallel")
    if given is None or context < 1 or tensor < 1 or tensor % context == 0:
        return
    fits = gcd(tensor, context)
    fix, edits = launch.set("decode_context_parallel", fits)
    yield _error("dcp_does_not_divide_tp", given.typed, {"tensor": tensor, "context": context}, fix, *edits)


def _dcp_heads(launch: Launch, model: ModelSpec | None) -> Iterator[Finding]:
    tensor, context = launch.whole("tensor_parallel") or 1, launch.whole("decode_context_parallel") or 1
    given = launch.of("decode_context_parallel")
    if (
        given is None
        or context <= 1
        or model is None
        or any(group.latent_dim for group in model.cache_groups)
    ):
        return
    heads = model.num_kv_heads
    most = tensor // heads if heads else 1
    per_head = model.num_attention_heads // heads if heads else 1
    if tensor > heads and context <= most and per_head % context == 0:
        return
    fits = max(
        (size for size in range(1, max(most, 1) + 1) if tensor % size == 0 and per_head % size == 0),
        default=1,
    )
    fix, edits = launch.set("decode_context_parallel", fits)
    values = {"tensor": tensor, "context": context, "kv_heads": heads, "most": max(most, 1)}
    yield _error("dcp_above_copies_of_heads", given.typed, values, fix, *edits)


def _dense_external(launch: Launch, model: ModelSpec | None) -> Iterator[Finding]:
    if model is None or model.moe is not None or (launch.whole("data_parallel") or 1) <= 1:
        return
    for name in ("--data-parallel-external-lb", "--data-parallel-rank"):
        given = launch.arguments.last(name)
        if given is not None and launch.arguments.on(name) is not False:
            yield _error(
                "dense_with_external_balancer",
                given.typed,
                {"model": model.id},
                "",
                given.dropped(launch.text),
            )
            return


def _deprecated_method(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
    given = launch.of("weight_quantization")
    if given is None or given.value not in value_table(
        launch.table, "quantization_deprecated", launch.version
    ):
        return
    if launch.arguments.on("--allow-deprecated-quantization"):
        return
    fix = "--allow-deprecated-quantization"
    yield _error("quantization_deprecated", given.typed, {"method": given.value}, fix, launch.appended(fix))


def _bnb_pair(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
    pair = {"--quantization": launch.of("weight_quantization"), "--load-format": launch.of("load_format")}
    with_it = [name for name, given in pair.items() if given is not None and given.value == "bitsandbytes"]
    if len(with_it) != 1:
        return
    missing = next(name for name in pair if name not in with_it)
    given, other = pair[with_it[0]], pair[missing]
    assert given is not None
    fix = f"{missing} bitsandbytes"
    edit = other.with_value("bitsandbytes") if other is not None and other.values else launch.appended(fix)
    yield _error("bitsandbytes_in_one_flag_only", given.typed, {"needs": fix}, fix, edit)


def _auto_tool(launch: Launch, model: ModelSpec | None) -> Iterator[Finding]:
    given = launch.arguments.last("--enable-auto-tool-choice")
    if given is None or not launch.arguments.on("--enable-auto-tool-choice"):
        return
    if launch.arguments.last("--tool-call-parser") is not None:
        return
    name = (launch.model or (model.id if model else "")).lower()
    parser = next(parser for part, parser in TOOL_PARSERS if part in name)
    fix = f"--tool-call-parser {parser}"
    yield _error("needs_other_flag", given.typed, {"needs": "--tool-call-parser"}, fix, launch.appended(fix))


def _spec_twice(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
    config = launch.arguments.last("--speculative-config")
    if config is None or not config.values:
        return
    keys = {"--spec-method": "method", "--spec-model": "model", "--spec-tokens": "num_speculative_tokens"}
    text = launch.text[config.value_start : config.value_end] + str(config.found.key or "")
    for name, key in keys.items():
        given = launch.arguments.last(name)
        if given is not None and key in text:
            yield _error(
                "flags_exclude_each_other",
                given.typed,
                {"other": config.typed},
                "",
                given.dropped(launch.text),
            )


def _grpc_port(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
    given = launch.arguments.last("--grpc-port")
    if given is None:
        return
    same = given.value is not None and given.value == _port(launch)
    rust = launch.env.get("VLLM_USE_RUST_FRONTEND") == "1"
    if same or not rust or launch.arguments.on("--grpc"):
        values = {"needs": "VLLM_USE_RUST_FRONTEND=1"}
        yield _error("grpc_port_not_taken", given.typed, values, "", given.dropped(launch.text))


def _port(launch: Launch) -> str:
    port: Given | None = launch.of("port")
    return (port.value if port is not None else None) or "8000"


def _block_unit(launch: Launch, model: ModelSpec | None) -> Iterator[Finding]:
    """Every attention backend on a GPU pages in multiples of 16 tokens; on CPU in multiples of 32."""
    given, size = launch.of("block_size"), launch.whole("block_size")
    has_state = model is not None and any(group.kind in STATE_KINDS for group in model.cache_groups)
    if given is None or size is None or size < 1 or has_state or size % BLOCK_UNIT == 0:
        return
    fits = max(BLOCK_UNIT, size // BLOCK_UNIT * BLOCK_UNIT)
    fix = f"{given.typed} {fits}"
    values = {"size": size, "unit": BLOCK_UNIT}
    yield _error("block_no_multiple_of_unit", given.typed, values, fix, given.with_value(str(fits)))


def _gguf(launch: Launch, _model: ModelSpec | None) -> Iterator[Finding]:
    """GGUF files where no loader is built in: the same file with llama-server is the nearest command."""
    file = launch.model is not None and "gguf" in launch.model.lower()
    method = next(
        (
            given
            for given in (launch.of("weight_quantization"), launch.of("load_format"))
            if given is not None and given.value == "gguf"
        ),
        None,
    )
    if not file and method is None:
        return
    whole = launch.kind == "shell" and launch.program.container is None and bool(launch.program.name)
    values = {"version": launch.version or launch.table.newest, "last_with": "0.23.0"}
    if not (file and whole and launch.model):
        yield _error(
            "gguf_not_built_in", method.typed if method is not None and not file else "model", values
        )
        return
    fix = _llama_server(launch, launch.model)
    yield _error(
        "gguf_not_built_in", "model", values, fix, Edit(launch.program.name[0].start, launch.end, fix)
    )


def _llama_server(launch: Launch, file: str) -> str:
    """The command for llama-server that says the same as this one."""
    length, port, host = launch.whole("max_length"), _port(launch), launch.of("host")
    words = [f"llama-server {'-m' if file.lower().endswith('.gguf') else '-hf'} {shlex.quote(file)}"]
    if length:
        words.append(f"-c {length * (launch.whole('max_sequences') or 1)}")
    if launch.whole("max_sequences"):
        words.append(f"-np {launch.whole('max_sequences')}")
    words.append("-ngl all")
    if host is not None and host.value:
        words.append(f"--host {shlex.quote(host.value)}")
    return " ".join([*words, f"--port {port}"])


RULES: dict[str, Rule] = {
    "gguf": _gguf,
    "block-size-backend": _block_unit,
    "batched-vs-seqs": _batched_vs_seqs,
    "batched-vs-len": _batched_vs_len,
    "active-seqs": _above("--max-num-active-seqs", "--max-num-seqs", "value_above_other"),
    "long-prefill": _above("--long-prefill-token-threshold", "--max-model-len", "value_above_other"),
    "bnb-pair": _bnb_pair,
    "quant-deprecated": _deprecated_method,
    "ep-needs-moe": _expert_parallel,
    "eplb-needs-ep": _eplb,
    "dcp-tp": _dcp_divides,
    "dcp-gqa": _dcp_heads,
    "dp-lb": _not_with("--data-parallel-external-lb", "--data-parallel-hybrid-lb"),
    "dp-dense-external": _dense_external,
    "spec-twice": _spec_twice,
    "log-outputs": _needs("--enable-log-outputs", "--enable-log-requests"),
    "auto-tool": _auto_tool,
    "grpc-port": _grpc_port,
    "per-request-metrics": _not_with("--enable-per-request-metrics", "--disable-log-stats"),
}
