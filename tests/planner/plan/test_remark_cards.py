"""Words and cards of settings, trades and rules of thumb."""

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planner.answers.estimates import answer
from planner.catalog import load_shipped
from planner.messages.advice import TRADE_TITLES, TRADES
from planner.messages.folklore import AGREED, CONTRADICTED, RULES
from planner.messages.settings import SETTING_REASONS
from planner.plan import settings_card, thumb_card, trades_card
from planner.presentation import advice
from planner.schemas import ANSWER, EXAMPLE

CATALOG = load_shipped()
SET_UPS: list[dict[str, Any]] = [
    {},
    {"settings": "derive", "targets": {"tpot_ms": 20, "ttft_ms": {"p99": 500}}},
    {"weights": "awq-int4", "kv_cache_dtype": "fp8"},
    {"parallelism": {"tensor": 2}, "count": 2},
    {"model": {"id": "meta-llama/Llama-3.1-70B-Instruct"}},
    {"engine": {"name": "llama.cpp"}, "weights": "gguf-q4_k_m", "kv_cache_dtype": "q8_0"},
    {"engine": {"name": "sglang"}},
    {"engine": {"name": "tensorrt-llm"}, "accelerator": "nvidia-h100-sxm5-80gb"},
    {"model": {"id": "openai/gpt-oss-20b"}, "settings": "derive"},
    {"model": {"id": "google/gemma-3-27b-it"}, "accelerator": "nvidia-l40s", "weights": "fp8"},
    {"accelerator": "apple-m2-ultra", "engine": {"name": "llama.cpp"}, "weights": "gguf-q8_0"},
    {"workload": None},
    {"accelerator": None},
]


def one(**changes: Any) -> dict[str, Any]:
    return answer([{**EXAMPLE, **changes}], catalog=CATALOG)[0]


@pytest.mark.parametrize("changes", SET_UPS)
def test_every_remark_of_an_answer_is_a_whole_sentence(changes: dict[str, Any]) -> None:
    found = one(**changes)
    Draft202012Validator(ANSWER).validate(found)
    texts = [item["message"] for item in (*found["advice"], *found["rules_of_thumb"])]
    texts += [item["reason"]["message"] for item in (*found["settings"], *found["targets"])]
    for text in texts:
        assert re.search(r"[.!]$", text), text
        assert not re.search(r"\?(?!$)|None|nan|[{}]", text), text


def test_every_rule_and_trade_has_its_words() -> None:
    codes = {item["code"] for changes in SET_UPS for item in one(**changes)["rules_of_thumb"]}
    assert codes == set(RULES)
    assert set(AGREED) == set(CONTRADICTED) == set(RULES)
    assert set(TRADES) - set(TRADE_TITLES) == {"longest_above_max_model_len"}
    assert set(TRADE_TITLES) <= set(TRADES)


def test_thumb_card_shows_what_misleads_first_and_counts_it() -> None:
    found = one()
    card = thumb_card.card(answer=found)
    assert card is not None
    verdicts = [item["verdict"] for item in found["rules_of_thumb"]]
    assert [row.state for row in card.rows] == (
        ["warn"] * verdicts.count("contradicted")
        + ["ok"] * verdicts.count("agreed")
        + ["off"] * verdicts.count("unknown")
    )
    wrong, checked = verdicts.count("contradicted"), verdicts.count("contradicted") + verdicts.count("agreed")
    assert card.sentence == f"{wrong} of {checked} rules would mislead here."


@pytest.mark.parametrize("changes", [{"accelerator": None}, {"platform": "dgx-h100"}])
def test_cards_without_anything_to_say_are_left_out(changes: dict[str, Any]) -> None:
    found = one(**changes)
    assert thumb_card.card(answer=found) is None
    assert trades_card.card(answer=found) is None


def test_settings_card_tells_chosen_from_default() -> None:
    card = settings_card.card(answer=one())
    assert card is not None
    # The worked example asks for share, length and slots; graphs are on by default
    assert [item.name for item in card.chosen] == ["max_model_len", "max_num_seqs", "gpu_memory_utilization"]
    assert [(item.name, item.value) for item in card.default] == [
        ("max_num_batched_tokens", "2048"),
        ("block_size", "16"),
        ("kv_cache_dtype", "auto"),
        ("enforce_eager", "off"),
    ]
    assert {item.why for item in card.chosen} == {str(SETTING_REASONS["asked_for"])}


def test_trades_have_their_own_card_and_are_not_repeated_among_the_advice() -> None:
    found = one()
    trades = trades_card.card(answer=found)
    assert trades
    assert not {item.text for item in trades} & {item.text for item in advice(found)}
    assert len(trades) + len(advice(found)) == len(found["advice"])
