"""Launch commands against a real engine: its parser takes each, and one starts what the plan predicts.

vLLM runs here without a GPU, so that what needs a card (quantized kernels, tensor parallelism over links) stays
unchecked beyond the parser; the list at the end says so.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

from e2e.verdicts import compared
from e2e.vllm_cpu import VERSION, Vllm, VllmError, complete, faults, installed, printed_kv_tokens, serving
from scripts.services import free_port

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "var" / "e2e" / "vllm"
MODELS = (
    "Qwen/Qwen2.5-7B-Instruct",
    "Qwen/Qwen3-30B-A3B",
    "meta-llama/Llama-3.1-70B-Instruct",
    "openai/gpt-oss-20b",
    "deepseek-ai/DeepSeek-V3",
    "google/gemma-3-27b-it",
    "mistralai/Mistral-Small-24B-Instruct-2501",
)
CARDS = (
    ("nvidia-rtx-4090", 1),
    ("nvidia-rtx-3090", 2),
    ("nvidia-l40s", 4),
    ("nvidia-h100-sxm5-80gb", 8),
    ("nvidia-t4", 1),
    ("amd-mi300x", 8),
)
WEIGHTS = (None, "fp8", "awq-int4", "gptq-int4", "int8-w8a8", "bnb-nf4", "nvfp4")
CACHES = ("auto", "fp8", "int8_per_token_head")
NOT_CHECKED = (
    "quantized kernels, GPUs, links between cards (there is no card here: the parser took the flags)",
    "the images of the docker and compose forms (nothing is pulled)",
    "SGLang, TensorRT-LLM and llama.cpp (their flags are held against the tables only)",
)
SPACE = "VLLM_CPU_KVCACHE_SPACE"
MODEL_NAME = "tiny"


def main() -> int:
    """Run the checks and return the exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    try:
        engine = installed(Path(os.environ.get("DECODECK_E2E_VLLM", FOLDER)))
        failed = _parsed(engine) + compared(engine) + _started(engine)
    except VllmError as error:
        print(f"make e2e: {error}", file=sys.stderr)
        return 1
    print("\nNot checked:")
    for text in NOT_CHECKED:
        print(f"  - {text}")
    return 1 if failed else 0


def _estimates(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    from planner.answers.estimates import answer
    from planner.queries import shipped_catalog

    return answer(requests, catalog=shipped_catalog())


def _requests() -> list[dict[str, Any]]:
    """Every combination of model, cards, weights and cache."""
    return [
        {
            "id": f"{model} {weights} {cache} {count} x {card}",
            "model": {"id": model},
            "weights": weights,
            "kv_cache_dtype": cache,
            "accelerator": card,
            "count": count,
            "parallelism": {"tensor": count},
            "engine": {"name": "vllm", "version": VERSION},
            "settings": "derive",
            "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
        }
        for model, (card, count), weights, cache in product(MODELS, CARDS, WEIGHTS, CACHES)
    ]


def _recommended() -> list[dict[str, Any]]:
    """The options of four jobs: a chat service, code completion, long documents at night, 70B for many users."""
    from planner.answers.recommendations import answer
    from planner.clock import today
    from planner.queries import shipped_catalog
    from planner.queries.prices import Books

    engine = {"engine": {"name": "vllm", "version": VERSION}}
    jobs = [
        {"model": {"id": "meta-llama/Llama-3.1-8B-Instruct"}, "workload": _load(1024, 256, concurrency=16)},
        {
            "model": {"id": "Qwen/Qwen2.5-Coder-32B-Instruct"},
            "workload": _load(2048, 150, requests_per_day=5000, peak_factor=4),
            "targets": {"tpot_ms": 25},
        },
        {
            "model": {"id": "Qwen/Qwen2.5-14B-Instruct"},
            "workload": _load(24000, 1000, concurrency=4),
            "objective": "highest_throughput",
        },
        {"model": {"id": "meta-llama/Llama-3.1-70B-Instruct"}, "workload": _load(1024, 512, concurrency=64)},
    ]
    books = Books(on=today(), stored=False)
    found = answer([{**job, **engine} for job in jobs], catalog=shipped_catalog(), books=books)
    return [option for item in found for option in item["options"]]


def _load(input_tokens: int, output_tokens: int, **load: int) -> dict[str, int]:
    return {"input_tokens": input_tokens, "output_tokens": output_tokens, **load}


def _read(command: str) -> tuple[str, list[str]]:
    """GiB of KV cache in the environment ("" for none) and the words after `vllm`, as a real shell hands them over."""
    stand_in = f'vllm() {{ for word in "${SPACE}" "$@"; do printf "%s\\0" "$word"; done; }}\n'
    shell = {name: value for name, value in os.environ.items() if name != SPACE}
    done = subprocess.run(
        ["sh", "-c", stand_in + command], env=shell, capture_output=True, text=True, check=True
    )
    space, *words = done.stdout.split("\0")[:-1]
    return space, words


def _parsed(engine: Vllm) -> int:
    """Every command of plans that fit, read by the engine's own parser. Returns how many it refused."""
    answers = [item for item in (*_estimates(_requests()), *_recommended()) if item.get("commands")]
    commands = [item["commands"]["shell"] for item in answers]
    if len(commands) < 100:
        raise VllmError(f"only {len(commands)} plans came with a command: the check would prove little")
    found = faults(engine, [_read(command)[1] for command in commands])
    refused = [
        (item["id"], command, fault)
        for item, command, fault in zip(answers, commands, found, strict=True)
        if fault
    ]
    for name, command, fault in refused[:10]:
        print(f"REFUSED {name}\n{command}\n{fault}\n")
    print(f"parsed by vLLM {VERSION}: {len(commands) - len(refused)} of {len(commands)} commands", flush=True)
    return len(refused)


def _started(engine: Vllm) -> int:
    """A plan of a tiny model on this machine, started as planned; its KV line is what was predicted."""
    with tempfile.TemporaryDirectory(prefix="decodeck-tiny-") as name:
        folder = Path(name)
        engine.run(Path(__file__).with_name("tiny_model.py"), name, "256", "4")
        config = json.loads((folder / "config.json").read_text())
        (plan,) = _estimates([_tiny_plan(config)])
        if not plan.get("commands"):
            raise VllmError(f"the plan of the tiny model has no command: {plan.get('reasons') or plan}")
        space, arguments = _read(plan["commands"]["shell"])
        port = free_port()
        arguments = ["serve", name, *arguments[2:], "--served-model-name", MODEL_NAME]
        arguments += ["--host", "127.0.0.1", "--port", str(port)]
        log = folder / "engine.log"
        started = time.monotonic()
        with serving(engine, arguments, port=port, log=log, environment={SPACE: space}) as address:
            usage = complete(address, model=MODEL_NAME, tokens=16)["usage"]
        printed = printed_kv_tokens(log)
    predicted = plan["startup_log"]["kv_cache_tokens"]
    print(f"started in {time.monotonic() - started:.0f} s with {' '.join(arguments[2:])}")
    print(
        f"KV cache tokens: predicted {predicted:,}, printed {printed:,}; {usage['completion_tokens']} tokens answered"
    )
    return int(printed != predicted) + int(usage["completion_tokens"] != 16)


def _tiny_plan(config: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": {"config": config},
        "accelerator": "cpu-desktop-2ch-ddr4-3200",
        "host_memory_gib": 16,
        "engine": {"name": "vllm", "version": VERSION},
        "settings": {"max_model_len": 1024, "max_num_seqs": 8, "enforce_eager": True},
        "workload": {"input_tokens": 128, "output_tokens": 64, "concurrency": 4},
    }


if __name__ == "__main__":
    sys.exit(main())
