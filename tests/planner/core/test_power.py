"""Power modes and caps: shares of bandwidth and compute, by hand from clocks and from the measured curve."""

import math

import pytest

from planner.catalog import load_shipped
from planner.core.power import derated, in_mode, lowest_limit_w, mode_names, under_limit

CATALOG = load_shipped()
TABLE = CATALOG.power
ORIN = CATALOG.accelerators["nvidia-jetson-agx-orin-64gb"]
NANO = CATALOG.accelerators["nvidia-jetson-orin-nano-8gb-super"]
RTX_3090 = CATALOG.accelerators["nvidia-rtx-3090"]


def test_modes_are_named_fastest_first() -> None:
    assert mode_names(TABLE, ORIN) == ("MAXN", "50W", "30W", "15W")
    assert mode_names(TABLE, RTX_3090) == ()


def test_fastest_mode_changes_nothing() -> None:
    setting = in_mode(TABLE, ORIN, "MAXN")
    assert (setting.bandwidth_share, setting.compute_share, setting.kind) == (1.0, 1.0, "datasheet")
    assert derated(setting).bandwidth_gb_s == 204.8


def test_compute_of_a_mode_is_clock_times_units() -> None:
    # 30 W: 612 of 1301 MHz with 4 of 8 clusters. Measured prefill fell to 1 / 3.92 = 0.255 of MAXN.
    setting = in_mode(TABLE, ORIN, "30W")
    assert setting.compute_share == pytest.approx(612 / 1301 / 2)
    assert setting.compute_share == pytest.approx(1 / 3.92, rel=0.1)


def test_decode_of_a_slow_clock_waits_for_the_cores_although_memory_runs_at_full_speed() -> None:
    # Measured on this board: 8.46 tokens/s at MAXN and 2.61 in the 30 W mode, memory at 3199 MHz in both.
    setting = in_mode(TABLE, ORIN, "30W")
    assert setting.bandwidth_share == pytest.approx(0.2352 / 0.7, rel=1e-3)
    assert setting.bandwidth_low < 2.61 / 8.46 < setting.bandwidth_high
    assert setting.confidence == "medium"


def test_decode_of_a_slow_memory_clock_waits_for_memory() -> None:
    # 15 W: memory 2133 of 3199 MHz, GPU 612 of 1020: the memory is what binds. NVIDIA's own figures from this mode to
    # the fastest lie between 1.28 and 1.63 times for seven models, their median at 1.54.
    setting = in_mode(TABLE, NANO, "15W")
    assert setting.bandwidth_share == pytest.approx(2133 / 3199)
    assert 1 / setting.bandwidth_share == pytest.approx(1.54, rel=0.05)
    assert setting.kind == "datasheet"


@pytest.mark.parametrize(
    ("watts", "mode"), [(60, "MAXN"), (59, "50W"), (30, "30W"), (29.9, "15W"), (15, "15W")]
)
def test_limit_on_a_machine_with_modes_picks_the_fastest_within(watts: float, mode: str) -> None:
    setting = under_limit(TABLE, ORIN, watts)
    assert setting is not None
    assert setting.mode == mode


def test_limit_below_every_mode_is_not_answered() -> None:
    assert under_limit(TABLE, ORIN, 14.9) is None
    assert lowest_limit_w(TABLE, ORIN) == 15


@pytest.mark.parametrize(
    ("watts", "decode", "prefill"),
    [
        # Of a public sweep on this card: 70.7 of 72.6 and 8,436 of 9,893 tokens/s at 250 W, 62.6 and 2,549 at 150 W.
        (350, 1.0, 1.0),
        (250, 70.7 / 72.6, 8436 / 9893),
        (200, 68.3 / 72.6, 5941 / 9893),
        (150, 62.6 / 72.6, 2549 / 9893),
    ],
)
def test_cap_on_a_card_costs_what_was_measured(watts: float, decode: float, prefill: float) -> None:
    setting = under_limit(TABLE, RTX_3090, watts)
    assert setting is not None
    assert setting.bandwidth_share == pytest.approx(decode, abs=0.002)
    assert setting.compute_share == pytest.approx(prefill, abs=0.002)
    assert setting.kind == "measured"


def test_cap_between_two_measured_ones_lies_on_the_line_between_them() -> None:
    # 225 W is half-way between 250 (0.974) and 200 (0.941), but for the rounding of the shares of power.
    setting = under_limit(TABLE, RTX_3090, 225)
    assert setting is not None
    assert setting.bandwidth_share == pytest.approx((0.974 + 0.941) / 2, abs=0.001)


def test_curve_on_another_card_is_a_rule_of_thumb() -> None:
    setting = under_limit(TABLE, CATALOG.accelerators["nvidia-rtx-4090"], 315)
    assert setting is not None
    assert setting.kind == "rule_of_thumb"


def test_cap_above_the_power_of_the_card_is_no_cap() -> None:
    setting = under_limit(TABLE, RTX_3090, 500)
    assert setting is not None
    assert (setting.bandwidth_share, setting.watts) == (1.0, 350)


def test_decode_on_a_server_card_does_not_notice_a_cap_that_it_does_not_reach() -> None:
    # Measured on an H200: decode draws 137-300 W of 700 W.
    setting = under_limit(TABLE, CATALOG.accelerators["nvidia-h200-sxm5-141gb"], 400)
    assert setting is not None
    assert setting.bandwidth_share == 1.0
    assert setting.compute_share < 1.0


def test_board_whose_modes_are_unknown_is_counted_like_its_relatives() -> None:
    # 15 of 25 W: the Orin Nano Super keeps 0.667 there by its memory clock.
    setting = under_limit(TABLE, CATALOG.accelerators["nvidia-jetson-orin-nx-16gb"], 15)
    assert setting is not None
    assert setting.bandwidth_share == pytest.approx(0.67)
    assert (setting.kind, setting.confidence) == ("rule_of_thumb", "low")


def test_derated_machine_keeps_its_memory_and_says_why_it_is_slower() -> None:
    setting = under_limit(TABLE, RTX_3090, 250)
    assert setting is not None
    slower = derated(setting)
    assert (slower.id, slower.memory_gib, slower.tdp_w) == (RTX_3090.id, RTX_3090.memory_gib, 250)
    assert slower.bandwidth_gb_s == pytest.approx(936.2 * 0.974, rel=1e-3)
    assert slower.provenance["bandwidth_gb_s"].kind == "computed"
    assert "llmgarage.ai" in slower.provenance["bandwidth_gb_s"].source


def test_machine_without_a_stated_power_is_not_answered() -> None:
    phone = CATALOG.accelerators["apple-a18-pro"]
    assert under_limit(TABLE, phone, 5) is None
    assert lowest_limit_w(TABLE, phone) is None


def test_no_share_is_outside_its_bounds_or_above_one() -> None:
    for card in CATALOG.accelerators.values():
        for name in mode_names(TABLE, card):
            setting = in_mode(TABLE, card, name)
            assert 0 < setting.bandwidth_low <= setting.bandwidth_share <= setting.bandwidth_high <= 1
        if card.tdp_w is not None and (lowest := lowest_limit_w(TABLE, card)) is not None:
            shares = [
                setting.bandwidth_share
                for watts in (lowest, 0.5 * (lowest + card.tdp_w), card.tdp_w, 2 * card.tdp_w)
                if (setting := under_limit(TABLE, card, math.ceil(watts))) is not None
            ]
            assert shares == sorted(shares), card.id
