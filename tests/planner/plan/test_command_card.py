"""The card with the launch commands: what it says for a plan, and for the same plan on other engines."""

import re
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.template.loader import render_to_string

from planner.answers import estimates
from planner.catalog import load_shipped
from planner.core.figures import with_unit
from planner.core.launch.elsewhere import on_engine
from planner.core.launch.flags import ENGINES
from planner.core.parse import parse_request
from planner.messages.flags import CONCEPTS, flag_words
from planner.messages.launch import FLAG_REASONS, MISSING, NOTES
from planner.plan.command_card import CommandCard, command_card, pieces
from planner.plan.form import plan_of_request, read_plan

CATALOG = load_shipped()
ASKED: dict[str, Any] = {
    "model": {"id": "meta-llama/Llama-3.1-8B-Instruct"},
    "accelerator": "nvidia-rtx-4090",
    "kv_cache_dtype": "fp8",
    "engine": {"name": "vllm", "version": "0.19.0"},
    "settings": {"max_model_len": 4096, "max_num_seqs": 8, "gpu_memory_utilization": 0.95},
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 8},
}


def card(**changes: Any) -> CommandCard | None:
    asked = {**ASKED, **changes}
    answer = estimates.answer([asked], catalog=CATALOG)[0]
    return command_card(plan_of_request(asked), answer, asked, parse_request(asked, CATALOG), CATALOG)


def test_card_has_four_forms_and_a_reason_for_each_flag() -> None:
    found = card()
    assert [form.name for form in found.forms] == ["Shell", "Docker", "Compose", "systemd"]
    assert found.verified
    assert found.engine == "vLLM 0.19.0"
    assert [why.flag for why in found.whys] == [
        "--kv-cache-dtype fp8",
        "--max-model-len 4096",
        "--max-num-seqs 8",
        "--max-num-batched-tokens 2048",
        "--gpu-memory-utilization 0.95",
    ]
    assert all(why.text and "_" not in why.text.split()[0] for why in found.whys)


def test_what_is_about_the_unit_stands_with_the_unit() -> None:
    found = card()
    unit = "The unit expects the program in a virtual environment at /opt/vllm, and a user named vllm."
    assert {form.name: list(form.notes) for form in found.forms} == {
        "Shell": [],
        "Docker": [],
        "Compose": [],
        "systemd": [unit],
    }
    assert unit not in found.notes


def test_other_engines_are_asked_in_their_own_words() -> None:
    found = card()
    assert [other.name for other in found.others] == [
        "SGLang 0.5.23",
        "TensorRT-LLM 1.2.1",
        "llama.cpp 10434",
    ]
    commands = {
        other.name.split()[0]: "".join(p.text for p in other.forms[0].pieces) for other in found.others
    }
    assert "--kv-cache-dtype fp8_e4m3" in commands["SGLang"]
    assert "dtype: fp8" in commands["TensorRT-LLM"]
    assert "--cache-type-k q8_0" in commands["llama.cpp"]
    assert [other.verified for other in found.others] == [True, False, True]


def test_engine_that_does_not_start_the_plan_says_why() -> None:
    found = card(accelerator="amd-mi300x", kv_cache_dtype="auto")
    tensorrt = next(other for other in found.others if other.name == "TensorRT-LLM")
    assert (tensorrt.state, tensorrt.forms) == ("off", [])
    assert tensorrt.reasons


def test_plan_that_fits_nowhere_has_no_card() -> None:
    assert card(model={"id": "meta-llama/Llama-3.1-70B-Instruct"}, weights="bf16") is None


def test_plan_without_a_card_has_no_commands() -> None:
    assert card(accelerator=None) is None


def test_share_of_memory_is_not_carried_over_to_an_engine_where_it_means_something_else() -> None:
    asked = on_engine(ASKED, parse_request(ASKED, CATALOG), "sglang")
    assert asked["settings"] == {"max_model_len": 4096, "max_num_seqs": 8}


@pytest.mark.parametrize("settings", [ASKED["settings"], "derive", {"max_model_len": 8192}])
def test_link_to_another_engine_asks_what_the_card_answered(settings: Any) -> None:
    found = card(settings=settings)
    for other, name in zip(found.others, ("sglang", "tensorrt-llm", "llama.cpp"), strict=True):
        linked = read_plan(dict(parse_qsl(other.link.removeprefix("?")))).request()
        assert linked["engine"] == {"name": name}
        answer = estimates.answer([linked], catalog=CATALOG)[0]
        tpot = with_unit(answer["speed"]["tpot_ms"], "ms") if answer["speed"] else ""
        assert tpot == other.tpot


def test_llama_cpp_is_told_how_many_slots_it_needs() -> None:
    """Left alone it shares one context among four slots; the plan is for eight users."""
    found = card(settings={"max_model_len": 4096})
    llama = "".join(piece.text for piece in found.others[2].forms[0].pieces)
    assert "--ctx-size 32768" in llama
    assert "--parallel 8" in llama


@pytest.mark.parametrize(
    ("scheme", "engine", "there"),
    [
        ("bf16", "llama.cpp", "gguf-bf16"),
        ("fp8", "llama.cpp", "gguf-q8_0"),
        ("awq-int4", "llama.cpp", "gguf-q4_k_m"),
        ("gguf-q8_0", "vllm", "fp8"),
        ("gguf-f16", "sglang", "fp16"),
        ("bnb-nf4", "sglang", "bnb-nf4"),
    ],
)
def test_weights_are_stored_in_the_nearest_format(scheme: str, engine: str, there: str) -> None:
    asked = {**ASKED, "weights": scheme}
    assert on_engine(asked, parse_request(asked, CATALOG), engine)["weights"] == there


def test_pieces_set_flags_apart_and_lose_nothing() -> None:
    text = "docker run --rm \\\n  -p 8000:8000 vllm/vllm-openai:v1 --max-model-len 4096"
    cut = pieces(text)
    assert "".join(piece.text for piece in cut) == text
    assert [piece.text for piece in cut if piece.is_flag] == ["--rm", "-p", "--max-model-len"]


def test_card_is_drawn_with_unique_ids_and_without_inline_script() -> None:
    html = render_to_string("planner/_commands.html", {"commands": card()})
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'data-copy="#([^"]+)"', html)) <= set(ids)
    assert "<script" not in html
    assert " style=" not in html
    assert "checked against vLLM 0.19.0" in html


def test_card_of_nothing_draws_nothing() -> None:
    assert render_to_string("planner/_commands.html", {"commands": None}).strip() == ""


def test_version_that_was_not_read_says_not_verified() -> None:
    html = render_to_string(
        "planner/_commands.html", {"commands": card(engine={"name": "vllm", "version": "0.40.0"})}
    )
    assert "checked against vLLM" not in html
    assert "not verified" in html


def test_every_concern_has_words() -> None:
    concerns = {record["concept"] for record in CATALOG.flags["hosts"]["concepts"]}
    assert concerns == set(CONCEPTS)
    assert flag_words(CATALOG.flags, "sglang", "--context-length").startswith("Longest request")
    assert flag_words(CATALOG.flags, "vllm", "--watermark") == ""


def test_same_concern_is_said_otherwise_where_an_engine_means_another_thing() -> None:
    # llama-server's -c is for all slots, and -ngl counts what is on the card, not what is off it
    assert "whole server" in flag_words(CATALOG.flags, "llama.cpp", "--ctx-size")
    assert flag_words(CATALOG.flags, "llama.cpp", "--gpu-layers").startswith("Layers on the accelerator")
    # memory shares of three engines are three things
    shares = {
        flag_words(CATALOG.flags, engine, name)
        for engine, name in (
            ("vllm", "--gpu-memory-utilization"),
            ("sglang", "--mem-fraction-static"),
            ("tensorrt-llm", "--free_gpu_memory_fraction"),
        )
    }
    assert len(shares) == 3


def test_every_code_of_a_command_has_words() -> None:
    """Asked over all engines and kinds of cards: no message is a bare code."""
    said = 0
    for accelerator in (
        "nvidia-rtx-4090",
        "amd-mi300x",
        "cpu-epyc-9004-12ch-ddr5-4800",
        "apple-m3-max",
        "amd-mi250x",
    ):
        for engine in ENGINES:
            for version in (None, "0.21.0" if engine == "vllm" else None):
                asked = {
                    **ASKED,
                    "accelerator": accelerator,
                    "kv_cache_dtype": "auto",
                    "engine": {"name": engine, "version": version},
                }
                asked["weights"] = "gguf-q4_k_m" if engine == "llama.cpp" else "fp8"
                commands = estimates.answer([asked], catalog=CATALOG)[0]["commands"]
                if commands is None:
                    continue
                for item in (
                    *(flag["reason"] for flag in commands["flags"]),
                    *commands["notes"],
                    *commands["missing"].values(),
                ):
                    assert item["message"] != item["code"]
                    assert "?" not in item["message"], item
                    said += 1
    assert said > 50
    assert all(str(text) for table in (FLAG_REASONS, NOTES, MISSING) for text in table.values())
