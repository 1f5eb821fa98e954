"""Launch commands with at most one fault each, judged. Expected flags and mends were written by hand from the source
that each case names; that every mended command is valid follows from the tables alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from planner.core.check.judge import Asked, check
from tests.planner.core.check.judging import CATALOG, errors, judged

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).resolve().parents[3] / "data" / "launch_commands.json").read_text()
)
IDS = [case["id"] for case in CASES]
FAULTY = [case for case in CASES if not case["valid"]]


def answer(case: dict[str, Any], command: str | None = None) -> dict[str, Any]:
    return check(
        Asked(
            id=case["id"],
            command=command or case["command"],
            engine=case["engine"],
            version=case["version"],
            model=case["model"],
            accelerator=case["card"],
            count=case["count"],
            ports_in_use=tuple(case.get("ports_in_use", ())),
        ),
        CATALOG,
    )


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_command_is_judged_as_the_engine_would(case: dict[str, Any]) -> None:
    found = answer(case)
    assert [flag for _code, flag in errors(found)] == ([] if case["valid"] else [case["flag"]])
    assert found["valid"] is case["valid"]
    assert found["mended_command"] == (None if case["valid"] else case["mended"])


@pytest.mark.parametrize("case", FAULTY, ids=[case["id"] for case in FAULTY])
def test_mended_command_is_valid_itself(case: dict[str, Any]) -> None:
    if case["mended"] is not None:
        assert errors(answer(case, case["mended"])) == []


def test_ids_of_the_cases_are_distinct_and_each_has_a_source() -> None:
    assert len(set(IDS)) == len(IDS)
    assert all(case["source"] for case in CASES)


def test_command_wins_over_what_is_said_beside_it() -> None:
    found = judged(
        "docker run --gpus all --ipc=host vllm/vllm-openai:v0.9.2 --model Qwen/Qwen3-8B",
        engine="sglang",
        version="0.5.23",
    )
    assert (found["engine"]["name"], found["engine"]["version"]) == ("vllm", "0.9.2")


def test_without_a_version_the_newest_read_counts() -> None:
    found = judged("vllm serve Qwen/Qwen3-8B")
    # newest vLLM source tree that was read
    assert (found["engine"]["version"], found["engine"]["version_stated"]) == ("0.33.0", False)
