"""What launch flags do, by the concern that they answer: the same words whatever an engine calls it."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from planner.core.launch.flags import concept_of, table

CONCEPTS: dict[str, Any] = {
    "model": _("The model to serve: a name on the hub, a folder or a file."),
    "weight_dtype": _("Number format of weights that are not quantized, and of the arithmetic."),
    "weight_quantization": _("Method by which weights are read or made smaller."),
    "kv_dtype": _("Number format of the KV cache: fewer bytes hold more tokens."),
    "max_length": _("Longest request, prompt and answer together."),
    "max_sequences": _("Most requests that decode at the same time."),
    "token_budget": _(
        "Most tokens of one pass over all requests: bounds prefill per step, and memory for activations."
    ),
    "memory_share": _("Share of memory that the engine may use."),
    "block_size": _("Tokens per block of the KV cache."),
    "tensor_parallel": _("Accelerators that share each layer."),
    "pipeline_parallel": _("Accelerators that hold successive layers."),
    "data_parallel": _("Copies of the model behind one address."),
    "expert_parallel": _("Whole experts on each accelerator instead of a slice of each."),
    "prefix_caching": _("Whether equal beginnings of prompts are worked on once."),
    "chunked_prefill": _("Whether long prompts are worked on in pieces between decode steps."),
    "graphs_off": _("Runs without captured graphs: starts sooner and takes less memory, decodes slower."),
    "graph_sizes": _("Batch sizes for which graphs are captured at the start."),
    "speculative": _("A draft proposes tokens that the model checks several at a time."),
    "weights_on_cpu": _("Weights kept in main memory: room on the accelerator, slower steps."),
    "kv_on_cpu": _("KV cache kept in main memory."),
    "public_name": _("Name by which clients ask for the model."),
    "host": _("Address on which it listens."),
    "port": _("Port on which it listens."),
    "api_key": _("Key that clients must send. On a command line every user of the machine can read it."),
    "metrics": _("Figures for Prometheus."),
    "attention_kernels": _("Which implementation of attention runs."),
    "own_all_reduce_off": _("Uses NCCL between accelerators instead of the engine's own way."),
    "trust_remote_code": _("Runs code that comes with the model: only for publishers you trust."),
    "tokenizer": _("A tokenizer other than the model's own."),
    "revision": _("Branch, tag or commit of the model."),
    "load_format": _("How weights are read from disk."),
    "download_dir": _("Where downloaded weights are kept."),
    "chat_template": _("How messages become a prompt."),
    "tool_calls": _("How calls of tools are read out of an answer."),
    "reasoning": _("How thinking is told from the answer."),
    "lora": _("Adapters on top of the model."),
    "lora_adapters": _("Which adapters are loaded."),
    "lora_count": _("Most adapters in one batch."),
    "embedding": _("Serves a model for embeddings or classification instead of text."),
    "log_requests": _("Whether each request is logged."),
    "log_stats_off": _("No statistics; the engine's metrics stop as well."),
    "seed": _("Seed of random numbers."),
    "config_file": _("A file with settings that have no flag, or with flags."),
    "nodes": _("Machines that serve one model together."),
    "node_rank": _("Which of the machines this one is."),
    "decode_context_parallel": _("Spreads the KV cache of one request over accelerators."),
    "prefill_context_parallel": _("Spreads a long prompt over accelerators."),
    "expert_balancing": _("Moves experts while serving, so that accelerators are equally busy."),
    "expert_transport": _("How tokens travel to the experts."),
    "expert_kernels": _("Which implementation of the experts runs."),
    "scheduling_policy": _("In which order waiting requests are served."),
    "queue_limit": _("Refuses requests when this many wait."),
    "overlap_scheduling": _("Whether the next step is planned while this one runs."),
    "compilation": _("How much is compiled at the start, and how."),
    "multimodal_limit": _("Images, videos and sounds per request."),
    "executor": _("How the processes of several accelerators are started."),
    "hf_overrides": _("Changes fields of the model's config."),
    "swap_space": _("Main memory for requests that were put aside, in engines of old."),
    "multi_step": _("Several steps per scheduling, in engines of old."),
    "structured_outputs": _("Keeps answers to a grammar or JSON schema."),
    "performance_mode": _("One word for a set of defaults."),
    "flops_metrics": _("Estimates of arithmetic and memory traffic among the metrics."),
    "sleep": _("Gives memory back while nothing is asked."),
    "shutdown": _("Seconds that running requests get when it is stopped."),
    "devices": _("Which accelerators are used."),
    "platform": _("Kind of accelerator; found without it."),
    "kv_transfer": _("Prefill and decode on different machines, or a cache outside the engine."),
    "fixed_kv_size": _("Fixes the size of the KV cache instead of measuring what is left."),
    "kv_scales": _("Scales of an 8-bit KV cache, made while serving."),
    "task": _("What the model is used for."),
    "generation_defaults": _("Where default sampling settings come from."),
    "fit": _("Lowers what is not set until the model fits."),
    "threads": _("CPU threads."),
    "load_mode": _("How the file of weights is held in memory."),
    "physical_batch": _("Tokens worked on at once: sets the size of compute buffers."),
    "tensor_split": _("How much of the model each accelerator takes."),
    "main_gpu": _("Accelerator that holds what is not split."),
    "unified_slots": _("One KV cache for all slots instead of an equal part each."),
    "full_window_cache": _(
        "Full-size cache for layers with a window: more memory, other prompts can be reused."
    ),
    "backend": _("Which of its own engines it starts."),
}


# Flags that do not do what their like does in other engines
OWN: dict[tuple[str, str], Any] = {
    ("llama.cpp", "--ctx-size"): _(
        "Context of the whole server, prompts and answers together: each of --parallel slots gets an equal part."
    ),
    ("llama.cpp", "--gpu-layers"): _(
        "Layers on the accelerator; the others stay in main memory, on the CPU."
    ),
    ("sglang", "--mem-fraction-static"): _("Share of the accelerator's memory for weights and KV cache."),
    ("tensorrt-llm", "--free_gpu_memory_fraction"): _(
        "Share of the memory that is free after loading, for the KV cache alone."
    ),
}


def flag_words(flags: Mapping[str, Any], engine: str, flag_name: str) -> str:
    """What a flag does, in one sentence; empty where nobody wrote one. `flags` is `Catalog.flags`."""
    if (engine, flag_name) in OWN:
        return str(OWN[engine, flag_name])
    concept = concept_of(table(flags, engine), flag_name)
    return str(CONCEPTS[concept]) if concept in CONCEPTS else ""
