"""Every flag of the tables where it is there, where it no longer is, and where it is not yet."""

import pytest

from planner.core.launch.flags import Flag, choices_at, kind_at, status_at, table
from tests.planner.core.check.judging import CATALOG, errors, judged

VALUES = {
    "nothing": "",
    "on_off": "",
    "integer": "2",
    "integer_or_word": "2",
    "integers": "1 2",
    "readable_integer": "2048",
    "readable_integer_or_auto": "2048",
    "number": "0.5",
    "numbers": "1 2",
    "json": "'{}'",
    "pairs": "a=1",
    "true_false": "true",
}
STARTS = {
    "vllm": "vllm serve Qwen/Qwen3-8B",
    "sglang": "sglang serve --model-path Qwen/Qwen3-8B",
    "tensorrt-llm": "trtllm-serve Qwen/Qwen3-8B",
    "llama.cpp": "llama-server -m a.gguf",
}
# Known and usable, and refused here for what stands, or does not stand, beside them; or for the value chosen above.
NEEDS_COMPANY = {
    "--block-size",
    "--decode-context-parallel-size",
    "--disagg_cluster_uri",
    "--enable-auto-tool-choice",
    "--enable-eplb",
    "--enable-expert-parallel",
    "--enable-log-outputs",
    "--grpc-port",
    "--metadata_server_config_file",
    "--model",
    "--nnodes",
    "--quantization",
}
VLLM = table(CATALOG.flags, "vllm")


def typed(engine: str, flag: Flag, version: str) -> str:
    """The flag with a value that its parser takes."""
    found = table(CATALOG.flags, engine)
    kind, choices = kind_at(flag, version), choices_at(found, flag, version)
    chosen = min(choices.allowed) if choices is not None and choices.allowed else "abc"
    return f"{STARTS[engine]} {flag.name} {VALUES.get(kind, chosen)}".strip()


@pytest.mark.parametrize("engine", list(STARTS))
def test_flags_that_are_there_are_not_refused(engine: str) -> None:
    found = table(CATALOG.flags, engine)
    newest = found.newest
    there = [flag for flag in found.flags.values() if status_at(found, flag, newest).usable]
    refused = {
        flag.name: codes
        for flag in there
        if flag.name not in NEEDS_COMPANY
        if (codes := errors(judged(typed(engine, flag, newest), version=newest)))
    }
    assert refused == {}


def test_flags_that_are_gone_are_refused_and_mended() -> None:
    gone = [flag for flag in VLLM.flags.values() if flag.went is not None]
    # 393 flags over all versions, 320 of them in the newest
    assert len(gone) == 73
    for flag in gone:
        assert flag.went is not None
        last_with, first_without = flag.went
        found = judged(typed("vllm", flag, last_with), version=first_without)
        assert errors(found)[0][1] == flag.name
        assert found["mended_command"] is not None


def test_flags_that_are_not_there_yet_are_refused_and_mended() -> None:
    for flag in VLLM.flags.values():
        # 0.5.0 has no `vllm serve`, which is said first
        if flag.came is None or flag.came[0] == "0.5.0":
            continue
        found = judged(typed("vllm", flag, flag.came[1]), version=flag.came[0])
        assert (flag.name, errors(found)[0][1]) == (flag.name, flag.name)
        assert found["mended_command"] is not None
