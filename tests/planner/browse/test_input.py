"""What a team states of a record, read field by field: each error names its field and what mends it."""

from typing import Any

import pytest

from planner.answers.catalog import ACCELERATORS, PLATFORMS, shown_accelerator, shown_platform
from planner.models import Accelerator, Platform
from planner.queries.entries import source_words
from tests.planner.browse.small import CARD, own_card

pytestmark = pytest.mark.usefixtures("catalog")


def errors_of(body: Any, *, shipped: bool = False) -> list[tuple[str | None, str]]:
    entry = Accelerator.objects.get(key=CARD)
    base = entry.record if shipped else ACCELERATORS.blank("acme-x1-48gb")
    said = ACCELERATORS.read(
        body, base=base, shipped=entry.shipped if shipped else None, words=source_words()
    )
    return [(error["field"], error["code"]) for error in said.errors]


def test_sound_statement_has_no_errors() -> None:
    assert errors_of(own_card()) == []


@pytest.mark.parametrize("key", [CARD, "nvidia-h100-sxm5-80gb", "amd-mi300x"])
def test_answer_sent_back_is_no_edit(key: str) -> None:
    entry = Accelerator.objects.get(key=key)
    words = source_words()
    said = ACCELERATORS.read(
        shown_accelerator(entry, words), base=entry.shipped, shipped=entry.shipped, words=words
    )
    assert (said.errors, said.edited) == ([], {})


def test_answer_of_a_platform_sent_back_is_no_edit() -> None:
    entry, words = Platform.objects.get(key="dgx-a100-640gb"), source_words()
    said = PLATFORMS.read(
        shown_platform(entry, words), base=entry.shipped, shipped=entry.shipped, words=words
    )
    assert (said.errors, said.edited) == ([], {})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"name": ""}, ("name", "missing")),
        ({"name": 7}, ("name", "wrong_type")),
        ({"name": "x" * 201}, ("name", "too_long")),
        ({"class": "toaster"}, ("class", "unknown_choice")),
        ({"class": ["edge"]}, ("class", "unknown_choice")),
        ({"launch_year": 1990}, ("launch_year", "out_of_range")),
        ({"launch_year": True}, ("launch_year", "out_of_range")),
        ({"unified_memory": "yes"}, ("unified_memory", "wrong_type")),
        ({"native_dtypes": ["fp7"]}, ("native_dtypes", "unknown_choice")),
        ({"native_dtypes": "fp8"}, ("native_dtypes", "wrong_type")),
        ({"unknown_dtypes": ["bf16"]}, ("unknown_dtypes", "both")),
        ({"pcie": "PCIe 4"}, ("pcie", "malformed")),
        ({"link": {"kind": ""}}, ("link.kind", "unknown_choice")),
        ({"link": {"speed": 3}}, ("link", "wrong_type")),
        ({"link": {"kind": "nvlink", "domain_size": -1}}, ("link.domain_size", "out_of_range")),
        ({"reported_names": ["a", 3]}, ("reported_names", "wrong_type")),
        ({"reported_mib": [0]}, ("reported_mib", "wrong_type")),
        ({"reported_mib": [float("nan")]}, ("reported_mib", "wrong_type")),
        ({"colour": "red"}, ("colour", "unknown_field")),
        ({"figures": []}, ("figures", "wrong_type")),
        ({"figures": {"warp": {}}}, ("figures.warp", "unknown_field")),
        ({"source": 3}, ("source", "missing")),
    ],
)
def test_each_wrong_field_is_named(changes: dict[str, Any], expected: tuple[str, str]) -> None:
    assert expected in errors_of(own_card(**changes))


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        (290, ("figures.bandwidth_gb_s", "wrong_type")),
        ({"value": 290}, ("figures.bandwidth_gb_s", "wrong_type")),
        ({"value": 0, "kind": "measured", "source": "x"}, ("figures.bandwidth_gb_s.value", "wrong_type")),
        ({"value": "290", "kind": "measured", "source": "x"}, ("figures.bandwidth_gb_s.value", "wrong_type")),
        ({"value": 1e300, "kind": "measured", "source": "x"}, ("figures.bandwidth_gb_s.value", "wrong_type")),
        (
            {"value": 10**400, "kind": "measured", "source": "x"},
            ("figures.bandwidth_gb_s.value", "wrong_type"),
        ),
        (
            {"value": 1e-320, "kind": "measured", "source": "x"},
            ("figures.bandwidth_gb_s.value", "wrong_type"),
        ),
        ({"value": True, "kind": "measured", "source": "x"}, ("figures.bandwidth_gb_s.value", "wrong_type")),
        ({"value": 290, "kind": "guess", "source": "x"}, ("figures.bandwidth_gb_s.kind", "unknown_choice")),
        (
            {"value": 290, "kind": ["measured"], "source": "x"},
            ("figures.bandwidth_gb_s.kind", "unknown_choice"),
        ),
        ({"value": 290, "kind": "measured", "source": " "}, ("figures.bandwidth_gb_s.source", "missing")),
        (
            {"value": 290, "kind": "measured", "source": "x" * 501},
            ("figures.bandwidth_gb_s.source", "missing"),
        ),
    ],
)
def test_each_wrong_part_of_a_figure_is_named(figure: Any, expected: tuple[str, str]) -> None:
    assert errors_of({"figures": {"bandwidth_gb_s": figure}}, shipped=True) == [expected]


def test_new_value_needs_another_source_than_the_old_one() -> None:
    entry = Accelerator.objects.get(key=CARD)
    source = shown_accelerator(entry, source_words())["figures"]["bandwidth_gb_s"]["source"]
    figure = {"value": 290, "kind": "datasheet", "source": source}
    assert errors_of({"figures": {"bandwidth_gb_s": figure}}, shipped=True) == [
        ("figures.bandwidth_gb_s.source", "source_unchanged")
    ]


def test_own_card_needs_a_memory() -> None:
    assert errors_of(own_card(figures={})) == [("figures.memory_gib", "missing")]


@pytest.mark.parametrize("body", [None, [], "text", 3])
def test_what_is_no_object_is_refused(body: Any) -> None:
    assert errors_of(body) == [(None, "wrong_type")]


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ([], "missing"),
        ("nvidia-l4", "wrong_type"),
        ([{"id": "nvidia-l4"}], "wrong_type"),
        ([{"id": "nvidia-l4", "count": 0}], "out_of_range"),
        ([{"id": "nvidia-l4", "count": 1}, {"id": "nvidia-l4", "count": 2}], "twice"),
    ],
)
def test_parts_of_a_platform_are_named_once_with_a_count(parts: Any, code: str) -> None:
    body = {"id": "box", "name": "Box", "kind": "server", "accelerators": parts}
    said = PLATFORMS.read(body, base=PLATFORMS.blank("box"), shipped=None, words={})
    assert ("accelerators", code) in [(error["field"], error["code"]) for error in said.errors]
