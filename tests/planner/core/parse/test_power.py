"""Power and memory of the machine in a request: what is taken, and what is wrong with the rest."""

from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.parse import Rejected, Reserved, parse_request
from planner.core.request import EstimateRequest

CATALOG = load_shipped()
MODEL = {"model": {"id": "Qwen/Qwen2.5-7B-Instruct"}, "engine": {"name": "llama.cpp"}}
ORIN = "nvidia-jetson-agx-orin-64gb"
DESKTOP = "cpu-desktop-2ch-ddr5-5600"


def parsed(accelerator: str | None, **more: Any) -> EstimateRequest:
    request = parse_request({**MODEL, "accelerator": accelerator, **more}, CATALOG)
    assert isinstance(request, EstimateRequest), request
    return request


def problem(accelerator: str | None, **more: Any) -> tuple[str, str | None]:
    outcome = parse_request({**MODEL, "accelerator": accelerator, **more}, CATALOG)
    assert isinstance(outcome, Rejected), outcome
    (found,) = outcome.problems
    return found.code, found.field


@pytest.mark.parametrize("spelt", ["30W", "30w", "30 W"])
def test_mode_is_found_however_it_is_spelt(spelt: str) -> None:
    request = parsed(ORIN, power_mode=spelt)
    assert request.power is not None
    assert request.power.mode == "30W"
    assert request.accelerator is not None
    # 204.8 GB/s x (612 / 1301 x 4 / 8) / 0.7, by hand
    assert request.accelerator.bandwidth_gb_s == pytest.approx(68.81, abs=0.01)


def test_request_without_power_is_the_machine_of_the_catalog() -> None:
    request = parsed(ORIN, power_mode=None, power_limit_w=None)
    assert request.power is None
    assert request.accelerator is CATALOG.accelerators[ORIN]


@pytest.mark.parametrize(
    ("accelerator", "more", "expected"),
    [
        (ORIN, {"power_mode": "turbo"}, ("unknown_power_mode", "power_mode")),
        (ORIN, {"power_mode": 3}, ("wrong_type", "power_mode")),
        ("nvidia-rtx-4090", {"power_mode": "MAXN"}, ("no_power_modes", "power_mode")),
        (ORIN, {"power_mode": "15W", "power_limit_w": 15}, ("power_mode_or_limit", "power_mode")),
        (None, {"power_limit_w": 15}, ("power_needs_accelerator", "power_limit_w")),
        ("nvidia-rtx-4090", {"power_limit_w": 0}, ("out_of_range", "power_limit_w")),
        ("nvidia-rtx-4090", {"power_limit_w": -5}, ("out_of_range", "power_limit_w")),
        ("nvidia-rtx-4090", {"power_limit_w": "300"}, ("wrong_type", "power_limit_w")),
        ("nvidia-rtx-4090", {"power_limit_w": True}, ("wrong_type", "power_limit_w")),
        ("nvidia-rtx-4090", {"power_limit_w": 100}, ("power_limit_below_known", "power_limit_w")),
        ("apple-a18-pro", {"power_limit_w": 5}, ("power_unknown", "power_limit_w")),
        (DESKTOP, {"host_memory_gib": 0}, ("out_of_range", "host_memory_gib")),
        (DESKTOP, {"host_memory_gib": "64 GB"}, ("wrong_type", "host_memory_gib")),
    ],
)
def test_bad_value_is_one_problem_at_its_field(
    accelerator: str | None, more: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert problem(accelerator, **more) == expected


def test_known_modes_are_named_where_another_was_asked_for() -> None:
    outcome = parse_request({**MODEL, "accelerator": ORIN, "power_mode": "turbo"}, CATALOG)
    assert isinstance(outcome, Rejected)
    assert outcome.problems[0].values["known"] == "MAXN, 50W, 30W, 15W"


def test_memory_of_a_cpu_machine_is_the_one_that_the_request_states() -> None:
    request = parsed(DESKTOP, host_memory_gib=24)
    assert request.accelerator is not None
    assert request.accelerator.memory_gib == 24
    assert request.accelerator.provenance["memory_gib"].source == "host_memory_gib of the request"


def test_memory_of_a_phone_is_used_to_the_same_share() -> None:
    # The catalog counts three quarters of a phone's memory as usable.
    request = parsed("qualcomm-sd-8-elite", host_memory_gib=12)
    assert request.accelerator is not None
    assert request.accelerator.memory_gib == 9


def test_memory_beside_a_graphics_card_stays_reserved() -> None:
    outcome = parse_request({**MODEL, "accelerator": "nvidia-rtx-4090", "host_memory_gib": 64}, CATALOG)
    assert isinstance(outcome, Reserved)
    assert outcome.fields == ("host_memory_gib",)
