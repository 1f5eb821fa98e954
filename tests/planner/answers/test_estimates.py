"""Answers in words: every code has a sentence, and what cannot be sized is said to be unsupported."""

import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planner.answers.estimates import answer
from planner.catalog import load_shipped
from planner.messages import ADVICE, PROBLEMS, REASONS
from planner.messages.settings import SETTING_REASONS, TARGET_REASONS
from planner.schemas import ANSWER, EXAMPLE

CATALOG = load_shipped()
CORE = Path(__file__).resolve().parents[3] / "planner" / "core"


def one(obj: Any) -> dict[str, Any]:
    return answer([obj], catalog=CATALOG)[0]


def codes_after(pattern: str) -> set[str]:
    """Codes that the core's source names after a pattern."""
    text = "\n".join(path.read_text() for path in sorted(CORE.glob("*.py")))
    return set(re.findall(pattern + r'\(\s*(?:code=)?"([a-z0-9_]+)"', text))


def test_every_code_of_the_core_has_words() -> None:
    found = {
        "problem": codes_after("Problem") | codes_after(r"\.refuse"),
        "reason": codes_after("Reason"),
        "advice": codes_after("Advice"),
        "why": codes_after("Why"),
    }
    assert all(found.values())
    assert found["problem"] - set(PROBLEMS) == set()
    assert found["reason"] - set(REASONS) == set()
    assert found["advice"] - set(ADVICE) == set()
    assert found["why"] - set(SETTING_REASONS) - set(TARGET_REASONS) == set()


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"model_type": "never-heard-of", "architectures": ["NeverForCausalLM"]}, "architecture_unknown"),
        ({"model_type": "bert", "architectures": ["BertModel"]}, "encoder_only"),
        ({"model_type": "qwen2_vl", "vision_config": {"hidden_size": 1280}}, "no_text_config"),
    ],
)
def test_model_that_cannot_be_sized_is_unsupported(config: dict[str, Any], code: str) -> None:
    found = one({**EXAMPLE, "model": {"config": config}})
    Draft202012Validator(ANSWER).validate(found)
    assert (found["verdict"], found["reasons"][0]["code"], found["memory"]) == ("unsupported", code, None)
    assert found["reasons"][0]["field"].startswith("model.config")


def test_reserved_field_is_unsupported_and_named() -> None:
    found = one({**EXAMPLE, "platform": "dgx-h100"})
    Draft202012Validator(ANSWER).validate(found)
    assert [(item["code"], item["field"]) for item in found["reasons"]] == [("reserved_field", "platform")]


def test_estimate_without_accelerator_still_counts_bytes_per_token() -> None:
    found = one({"model": EXAMPLE["model"]})
    Draft202012Validator(ANSWER).validate(found)
    # 28 layers × 2 × 4 KV heads × 128 × 2 bytes, by hand from the model's config.json
    assert (found["verdict"], found["memory"]["kv_bytes_per_token"]) == ("unknown", 57_344)
    assert (found["speed"], found["memory"]["per_accelerator"]["total_gib"]) == (None, None)


def test_estimate_without_workload_has_memory_and_no_speed() -> None:
    found = one({**EXAMPLE, "workload": None})
    assert (found["verdict"], found["speed"], found["step"]) == ("fits", None, None)


def test_workload_longer_than_the_context_gets_the_length_it_needs() -> None:
    found = one({**EXAMPLE, "workload": {"input_tokens": 5000, "output_tokens": 500, "concurrency": 1}})
    reason = found["reasons"][0]
    assert (reason["code"], reason["fix"]) == (
        "workload_exceeds_max_model_len",
        {"settings": {"max_model_len": 5500}},
    )
    assert (found["verdict"], found["speed"], found["step"]) == ("fits", None, None)


def test_more_users_than_slots_is_said_with_the_mend() -> None:
    found = one({**EXAMPLE, "workload": {"input_tokens": 256, "output_tokens": 256, "concurrency": 40}})
    reason = found["reasons"][0]
    assert (reason["code"], found["speed"]["running"]) == ("max_num_seqs_limits_concurrency", 16)
    assert reason["fix"] == {"settings": {"max_num_seqs": 40}}


def test_derived_settings_are_stated() -> None:
    found = one({**EXAMPLE, "settings": "derive"})
    derived = next(item for item in found["advice"] if item["code"] == "settings_derived")
    # (1,024 + 256) × 1.2 = 1,536, a multiple of 256; one slot for each of 16 users
    assert derived["values"] == {"max_model_len": 1536, "max_num_seqs": 16}


def test_step_terms_add_up_to_the_time_per_token() -> None:
    found = one(EXAMPLE)
    assert sum(found["step"].values()) == pytest.approx(found["speed"]["tpot_ms"], abs=0.001)


def test_every_term_has_formula_source_and_kind() -> None:
    found = one(EXAMPLE)
    assert len(found["explain"]) > 10
    for term in found["explain"]:
        assert term["formula"] and term["source"] and term["kind"], term
