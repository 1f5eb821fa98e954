"""A grid of plans over models, engines, versions, cards and formats: every command reads back, every flag is there."""

import itertools
from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import evaluate
from planner.core.launch.commands import commands
from planner.core.launch.flags import table
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from tests.planner.core.launch.reading import (
    compose_words,
    faults,
    file_of,
    shell_words,
    systemd_words,
)

CATALOG = load_shipped()
WORKLOAD = {"input_tokens": 1024, "output_tokens": 256, "concurrency": 8}
VLLM_VERSIONS = [text for _, text in table(CATALOG.flags, "vllm").read]
SETTINGS: list[dict[str, Any]] = [
    {"max_model_len": 4096, "max_num_seqs": 8},
    {"max_model_len": 2048, "max_num_seqs": 4, "max_num_batched_tokens": 1024, "enforce_eager": True},
    {"max_model_len": 4096, "block_size": 16, "gpu_memory_utilization": 0.85},
]
MODELS = [
    ("Qwen/Qwen2.5-7B-Instruct", [None, "fp8", "awq-int4", "int4-g128", "bnb-nf4", "fp16"]),
    ("meta-llama/Llama-3.1-8B-Instruct", [None, "int8-w8a8"]),
    ("Qwen/Qwen3-30B-A3B", ["gptq-int4", "fp8"]),
]
CARDS = [
    ("nvidia-rtx-4090", {}),
    ("nvidia-h100-sxm5-80gb", {"tensor": 2}),
    ("nvidia-v100-sxm2-32gb", {"tensor": 2, "data": 2}),
    ("amd-mi300x", {"expert": True}),
    ("cpu-epyc-9004-12ch-ddr5-4800", {}),
]
GRID = [
    *(
        ("vllm", version, model, scheme, card, parallelism)
        for version in VLLM_VERSIONS
        for (model, schemes), (card, parallelism) in itertools.product(MODELS, CARDS)
        for scheme in schemes
    ),
    *(
        (engine, None, model, scheme, card, parallelism)
        for engine in ("sglang", "tensorrt-llm")
        for (model, schemes), (card, parallelism) in itertools.product(MODELS, CARDS)
        for scheme in schemes
    ),
    *(
        ("llama.cpp", None, model, scheme, card, parallelism)
        for (model, _), (card, parallelism) in itertools.product(
            MODELS, [*CARDS, ("apple-m3-max", {}), ("intel-arc-b580", {})]
        )
        for scheme in ("gguf-q4_k_m", "gguf-q8_0", "bf16")
    ),
]
CACHES = {
    "vllm": ("auto", "fp8"),
    "sglang": ("auto", "fp8_e4m3"),
    "tensorrt-llm": ("auto", "fp8"),
    "llama.cpp": ("auto", "q8_0"),
}
ENGINES = ["vllm", "sglang", "tensorrt-llm", "llama.cpp"]


def plans(engine: str) -> list[EstimateRequest]:
    """Every plan of the grid, each with another of the settings and caches in turn."""
    asked = []
    for place, (name, version, model, scheme, card, parallelism) in enumerate(GRID):
        if name != engine:
            continue
        request = {
            "model": {"id": model},
            "weights": scheme,
            "kv_cache_dtype": CACHES[engine][place % 2],
            "accelerator": card,
            "parallelism": parallelism if "A3B" in model or not parallelism.get("expert") else {},
            "engine": {"name": engine, "version": version},
            "settings": SETTINGS[place % 3],
            "workload": WORKLOAD,
        }
        parsed = parse_request(request, CATALOG)
        assert isinstance(parsed, EstimateRequest), (request, parsed)
        asked.append(parsed)
    return asked


def written(engine: str) -> list[tuple[EstimateRequest, dict[str, Any]]]:
    settled, memory_batch, _ = evaluate(plans(engine), CATALOG)
    answers = [commands(plan, memory_batch, row, flags=CATALOG.flags) for row, plan in enumerate(settled)]
    return [(plan, answer) for plan, answer in zip(settled, answers, strict=True) if answer is not None]


WRITTEN = {engine: written(engine) for engine in ENGINES}


def test_grid_has_hundreds_of_commands() -> None:
    counted = {
        engine: sum(answer["shell"] is not None for _, answer in found) for engine, found in WRITTEN.items()
    }
    assert counted["vllm"] > 400
    assert all(count > 10 for count in counted.values()), counted


@pytest.mark.parametrize("engine", ENGINES)
def test_every_shell_command_has_only_flags_of_its_version(engine: str) -> None:
    found = table(CATALOG.flags, engine)
    for plan, answer in WRITTEN[engine]:
        if answer["shell"] is None:
            continue
        words = shell_words(answer["shell"])
        while "=" in words[0]:
            words = words[1:]
        rest = words[next(place for place, word in enumerate(words) if word.startswith("--")) :]
        assert faults(found, rest, plan.engine.version) == [], answer["shell"]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_flag_of_the_answer_stands_in_every_form(engine: str) -> None:
    for _, answer in WRITTEN[engine]:
        listed = [
            word for flag in answer["flags"] for word in (flag["flag"], flag["value"]) if word is not None
        ]
        forms = {name: answer[name] for name in ("shell", "docker", "compose", "systemd") if answer[name]}
        for name, text in forms.items():
            words = {
                "shell": shell_words,
                "docker": shell_words,
                "compose": lambda text: compose_words(text)[1],
                "systemd": systemd_words,
            }[name](text)
            assert [word for word in listed if word not in words and not word.endswith(".yaml")] == [], text


@pytest.mark.parametrize("engine", ENGINES)
def test_every_container_command_agrees_with_the_shell(engine: str) -> None:
    """Behind the image stand the words of the shell: without the program where the image starts it, plus an address."""
    seen = 0
    for _, answer in WRITTEN[engine]:
        if not answer["docker"]:
            continue
        seen += 1
        words = shell_words(answer["docker"])
        assert words[:3] == ["docker", "run", "--rm"]
        image = next(
            place
            for place, word in enumerate(words)
            if "/" in word and ":" in word and words[place - 1] not in {"-v", "-p"}
        )
        behind = [word for word in words[image + 1 :] if not word.endswith(".yaml")]
        typed = [word for word in shell_words(answer["shell"]) if not word.endswith(".yaml")]
        flags = [word for word in typed if word.startswith("--") and word not in {"--model", "--model-path"}]
        assert [word for word in behind if word.startswith("--") and word in flags] == flags
        extra = {word for word in behind if word.startswith("--")} - set(typed)
        assert extra <= {"--host", "--model"}
    assert seen > 5


def test_compose_files_reserve_gpus_with_the_capability() -> None:
    seen = 0
    for plan, answer in WRITTEN["vllm"]:
        if answer["compose"] is None:
            continue
        seen += 1
        service, words = compose_words(answer["compose"])
        image = shell_words(answer["docker"]).index(service["image"])
        assert words == shell_words(answer["docker"])[image + 1 :]
        [device] = service["deploy"]["resources"]["reservations"]["devices"]
        assert device["capabilities"] == ["gpu"]
        assert device["driver"] == "nvidia"
        assert "count" not in device
        assert len(device["device_ids"]) in {plan.count, plan.parallelism.tensor * plan.parallelism.pipeline}
        assert all(isinstance(word, str) for word in words)
    assert seen > 100


def test_systemd_units_start_an_absolute_path_with_the_words_of_the_shell() -> None:
    for _, answer in WRITTEN["vllm"]:
        if answer["systemd"] is None:
            continue
        program, *rest = systemd_words(answer["systemd"])
        typed = shell_words(answer["shell"])
        while "=" in typed[0]:
            variable = typed.pop(0)
            assert f"Environment={variable}" in answer["systemd"].splitlines()
        assert program == f"/opt/vllm/bin/{typed[0]}"
        assert rest == typed[1:]


def test_replicas_are_servers_of_their_own_where_the_flag_is_not_there() -> None:
    """--data-parallel-size: absent in 0.8.1, present in 0.8.5 (vllm/engine/arg_utils.py)."""
    for plan, answer in WRITTEN["vllm"]:
        if plan.parallelism.data == 1 or answer["shell"] is None:
            continue
        has_flag = "--data-parallel-size" in answer["shell"]
        assert has_flag is (VLLM_VERSIONS.index(plan.engine.version) >= VLLM_VERSIONS.index("0.8.5"))
        told = any(note["code"] == "server_per_replica" for note in answer["notes"])
        assert told is not has_flag


def test_files_that_a_command_writes_are_yaml() -> None:
    files = [file_of(answer["shell"]) for _, answer in WRITTEN["tensorrt-llm"] if answer["shell"]]
    caches = [found["kv_cache_config"] for found in files if found and "kv_cache_config" in found]
    assert any({"dtype": "fp8"}.items() <= cache.items() for cache in caches)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "llama.cpp"])
def test_commands_of_a_version_that_was_read_are_verified(engine: str) -> None:
    """But for what the version cannot do: expert parallelism came to vLLM between 0.7.3 and 0.8.1."""
    early = VLLM_VERSIONS[: VLLM_VERSIONS.index("0.8.1")]
    for plan, answer in WRITTEN[engine]:
        if answer["shell"] is None:
            continue
        left_out = [note["values"]["flag"] for note in answer["notes"] if note["code"] == "flag_left_out"]
        too_early = plan.parallelism.expert and plan.engine.version in early
        assert left_out == (["--enable-expert-parallel"] if too_early else [])
        assert answer["verified"] is not too_early


def test_no_command_of_tensorrt_llm_calls_itself_verified() -> None:
    """Which release its table is of is not known."""
    assert {answer["verified"] for _, answer in WRITTEN["tensorrt-llm"]} == {False}


def test_no_checkpoint_is_named_that_nobody_published() -> None:
    """A name of the hub is a name of the catalog; anything else says that it is to be filled in."""
    for engine in ENGINES:
        for _, answer in WRITTEN[engine]:
            if answer["shell"] is None:
                continue
            words = shell_words(answer["shell"])
            named = [word.partition(":")[0] for word in words if "/" in word and not word.startswith("/")]
            assert all(word in CATALOG.models for word in named), words
            if not named:
                assert any("YOUR_" in word for word in words), words


def test_no_secret_stands_in_any_command() -> None:
    for engine in ENGINES:
        for _, answer in WRITTEN[engine]:
            for form in ("shell", "docker", "compose", "systemd"):
                assert "--api-key" not in (answer[form] or "")
                assert "TOKEN=" not in (answer[form] or "")
