"""Which accelerators are modules, on which boards they come, and which models have a longer window."""

from dataclasses import replace
from typing import Any

import pytest

from planner.catalog import SHIPPED, load_shipped
from planner.catalog.build import board_sizes, longer_window
from planner.catalog.files import read_rows
from planner.core.specs import RopeScaling

CATALOG = load_shipped()
ROWS = read_rows(SHIPPED)


@pytest.mark.parametrize(
    ("card", "sizes"),
    [
        ("nvidia-h100-sxm5-80gb", (4, 8)),  # HGX H100 with four and with eight
        ("nvidia-gb200", (4,)),  # a tray of NVL72
        ("amd-mi300x", (8,)),
        ("amd-mi300a", (4,)),  # a node of El Capitan
        ("nvidia-a100-sxm4-40gb", (8,)),  # no platform of the catalog: the link's eight
        ("nvidia-h100-pcie-80gb", ()),  # a card with a bridge
        ("nvidia-l40s", ()),
        ("amd-mi100", ()),
        ("nvidia-gb10-dgx-spark", ()),  # a machine with a network
    ],
)
def test_modules_come_on_the_boards_of_the_catalog(card: str, sizes: tuple[int, ...]) -> None:
    assert CATALOG.accelerators[card].boards == sizes


def test_a_platform_that_is_no_board_makes_no_module() -> None:
    platforms = tuple(row for row in ROWS.platforms if row["kind"] not in ("baseboard", "server"))
    sizes = board_sizes(replace(ROWS, platforms=platforms))
    assert "nvidia-gb200" not in sizes  # a rack of 72 alone does not say how many a tray has
    assert sizes["amd-mi300x"] == (8,)


@pytest.mark.parametrize(
    ("scaling", "found"),
    [
        (None, None),
        (
            {"type": "yarn", "factor": 4, "original_max_position": 32768, "active_by_default": False},
            RopeScaling(kind="yarn", factor=4.0, original=32_768),
        ),
        ({"type": "yarn", "factor": 4, "original_max_position": 32768, "active_by_default": True}, None),
        ({"type": "yarn", "factor": 4, "original_max_position": 32768}, None),
        ({"type": "yarn", "active_by_default": False}, None),
    ],
)
def test_a_longer_window_is_one_that_is_documented_and_off(scaling: Any, found: RopeScaling | None) -> None:
    assert longer_window(scaling) == found


def test_a_longer_window_is_the_factor_times_what_it_was_trained_on() -> None:
    scaling = CATALOG.models["Qwen/Qwen3-8B"].longer_by
    assert scaling is not None
    assert scaling.tokens == 131_072
