"""What decode makes of bandwidth; every expected figure is computed by hand from the datasheet's."""

import math

import pytest

from planner.core.bandwidth import (
    TIERS,
    card_ratios,
    ceiling_tokens_per_s,
    tier_of,
    weight_bytes_per_token,
)
from tests.planner.core.asking import CATALOG


@pytest.mark.parametrize(
    ("gb_s", "tier"),
    [
        (102, "below-300"),
        (299.9, "below-300"),
        (300, "300-700"),
        (700, "700-1200"),
        (1200, "1200-2500"),
        (2500, "2500-4000"),
        (4000, "from-4000"),
        (8000, "from-4000"),
    ],
)
def test_tier_begins_at_its_lower_limit(gb_s: float, tier: str) -> None:
    assert tier_of(gb_s).key == tier


def test_tiers_follow_on_each_other_without_a_gap() -> None:
    assert [tier.high for tier in TIERS[:-1]] == [tier.low for tier in TIERS[1:]]
    assert (TIERS[0].low, TIERS[-1].high) == (0, None)


def test_ratios_of_a_card_are_those_of_its_datasheet() -> None:
    # RTX 4090: 1,008 GB/s, 24,564 MiB, 450 W; 1008e9 / (24564 * 2^20) = 39.135
    found = card_ratios(CATALOG.accelerators["nvidia-rtx-4090"], price=1600.0)
    assert found.memory_reads_per_s == pytest.approx(39.135, rel=1e-3)
    assert found.gb_s_per_w == pytest.approx(2.24)
    assert found.w_per_gb_s == pytest.approx(0.44643, rel=1e-4)
    assert found.price_per_gb_s == pytest.approx(1.58730, rel=1e-4)


def test_ratio_without_a_price_is_unknown() -> None:
    assert card_ratios(CATALOG.accelerators["nvidia-rtx-4090"]).price_per_gb_s is None


def test_dense_model_reads_all_but_its_token_table() -> None:
    # Llama-2-7B: 6,738,417,664 parameters published, 32,000 x 4,096 of them the token table, two bytes each
    model = CATALOG.models["meta-llama/Llama-2-7b-hf"]
    expected = 2 * (6_738_417_664 - 32_000 * 4096)
    assert weight_bytes_per_token(model, CATALOG.schemes["fp16"]) == pytest.approx(expected, rel=1e-4)


def test_mixture_reads_the_chosen_experts_alone() -> None:
    # Mixtral-8x7B: 32 layers of 8 experts of 3 x 4,096 x 14,336, of which 2 are chosen
    model = CATALOG.models["mistralai/Mixtral-8x7B-Instruct-v0.1"]
    expert = 32 * 3 * 4096 * 14_336
    whole = weight_bytes_per_token(model, CATALOG.schemes["bf16"])
    everything = 2 * (46_702_792_704 - 32_000 * 4096)
    assert everything - whole == pytest.approx(2 * 6 * expert, rel=1e-3)


def test_ceiling_is_bandwidth_over_bytes() -> None:
    assert ceiling_tokens_per_s(1000, 2e9) == pytest.approx(500)
    assert math.isnan(ceiling_tokens_per_s(1000, math.nan))
