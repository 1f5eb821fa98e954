"""Collectives: the measured table is met at its own points, and the sane order holds between them."""

import math

import numpy as np
import pytest

from planner.core.links import Collective, collective, collective_seconds, curves_of
from planner.core.specs import LinkSpec
from tests.planner.core.asking import CATALOG

CURVES = curves_of(CATALOG)
H100 = CATALOG.accelerators["nvidia-h100-sxm5-80gb"]
L40S = CATALOG.accelerators["nvidia-l40s"]
A100 = CATALOG.accelerators["nvidia-a100-sxm4-80gb"]


def microseconds(found: Collective, size: float) -> float:
    seconds = collective_seconds(
        np.array([found.log_us]), np.array([found.size_scale]), np.array([found.extra_us]), np.array([size])
    )
    return float(seconds[0]) * 1e6


@pytest.mark.parametrize(
    ("ranks", "size", "expected"),
    [(2, 8192, 5.3), (4, 262144, 9.9), (8, 16777216, 214.2), (8, 268435456, 2170.2)],
)
def test_collective_at_a_measured_point_is_the_measurement(ranks: int, size: int, expected: float):
    # The only system measured at 300 GB/s one way: vLLM's all-reduce inside CUDA graphs on A100 SXM
    assert microseconds(collective(A100.link, A100, ranks, CURVES), size) == pytest.approx(expected, rel=1e-6)


def test_collective_of_one_rank_costs_nothing():
    assert microseconds(collective(H100.link, H100, 1, CURVES), 1e6) == 0.0


def test_collective_beyond_the_largest_message_grows_in_proportion():
    found = collective(H100.link, H100, 8, CURVES)
    assert microseconds(found, 2**29) == pytest.approx(2 * microseconds(found, 2**28))


def test_collective_grows_with_message_and_ranks():
    sizes = [2.0**exponent for exponent in range(10, 30)]
    for ranks in (2, 4, 8, 16):
        times = [microseconds(collective(H100.link, H100, ranks, CURVES), size) for size in sizes]
        assert times == sorted(times)
    large = [microseconds(collective(L40S.pcie, L40S, ranks, CURVES), 2.0**27) for ranks in (2, 4, 8, 16)]
    assert large == sorted(large)


def test_collective_on_a_faster_link_is_faster_for_large_messages():
    slow = LinkSpec(kind="pcie4-x16", bandwidth_gb_s=31.5)
    fast = LinkSpec(kind="pcie5-x16", bandwidth_gb_s=63.0)
    at = [microseconds(collective(link, L40S, 8, CURVES), 2.0**26) for link in (slow, fast)]
    assert at[0] == pytest.approx(2 * at[1], rel=0.05)


def test_collective_larger_than_the_domain_takes_the_slower_way():
    pair = LinkSpec(kind="nvlink", bandwidth_gb_s=450.0, domain_size=2)
    inside = microseconds(collective(pair, H100, 2, CURVES), 2.0**24)
    outside = microseconds(collective(pair, H100, 4, CURVES), 2.0**24)
    assert outside > 5 * inside


def test_collective_of_an_unmeasured_group_lies_between_its_neighbours():
    four, six, eight = (
        microseconds(collective(H100.link, H100, ranks, CURVES), 2.0**20) for ranks in (4, 6, 8)
    )
    assert min(four, eight) <= six <= max(four, eight)
    assert math.isfinite(microseconds(collective(None, H100, 4, CURVES), 2.0**20))


def test_collective_of_two_in_a_mesh_has_one_of_seven_wires():
    # MI300X, large all-reduce: 47.7 GB/s of bus bandwidth on two, 312.9 GB/s on eight (ml-engineering, 4 GiB)
    mi300x = CATALOG.accelerators["amd-mi300x"]
    bus = {}
    for ranks in (2, 8):
        seconds = microseconds(collective(mi300x.link, mi300x, ranks, CURVES), 2.0**32) / 1e6
        bus[ranks] = 2 * (ranks - 1) / ranks * 2**32 / seconds / 1e9
    assert bus[2] == pytest.approx(47.7, rel=0.2)
    assert bus[8] == pytest.approx(312.9, rel=0.15)
