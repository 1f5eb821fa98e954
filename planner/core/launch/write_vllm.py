"""The command that starts vLLM as planned."""

import math
from functools import lru_cache

from planner.core.batch import MemoryBatch
from planner.core.launch.checkpoint import Checkpoint, checkpoint, is_hub_name
from planner.core.launch.draft import ASKED, Draft
from planner.core.launch.flags import FlagTable, value_table
from planner.core.launch.tables import release_in, span
from planner.core.layout import cuda_capability
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest

FIRST_BF16_CAPABILITY = (8, 0)
DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
# Schemes that vLLM makes out of wide weights while it loads them, by the name of the method.
BITSANDBYTES = "bitsandbytes"
ON_LOAD = {"fp8": "fp8", "bnb-nf4": BITSANDBYTES}


def quantizes_on_load(request: EstimateRequest, table: FlagTable) -> bool:
    """Whether this version makes the scheme of a plan out of wide weights."""
    method = ON_LOAD.get(request.scheme.id)
    return method is not None and method in value_table(table, "quantization", request.engine.version)


def write_vllm(draft: Draft, batch: MemoryBatch, row: int) -> tuple[Checkpoint, dict[str, str]]:
    """Put the flags of a plan down. Returns the weights to name and the environment to set."""
    request = draft.request
    on_load = quantizes_on_load(request, draft.table)
    weights = checkpoint(request, quantizes_on_load=on_load, gguf_from_hub=False)
    _weights(draft, weights)
    _parallelism(draft)
    if request.kv_cache_dtype != "auto":
        draft.put_setting("--kv-cache-dtype", "kv_cache_dtype", request.kv_cache_dtype)
    environment = _limits(draft, batch, row)
    if request.settings.block_size is not None:
        draft.put_setting("--block-size", "block_size", request.settings.block_size)
    if request.settings.enforce_eager:
        draft.put("--enforce-eager", None, draft.why.get("enforce_eager", ASKED))
    return weights, environment


def _weights(draft: Draft, weights: Checkpoint) -> None:
    request, scheme = draft.request, draft.request.scheme
    if weights.gguf_file and not request.scheme_as_published and is_hub_name(request.model):
        draft.put("--tokenizer", request.model.id, Reason(code="tokenizer_of_gguf"))
    if weights.on_load:
        method = ON_LOAD[scheme.id]
        draft.put("--quantization", method, Reason(code="quantizes_on_load", values={"scheme": scheme.id}))
        if method == BITSANDBYTES:
            # Up to 0.6.6 each of the two is refused without the other; later versions take both.
            draft.put("--load-format", method, Reason(code="loader_of_method"))
    _dtype(draft, weights)


def _dtype(draft: Draft, weights: Checkpoint) -> None:
    request = draft.request
    wanted = DTYPES.get(request.scheme.id)
    if without_bf16(request):
        values = {"accelerator": request.accelerator.name if request.accelerator else ""}
        draft.put("--dtype", "float16", Reason(code="card_without_bf16", values=values))
    elif wanted is not None and not request.scheme_as_published and not weights.placeholder:
        draft.put("--dtype", wanted, Reason(code="dtype_as_planned", values={"scheme": request.scheme.id}))


def without_bf16(request: EstimateRequest) -> bool:
    """Whether the model is made for bfloat16 and the NVIDIA card is too old for it: engines refuse the pair."""
    capability = cuda_capability(request.accelerator)
    bf16 = request.model.dtype == "bfloat16" and request.scheme.id not in {"fp16", "fp32"}
    return bf16 and capability is not None and capability < FIRST_BF16_CAPABILITY


def _parallelism(draft: Draft) -> None:
    parallelism = draft.request.parallelism
    for name, degree, code in (
        ("--tensor-parallel-size", parallelism.tensor, "cards_share_layers"),
        ("--pipeline-parallel-size", parallelism.pipeline, "stages_of_layers"),
    ):
        if degree > 1:
            draft.put(name, degree, Reason(code=code, values={"degree": degree}))
    if parallelism.data > 1:
        if draft.has("--data-parallel-size"):
            values = {"degree": parallelism.data}
            draft.put("--data-parallel-size", parallelism.data, Reason(code="replicas", values=values))
        else:
            draft.notes.append(Reason(code="server_per_replica", values={"replicas": parallelism.data}))
    if parallelism.expert:
        draft.put("--enable-expert-parallel", None, Reason(code="whole_experts"))


def _limits(draft: Draft, batch: MemoryBatch, row: int) -> dict[str, str]:
    length, sequences = int(batch.max_model_len[row]), int(batch.max_num_seqs[row])
    tokens = int(batch.max_num_batched_tokens[row])
    draft.put_setting("--max-model-len", "max_model_len", length)
    draft.put_setting("--max-num-seqs", "max_num_seqs", sequences)
    if tokens < sequences:
        # Left alone the engine refuses this pair: every sequence takes part in a pass with one token at least.
        tokens = sequences
        reason = Reason(code="token_for_each_sequence", values={"sequences": sequences})
        draft.put("--max-num-batched-tokens", tokens, reason)
    else:
        draft.put_setting("--max-num-batched-tokens", "max_num_batched_tokens", tokens)
    if tokens < length and not chunks_by_itself(draft.table, draft.version):
        draft.put("--enable-chunked-prefill", None, Reason(code="chunks_long_prompts"))
    share = round(float(batch.gpu_memory_utilization[row]), 4)
    draft.put_setting("--gpu-memory-utilization", "gpu_memory_utilization", share)
    if not is_cpu(draft.request):
        return {}
    whole_gib = math.floor(float(batch.kv_cache_gib[row]))
    return {"VLLM_CPU_KVCACHE_SPACE": str(whole_gib)} if whole_gib else {}


@lru_cache(maxsize=512)
def chunks_by_itself(found: FlagTable, version: str) -> bool:
    """Whether a version works on long prompts in pieces without being told (the V1 engine)."""
    release = release_in(found, version) or ()
    starts = [
        span(rule["versions"][0]).start
        for rule in found.raw["defaults"]
        if rule["flag"] == "--enable-chunked-prefill"
    ]
    return release >= min(starts)


def is_cpu(request: EstimateRequest) -> bool:
    """Whether the plan runs without an accelerator."""
    return request.accelerator is not None and request.accelerator.accelerator_class == "cpu"
