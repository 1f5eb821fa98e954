"""How long an estimate takes: one and a thousand in process, and the command beside a public peer's.

The peer is vramscout, which answers memory only and from a config.json; it is installed into var/peers when
the package index can be reached. Everything is timed in turn on the same machine; read the ratios.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEER = "vramscout==0.7.0"
PEER_HOME = ROOT / "var" / "peers" / "vramscout"
ROUNDS = 15

CONFIG = {
    "architectures": ["Qwen2ForCausalLM"],
    "model_type": "qwen2",
    "hidden_size": 3584,
    "intermediate_size": 18944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "vocab_size": 152064,
    "max_position_embeddings": 32768,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}


def requests() -> list[dict[str, Any]]:
    """A thousand different questions: models × cards × users."""
    models = [
        "Qwen/Qwen2.5-7B-Instruct",
        "openai/gpt-oss-120b",
        "google/gemma-3-27b-it",
        "deepseek-ai/DeepSeek-V3",
    ]
    cards = ["nvidia-rtx-4090", "nvidia-h100-sxm5-80gb", "nvidia-l40s", "amd-mi300x", "apple-m2-ultra"]
    return [
        {
            "model": {"id": model},
            "accelerator": card,
            "settings": {"max_model_len": 8192, "max_num_seqs": users},
            "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": users},
        }
        for model, card, users in product(models, cards, range(1, 51))
    ]


def median_ms(call: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Median wall time of a call in ms, after one call that is not counted."""
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def in_process() -> None:
    """Parse, estimate, explain and put into words, as the page and the API do."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from planner.answers.estimates import answer
    from planner.catalog import load_shipped

    catalog = load_shipped()
    questions = requests()
    one = median_ms(lambda: answer(questions[:1], catalog=catalog), 200)
    many = median_ms(lambda: answer(questions, catalog=catalog), 5)
    print(f"one estimate, in process                    {one:8.2f} ms")
    print(
        f"{len(questions)} estimates in one batch                 {many:8.0f} ms   ({many / len(questions):.3f} ms each)"
    )


def peer_command(folder: Path) -> list[str] | None:
    """The peer's command for the same question, or None when it cannot be installed."""
    binary = PEER_HOME / "bin" / "vramscout"
    if not binary.exists():
        venv.create(PEER_HOME, with_pip=True)
        done = subprocess.run(
            [PEER_HOME / "bin" / "pip", "install", "-q", PEER], capture_output=True, check=False
        )
        if done.returncode != 0:
            return None
    (folder / "config.json").write_text(json.dumps(CONFIG))
    flags = ["--vram-gib", "24", "--context", "4096", "--batch-size", "16", "--engine", "vllm", "--json"]
    return [str(binary), str(folder), *flags]


def commands() -> None:
    """Whole processes in turn: ours, theirs, ours, theirs."""
    question = json.dumps(
        {
            "model": {"config": CONFIG},
            "accelerator": "nvidia-rtx-4090",
            "settings": {"max_model_len": 4096, "max_num_seqs": 16},
            "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
        }
    )
    ours = [sys.executable, "manage.py", "estimate", "--catalog", "shipped"]
    with tempfile.TemporaryDirectory() as name:
        theirs = peer_command(Path(name))
        pairs: list[tuple[float, float]] = []
        for _ in range(ROUNDS + 1):
            mine = _wall_s(ours, question)
            pairs.append((mine, _wall_s(theirs, "") if theirs else float("nan")))
    mine = statistics.median(pair[0] for pair in pairs[1:])
    print(f"the command, one question, with start-up    {mine:8.2f} s")
    if theirs is None:
        print(f"{PEER} could not be installed here: not compared")
        return
    other = statistics.median(pair[1] for pair in pairs[1:])
    ratio = statistics.median(a / b for a, b in pairs[1:])
    print(f"{PEER}, memory only, with start-up {other:8.2f} s   ours / theirs {ratio:.2f}×")


def _wall_s(command: list[str], text: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, input=text, capture_output=True, text=True, cwd=ROOT, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    in_process()
    commands()
