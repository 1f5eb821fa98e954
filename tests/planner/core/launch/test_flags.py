"""Launch flags by version, against vLLM's own help text and boundaries looked up in its sources."""

import json
from pathlib import Path
from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.launch.flags import (
    ENGINES,
    FlagTable,
    choices_at,
    concept_of,
    default_at,
    environment_at,
    find,
    forms_at,
    kind_at,
    names_elsewhere,
    range_at,
    rules_at,
    standing,
    status_at,
    table,
    takes_many,
    takes_value,
    value_table,
)

FLAGS = load_shipped().flags
VLLM = table(FLAGS, "vllm")
HELP = json.loads((Path(__file__).parents[3] / "data" / "vllm_0_32_0_help.json").read_text(encoding="utf-8"))
# The help of 0.32.0 names two values of this flag; in the sources it is a plain text.
FREE_IN_TABLE = {"--mm-processor-device"}


def status(name: str, version: str, found: FlagTable = VLLM) -> str:
    return status_at(found, found.flags[name], version).kind


def test_counts_of_flags_are_those_that_were_read() -> None:
    counted = {engine: len(FLAGS[engine]["flags"]) for engine in ENGINES}
    assert counted == {"vllm": 393, "sglang": 529, "tensorrt-llm": 32, "llama.cpp": 202}


def test_vllm_has_320_flags_in_its_newest_version() -> None:
    assert sum(status(name, "0.33.0") == "present" for name in VLLM.flags) == 320


def test_every_option_of_the_help_is_known_and_there() -> None:
    """`vllm serve --help=all` of 0.32.0 prints these, negatives and short forms included."""
    unknown = []
    for option in HELP["options"]:
        found = find(VLLM, option, "0.32.0")
        if found.how not in {"exact", "alias", "negative"} or found.status.kind != "present":
            unknown.append(option)
    assert unknown == []


def test_no_flag_is_there_that_the_help_does_not_print() -> None:
    there = {name for name in VLLM.flags if status(name, "0.32.0") == "present"}
    assert there - set(HELP["options"]) == set()


@pytest.mark.parametrize("option", sorted(set(HELP["choices"]) - FREE_IN_TABLE))
def test_choices_are_those_that_the_help_lists(option: str) -> None:
    choices = choices_at(VLLM, VLLM.flags[option], "0.32.0")
    assert choices is not None
    assert sorted(choices.allowed) == sorted(HELP["choices"][option])
    assert choices.unsure == ()


@pytest.mark.parametrize(
    ("flag", "last_with", "first_without"),
    [
        # vllm/engine/arg_utils.py of both versions; the engine part of 0.17.1 was read too.
        ("--swap-space", "0.17.1", "0.18.0"),
        ("--guided-decoding-backend", "0.11.2", "0.12.0"),
        ("--num-scheduler-steps", "0.10.0", "0.10.2"),
        ("--speculative-model", "0.8.1", "0.8.5"),
        ("--device", "0.9.2", "0.10.0"),
        ("--disable-log-requests", "0.16.0", "0.17.0"),
        ("--calculate-kv-scales", "0.26.0", "0.28.0"),
        ("--rope-scaling", "0.11.0", "0.11.2"),
        ("--task", "0.12.0", "0.13.0"),
        ("--preemption-mode", "0.10.2", "0.11.0"),
    ],
)
def test_flag_that_went_is_there_before_and_gone_after(flag: str, last_with: str, first_without: str) -> None:
    assert status(flag, last_with) == "present"
    gone = status_at(VLLM, VLLM.flags[flag], first_without)
    assert (gone.kind, gone.last_with, gone.first_without) == ("removed", last_with, first_without)


@pytest.mark.parametrize(
    ("flag", "last_without", "first_with"),
    [
        ("--speculative-config", "0.8.1", "0.8.5"),
        ("--enable-expert-parallel", "0.7.3", "0.8.1"),
        ("--data-parallel-size", "0.8.1", "0.8.5"),
        ("--attention-backend", "0.12.0", "0.13.0"),
        ("--shutdown-timeout", "0.17.1", "0.18.0"),
        ("--performance-mode", "0.16.0", "0.17.0"),
        ("--optimization-level", "0.11.2", "0.12.0"),
    ],
)
def test_flag_that_came_is_missing_before(flag: str, last_without: str, first_with: str) -> None:
    early = status_at(VLLM, VLLM.flags[flag], last_without)
    assert (early.kind, early.last_without, early.first_with) == ("not_yet", last_without, first_with)
    assert status(flag, first_with) == "present"


def test_version_between_two_that_were_read_is_on_neither_side() -> None:
    assert status("--swap-space", "0.17.9") == "unknown_between"
    assert status("--max-num-seqs", "0.17.9") == "present"
    assert standing(VLLM, "0.17.9").kind == "between"
    assert not standing(VLLM, "0.17.9").verified


def test_version_beyond_the_newest_is_said_to_be() -> None:
    known = standing(VLLM, "0.40.0")
    assert (known.kind, known.older, known.newer, known.verified) == ("beyond", "0.33.0", None, False)
    assert status("--max-num-seqs", "0.40.0") == "beyond"
    assert status("--swap-space", "0.40.0") == "removed"


def test_version_before_the_oldest_is_said_to_be() -> None:
    assert standing(VLLM, "0.4.2").kind == "before"
    assert status("--max-num-seqs", "0.4.2") == "before"


@pytest.mark.parametrize("version", ["", "latest", "x.y", "-1", "0..1"])
def test_text_that_is_no_version_is_unreadable(version: str) -> None:
    assert standing(VLLM, version).kind == "unreadable"


@pytest.mark.parametrize("version", ["10434", "b10434", "0.10434.0"])
def test_build_of_llama_cpp_is_one_however_it_is_written(version: str) -> None:
    assert standing(table(FLAGS, "llama.cpp"), version).kind == "read"


@pytest.mark.parametrize(
    ("version", "kind"), [("1.2", "line"), ("1.2.1", "line"), ("1.3.0", "beyond"), ("0.18.2", "before")]
)
def test_tensorrt_llm_is_known_by_line_only(version: str, kind: str) -> None:
    known = standing(table(FLAGS, "tensorrt-llm"), version)
    assert (known.kind, known.verified) == (kind, False)


@pytest.mark.parametrize(
    ("version", "value", "allowed"),
    [
        # vllm/config/cache.py: int8_per_token_head is absent in 0.19.1 and there in 0.20.2; plain int8 never was.
        ("0.19.1", "int8_per_token_head", False),
        ("0.20.2", "int8_per_token_head", True),
        ("0.33.0", "int8", False),
        ("0.24.0", "int4_per_token_head", False),
        ("0.25.1", "int4_per_token_head", True),
        ("0.5.0", "fp8", True),
    ],
)
def test_cache_dtypes_by_version(version: str, value: str, allowed: bool) -> None:
    choices = choices_at(VLLM, VLLM.flags["--kv-cache-dtype"], version)
    assert choices is not None
    assert (value in choices.allowed) is allowed
    assert value not in choices.unsure


def test_value_that_came_between_two_versions_is_unsure() -> None:
    choices = choices_at(VLLM, VLLM.flags["--kv-cache-dtype"], "0.20.0")
    assert choices is not None
    assert "int8_per_token_head" in choices.unsure
    assert "int8_per_token_head" not in choices.allowed


def test_cache_dtype_is_checked_by_the_parser_up_to_0_32() -> None:
    flag = VLLM.flags["--kv-cache-dtype"]
    checks = [choices_at(VLLM, flag, version).parser_checks for version in ("0.32.0", "0.33.0")]
    assert checks == [True, False]


def test_quantization_is_looked_up_where_the_parser_lists_none() -> None:
    choices = choices_at(VLLM, VLLM.flags["--quantization"], "0.33.0")
    assert choices is not None
    assert not choices.parser_checks
    assert "fp8" in choices.allowed
    assert "bitsandbytes" not in choices.allowed
    assert "bitsandbytes" in value_table(VLLM, "quantization", "0.26.0")
    assert "gguf" in value_table(VLLM, "quantization", "0.23.0")
    assert "gguf" not in value_table(VLLM, "quantization", "0.24.0")


def test_block_size_is_a_list_up_to_0_17_1_and_free_after() -> None:
    flag = VLLM.flags["--block-size"]
    listed = choices_at(VLLM, flag, "0.10.2")
    assert sorted(map(int, listed.allowed)) == [1, 8, 16, 32, 64, 128]
    assert choices_at(VLLM, flag, "0.18.0") is None


def test_share_of_memory_is_0_92_from_0_20_2() -> None:
    flag = VLLM.flags["--gpu-memory-utilization"]
    assert [default_at(flag, version) for version in ("0.19.0", "0.20.2", None)] == [0.9, 0.92, 0.92]


def test_bounds_hold_from_the_version_that_checks_them() -> None:
    flag = VLLM.flags["--gpu-memory-utilization"]
    assert range_at(flag, "0.10.2") is None
    bounds = range_at(flag, "0.33.0")
    assert (bounds.low, bounds.low_included, bounds.high, bounds.high_included) == (0, False, 1, True)


def test_readable_lengths_come_with_0_8_5_and_auto_with_0_14() -> None:
    flag = VLLM.flags["--max-model-len"]
    kinds = [kind_at(flag, version) for version in ("0.8.1", "0.8.5", "0.14.0")]
    assert kinds == ["integer", "readable_integer", "readable_integer_or_auto"]


def test_kinds_say_what_follows() -> None:
    assert [takes_value(kind) for kind in ("nothing", "on_off", "true_false", "integer")] == [
        False,
        False,
        True,
        True,
    ]
    assert takes_many("texts")
    assert not takes_many("text")


@pytest.mark.parametrize(
    ("word", "version", "how", "flag", "extra"),
    [
        ("--tensor-parallel", "0.32.0", "prefix", "--tensor-parallel-size", {}),
        ("--max_model_len", "0.5.5", "underscores", "--max-model-len", {}),
        ("-tp", "0.33.0", "alias", "--tensor-parallel-size", {}),
        ("--kv-cache-dtype=fp8", "0.33.0", "exact", "--kv-cache-dtype", {"value": "fp8"}),
        ("--no-enable-prefix-caching", "0.20.2", "negative", "--enable-prefix-caching", {"negated": True}),
        ("--disable-prefix-caching", "0.33.0", "negative", "--enable-prefix-caching", {"negated": True}),
        ("--compilation-config.mode", "0.33.0", "dotted", "--compilation-config", {"key": "mode"}),
        ("--x", "0.33.0", "unknown", None, {}),
        ("-O3", "0.11.2", "level", "--compilation-config", {"key": "level", "value": "3"}),
        ("-O3", "0.12.0", "level", "--optimization-level", {"key": None, "value": "3"}),
        ("-qawq", "0.9.0", "attached", "--quantization", {"value": "awq"}),
        ("--preemption_mode", "0.5.0", "alias", "--preemption-mode", {}),
    ],
)
def test_word_is_read_as_the_parser_of_its_version_would(
    word: str, version: str, how: str, flag: str | None, extra: dict[str, Any]
) -> None:
    found = find(VLLM, word, version)
    assert found.how == how
    assert (found.flag.name if found.flag else None) == flag
    assert {name: getattr(found, name) for name in extra} == extra


def test_beginning_that_fits_two_flags_is_ambiguous_from_0_19() -> None:
    """--kv-cache-dtype-skip-layers came with 0.19.0: argparse then refuses the shared beginning."""
    assert find(VLLM, "--kv-cache-dtyp", "0.18.0").how == "prefix"
    found = find(VLLM, "--kv-cache-dtyp", "0.19.0")
    assert (found.how, found.candidates) == (
        "ambiguous",
        ("--kv-cache-dtype", "--kv-cache-dtype-skip-layers"),
    )


def test_negative_and_dotted_key_of_a_later_version_are_not_yet_there() -> None:
    assert find(VLLM, "--disable-prefix-caching", "0.32.0").status.kind == "not_yet"
    assert find(VLLM, "--compilation-config.mode", "0.8.5").status.kind == "not_yet"


def test_gone_flag_names_its_successor() -> None:
    found = find(VLLM, "--guided-decoding-backend", "0.12.0")
    assert found.status.instead == ("--structured-outputs-config.backend",)
    assert find(VLLM, "--swap-space", "0.18.0").status.similar == ("--kv-offloading-size",)


def test_deprecated_flag_is_there_and_says_since_when() -> None:
    found = find(VLLM, "--disable-log-requests", "0.15.1").status
    assert (found.kind, found.deprecated_since) == ("present", "0.10.2")


@pytest.mark.parametrize(
    ("engine", "word", "meant"),
    [
        ("vllm", "--max-concurrency", "--max-num-seqs"),
        ("vllm", "--max-num-seq-s", "--max-num-seqs"),
        ("sglang", "--gpu-memory-utilization", "--mem-fraction-static"),
        ("tensorrt-llm", "--max-batch-size", "--max_batch_size"),
        ("llama.cpp", "--max-model-len", "--ctx-size"),
    ],
)
def test_unknown_word_is_met_with_what_was_meant(engine: str, word: str, meant: str) -> None:
    found = find(table(FLAGS, engine), word, None)
    assert (found.how, found.candidates[0]) == ("unknown", meant)


def test_llama_server_takes_exact_names_only() -> None:
    """llama-server --help: no beginnings, no =, and -nkvo is the negative of -kvo."""
    llama = table(FLAGS, "llama.cpp")
    assert find(llama, "--ctx-siz", None).how == "unknown"
    assert find(llama, "--port=8080", None).how == "unknown"
    assert (find(llama, "-nkvo", None).flag.name, find(llama, "-nkvo", None).negated) == (
        "--kv-offload",
        True,
    )
    assert find(llama, "--draft-max", None).status.kind == "removed"
    assert find(llama, "--temp", None).how == "exact"


def test_same_concern_is_named_in_every_engine() -> None:
    assert names_elsewhere(FLAGS, "vllm", "--gpu-memory-utilization") == {
        "sglang": ("--mem-fraction-static",),
        "tensorrt-llm": ("--free_gpu_memory_fraction",),
        "llama.cpp": ("--fit-target",),
    }
    assert concept_of(VLLM, "--max-num-seqs") == "max_sequences"
    assert names_elsewhere(FLAGS, "vllm", "--watermark") == {}


def test_rules_hold_for_their_versions() -> None:
    """Up to 0.6.6 bitsandbytes had to be named as method and as format; from 0.28.0 it is not built in."""
    by_version = {
        version: {rule["id"] for rule in rules_at(VLLM, version)} for version in ("0.6.6", "0.26.0", "0.28.0")
    }
    assert "bnb-pair" in by_version["0.6.6"]
    assert "bitsandbytes" not in by_version["0.26.0"]
    assert "bitsandbytes" in by_version["0.28.0"]
    assert all("tp-divides-heads" in ids for ids in by_version.values())


def test_program_serve_begins_between_0_5_0_and_0_5_5() -> None:
    words = {
        version: [form["words"][0] for form in forms_at(VLLM, version)] for version in ("0.5.0", "0.5.5")
    }
    assert words == {"0.5.0": ["python3"], "0.5.5": ["python3", "vllm"]}


def test_environment_variable_that_went_is_removed() -> None:
    assert environment_at(VLLM, "VLLM_USE_V1", "0.11.0").kind == "present"
    assert environment_at(VLLM, "VLLM_USE_V1", "0.11.2").kind == "removed"
    assert environment_at(VLLM, "VLLM_SOMETHING_ELSE", "0.33.0") is None


def test_every_spelling_of_every_version_leads_to_its_flag() -> None:
    """No name means two flags at once, and every flag is found under its own name where it is there."""
    for engine in ENGINES:
        known = table(FLAGS, engine)
        for _, version in known.read:
            for name, flag in known.flags.items():
                if status_at(known, flag, version).usable:
                    assert find(known, name, version).flag is flag, (engine, version, name)
