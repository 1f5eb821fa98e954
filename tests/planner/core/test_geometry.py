"""Where things stand in a chart. Expected values are by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.core.geometry import (
    Scale,
    decade_ticks,
    decades,
    linear_ticks,
    nice_ceiling,
    path,
    stack,
    thinned,
)


def test_scale_linear_and_logarithmic() -> None:
    linear = Scale(low=0, high=50)
    logarithmic = Scale(low=1, high=10_000, logarithmic=True)
    assert (linear.x(10), linear.y(50, 228), linear.y(0, 228)) == ("20.00%", 0.0, 228.0)
    assert (logarithmic.x(100), logarithmic.x(1), logarithmic.y(10, 100)) == ("50.00%", "0.00%", 75.0)


def test_scale_clamps_what_lies_outside() -> None:
    assert Scale(low=0, high=50).x(80) == "100.00%"
    assert Scale(low=1, high=100, logarithmic=True).x(0) == "0.00%"


@pytest.mark.parametrize(
    ("value", "end", "step"), [(37, 40, 10), (24, 25, 5), (0.7, 0.8, 0.2), (1000, 1000, 200), (0, 1, 1)]
)
def test_nice_ceiling_is_round_and_holds_the_value(value: float, end: float, step: float) -> None:
    assert nice_ceiling(value) == pytest.approx((end, step))


@given(st.floats(min_value=1e-6, max_value=1e9), st.integers(min_value=2, max_value=8))
def test_nice_ceiling_never_cuts_and_never_crowds(value: float, ticks: int) -> None:
    end, step = nice_ceiling(value, ticks=ticks)
    assert end >= value * (1 - 1e-9)
    assert len(linear_ticks(end, step)) <= ticks + 1


def test_decades_surround_the_range() -> None:
    assert decades(0.3, 40) == (0.1, 100.0)
    assert decades(10, 10) == (10.0, 100.0)
    assert decade_ticks(0.1, 100) == [0.1, 1.0, 10.0, 100.0]


def test_stack_lays_parts_end_to_end() -> None:
    slices = stack([10, 0, 5], 50)
    assert [(part.start, part.width, part.middle) for part in slices] == [
        (0, 20, 10),
        (20, 0, 20),
        (20, 10, 25),
    ]


def test_path_of_points_and_of_none() -> None:
    scale = Scale(low=0, high=10)
    assert path([(0, 0), (5, 10)], scale, scale, 100) == "M0.0 100.0 L500.0 0.0"
    assert path([], scale, scale, 100) == ""


def test_thinned_keeps_labels_apart() -> None:
    assert thinned([(0, 0), (10, 0), (26, 0), (40, 0)], 26) == [True, False, True, False]
