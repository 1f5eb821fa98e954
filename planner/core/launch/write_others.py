"""The commands that start SGLang, TensorRT-LLM and llama.cpp as planned."""

from planner.core.batch import MemoryBatch
from planner.core.defaults import reserved_slots
from planner.core.launch.checkpoint import Checkpoint, checkpoint, gguf, is_hub_name
from planner.core.launch.draft import ASKED, Draft
from planner.core.launch.launch import ConfigFile
from planner.core.launch.write_vllm import DTYPES, without_bf16
from planner.core.outcome import Reason
from planner.core.request import Parallelism

SGLANG_ON_LOAD = {"fp8": "fp8"}
QUANTIZED_CACHE = ("q", "iq")
CONFIG_NAME = "trtllm.yaml"


def write_sglang(draft: Draft, batch: MemoryBatch, row: int) -> Checkpoint:
    """Put SGLang's flags down; returns the weights to name."""
    request, parallelism = draft.request, draft.request.parallelism
    weights = checkpoint(request, quantizes_on_load=request.scheme.id in SGLANG_ON_LOAD, gguf_from_hub=False)
    if weights.gguf_file and not request.scheme_as_published and is_hub_name(request.model):
        draft.put("--tokenizer-path", request.model.id, Reason(code="tokenizer_of_gguf"))
    if weights.on_load:
        values = {"scheme": request.scheme.id}
        draft.put(
            "--quantization",
            SGLANG_ON_LOAD[request.scheme.id],
            Reason(code="quantizes_on_load", values=values),
        )
    wanted = DTYPES.get(request.scheme.id)
    if without_bf16(request):
        values = {"accelerator": request.accelerator.name if request.accelerator else ""}
        draft.put("--dtype", "float16", Reason(code="card_without_bf16", values=values))
    elif wanted is not None and not request.scheme_as_published and not weights.placeholder:
        draft.put("--dtype", wanted, Reason(code="dtype_as_planned", values={"scheme": request.scheme.id}))
    copies = attention_copies(parallelism)
    group = parallelism.tensor * copies
    for name, degree, code in (
        ("--tp-size", group, "cards_share_layers"),
        ("--pp-size", parallelism.pipeline, "stages_of_layers"),
        ("--attn-dp-size", copies, "attention_copies"),
        ("--dp-size", parallelism.data if copies == 1 else 1, "replicas"),
        ("--ep-size", group if parallelism.expert else 1, "whole_experts"),
    ):
        if degree > 1:
            draft.put(name, degree, Reason(code=code, values={"degree": degree}))
    if request.kv_cache_dtype != "auto":
        draft.put_setting("--kv-cache-dtype", "kv_cache_dtype", request.kv_cache_dtype)
    draft.put_setting("--context-length", "max_model_len", int(batch.max_model_len[row]))
    # Copies of the attention divide both of these among themselves
    draft.put_setting("--max-running-requests", "max_num_seqs", copies * int(batch.max_num_seqs[row]))
    _chunk(draft, copies * int(batch.max_num_batched_tokens[row]))
    share = round(float(batch.gpu_memory_utilization[row]), 3)
    draft.put_setting("--mem-fraction-static", "gpu_memory_utilization", share)
    if request.settings.enforce_eager:
        for name in ("--cuda-graph-backend-decode", "--cuda-graph-backend-prefill"):
            draft.put(name, "disabled", draft.why.get("enforce_eager", ASKED))
    return weights


def attention_copies(parallelism: Parallelism) -> int:
    """Copies of the attention in one server, where replicas share out whole experts; 1: replicas share nothing."""
    return parallelism.data if parallelism.expert else 1


def _chunk(draft: Draft, tokens: int) -> None:
    """The prefill chunk, which must be whole pages."""
    page = draft.request.settings.block_size
    if page is not None and tokens % page:
        tokens -= tokens % page
    if tokens > 0:
        draft.put_setting("--chunked-prefill-size", "max_num_batched_tokens", tokens)
    if page is not None:
        draft.put_setting("--page-size", "block_size", page)


def write_tensorrt_llm(draft: Draft, batch: MemoryBatch, row: int) -> tuple[Checkpoint, ConfigFile | None]:
    """Put trtllm-serve's flags down; returns the weights to name and the file for what has no flag.

    Of two names of a flag the older one is written: releases before the one that was read know only that.
    """
    request, parallelism = draft.request, draft.request.parallelism
    weights = checkpoint(request, quantizes_on_load=False, gguf_from_hub=False)
    draft.put("--backend", "pytorch", Reason(code="backend_named"))
    copies = attention_copies(parallelism)
    group = parallelism.tensor * copies
    for name, spelled, degree, code in (
        ("--tensor_parallel_size", "--tp_size", group, "cards_share_layers"),
        ("--pipeline_parallel_size", "--pp_size", parallelism.pipeline, "stages_of_layers"),
        ("--moe_expert_parallel_size", "--ep_size", group if parallelism.expert else 1, "whole_experts"),
    ):
        if degree > 1:
            draft.put(name, degree, Reason(code=code, values={"degree": degree}), spelled=spelled)
    if parallelism.data > copies:
        draft.notes.append(Reason(code="server_per_replica", values={"replicas": parallelism.data}))
    draft.put_setting("--max_batch_size", "max_num_seqs", int(batch.max_num_seqs[row]))
    draft.put_setting("--max_num_tokens", "max_num_batched_tokens", int(batch.max_num_batched_tokens[row]))
    draft.put_setting("--max_seq_len", "max_model_len", int(batch.max_model_len[row]))
    share = round(float(batch.gpu_memory_utilization[row]), 4)
    draft.put_setting(
        "--free_gpu_memory_fraction",
        "gpu_memory_utilization",
        share,
        spelled="--kv_cache_free_gpu_memory_fraction",
    )
    config = _config(draft, share)
    if config is not None:
        draft.put("--config", config.name, Reason(code="config_file"), spelled="--extra_llm_api_options")
    return weights, config


def _config(draft: Draft, share: float) -> ConfigFile | None:
    """What trtllm-serve has no flag for. A cache section replaces that of the command line, so it repeats the share."""
    request = draft.request
    cache: list[str] = []
    if request.kv_cache_dtype != "auto":
        cache.append(f"  dtype: {request.kv_cache_dtype}")
    if request.settings.block_size is not None:
        cache.append(f"  tokens_per_block: {request.settings.block_size}")
    lines = ["kv_cache_config:", f"  free_gpu_memory_fraction: {share:.4g}", *cache] if cache else []
    if attention_copies(request.parallelism) > 1:
        lines.append("enable_attention_dp: true")
    if request.settings.enforce_eager:
        lines.append("cuda_graph_config: null")
    return ConfigFile(name=CONFIG_NAME, text="\n".join(lines) + "\n") if lines else None


def write_llama_cpp(draft: Draft, batch: MemoryBatch, row: int) -> Checkpoint:
    """Put llama-server's flags down; returns the file to name. Its context is that of all slots together."""
    request = draft.request
    weights = gguf(request, from_hub=True)
    slots, length = reserved_slots(request), int(batch.max_model_len[row])
    values = {"slots": slots, "max_model_len": length}
    code = "context_of_all_slots" if slots > 1 else "context_shared_by_slots"
    draft.put("--ctx-size", slots * length, Reason(code=code, values=values))
    if request.settings.max_num_seqs is not None:
        draft.put_setting("--parallel", "max_num_seqs", slots)
    if request.settings.max_num_batched_tokens is not None:
        draft.put_setting("--batch-size", "max_num_batched_tokens", request.settings.max_num_batched_tokens)
    card = request.accelerator
    on_gpu = card is not None and card.accelerator_class != "cpu"
    quantized = request.kv_cache_dtype.startswith(QUANTIZED_CACHE)
    if on_gpu:
        draft.put("--gpu-layers", "all", Reason(code="all_layers_on_card"))
    if on_gpu or quantized:
        code = "quantized_cache_needs_it" if quantized else "flash_attention"
        draft.put("--flash-attn", "on", Reason(code=code))
    if request.kv_cache_dtype != "auto":
        for name in ("--cache-type-k", "--cache-type-v"):
            draft.put_setting(name, "kv_cache_dtype", request.kv_cache_dtype)
    parallelism = request.parallelism
    if parallelism.tensor * parallelism.pipeline > 1:
        devices = {"degree": parallelism.tensor * parallelism.pipeline}
        draft.put("--split-mode", "layer", Reason(code="layers_over_cards", values=devices))
    if parallelism.data > 1:
        draft.notes.append(Reason(code="server_per_replica", values={"replicas": parallelism.data}))
    return weights
