"""The shipped public prices: whole, of accelerators that there are, each with a basis that has words."""

from copy import deepcopy

import pytest

from planner.catalog import load_shipped
from planner.catalog.files import shipped_prices
from planner.catalog.price_checks import price_faults
from planner.messages.money import BASES

ACCELERATORS = load_shipped().accelerators


def test_shipped_prices_have_no_fault() -> None:
    assert list(price_faults(shipped_prices(), ACCELERATORS)) == []


def test_every_basis_has_words() -> None:
    assert {row["basis"] for row in shipped_prices()["accelerators"]} <= set(BASES)


@pytest.mark.parametrize(
    ("accelerator", "usd", "low_usd", "basis"),
    [
        ("nvidia-rtx-3060-12gb", 329, None, "list_at_launch"),  # NVIDIA, January 2021
        ("amd-rx-7900-xtx", 999, None, "list_at_launch"),  # AMD, November 2022
        ("nvidia-rtx-4090", 2800, 1800, "street_new"),  # what shops asked in 2026; it came out at 1,599
        ("nvidia-t4", 2000, None, "estimate_at_launch"),  # NVIDIA never published one
    ],
)
def test_price_is_the_published_one(accelerator: str, usd: float, low_usd: float | None, basis: str) -> None:
    row = next(row for row in shipped_prices()["accelerators"] if row["accelerator"] == accelerator)
    assert (row["usd"], row["low_usd"], row["basis"]) == (usd, low_usd, basis)


def test_fault_of_each_kind_is_found() -> None:
    document = deepcopy(shipped_prices())
    first, second, third, *_ = document["accelerators"]
    first["accelerator"] = "no-such-card"
    third["accelerator"] = second["accelerator"]
    third["low_usd"] = third["usd"]
    assert [fault.partition(":")[2] for fault in price_faults(document, ACCELERATORS)] == [
        " no such accelerator",
        " priced twice",
        " the lower end of its range is not below the upper one",
    ]
    second["usd"] = -1
    assert list(price_faults(document, ACCELERATORS)) == [
        "$.accelerators[1].usd: -1 is less than or equal to the minimum of 0"
    ]
