"""Differences and merges of what plans hold. Every expected value here is laid together by hand."""

from typing import Any

import pytest

from planner.core.plan_changes import applied, choose, differences, leaves, merge

BASE: dict[str, Any] = {
    "request": {
        "model": {"id": "qwen"},
        "count": 2,
        "engine": {"name": "vllm"},
        "workload": {"input_tokens": {"p50": 800, "p90": 1800}, "concurrency": 16},
    },
    "bill": {"extra": [{"name": "switch", "quantity": 1}]},
}


def but(**changes: Any) -> dict[str, Any]:
    """The base with some fields of its request changed."""
    return {**BASE, "request": {**BASE["request"], **changes}}


def workload(**changes: Any) -> dict[str, Any]:
    return but(workload={**BASE["request"]["workload"], **changes})


def extras(*items: tuple[str, int]) -> dict[str, Any]:
    return {**BASE, "bill": {"extra": [{"name": name, "quantity": quantity} for name, quantity in items]}}


def test_leaves_keep_what_is_one_thing_together() -> None:
    assert leaves(BASE) == {
        ("request", "model"): {"id": "qwen"},
        ("request", "count"): 2,
        ("request", "engine"): {"name": "vllm"},
        ("request", "workload", "input_tokens"): {"p50": 800, "p90": 1800},
        ("request", "workload", "concurrency"): 16,
        ("bill", "extra", "switch"): {"name": "switch", "quantity": 1},
    }


@pytest.mark.parametrize(
    ("after", "found"),
    [
        (BASE, []),
        (but(count=4), [("request.count", 2, 4)]),
        (but(count=None), [("request.count", 2, None)]),
        (but(power_limit_w=None), []),  # null and absent are the same
        (but(model={"id": "llama"}), [("request.model", {"id": "qwen"}, {"id": "llama"})]),
        (
            but(engine={"name": "vllm", "version": "0.6"}),
            [("request.engine", {"name": "vllm"}, {"name": "vllm", "version": "0.6"})],
        ),
        (
            extras(("switch", 2), ("rack", 1)),
            [
                ("bill.extra.switch", {"name": "switch", "quantity": 1}, {"name": "switch", "quantity": 2}),
                ("bill.extra.rack", None, {"name": "rack", "quantity": 1}),
            ],
        ),
    ],
)
def test_differences_name_fields_and_not_parts_of_one_thing(
    after: dict[str, Any], found: list[tuple[str, Any, Any]]
) -> None:
    assert [(item.path, item.before, item.after) for item in differences(BASE, after)] == found


def test_changes_of_different_fields_are_both_kept() -> None:
    found = merge(BASE, theirs=but(count=4), ours=workload(concurrency=48))
    assert found.conflicts == ()
    assert found.merged == {
        **BASE,
        "request": {
            **BASE["request"],
            "count": 4,
            "workload": {**BASE["request"]["workload"], "concurrency": 48},
        },
    }


def test_items_that_each_added_are_both_ordered() -> None:
    found = merge(BASE, theirs=extras(("switch", 1), ("rack", 1)), ours=extras(("switch", 1), ("cable", 8)))
    assert found.conflicts == ()
    assert [item["name"] for item in found.merged["bill"]["extra"]] == ["switch", "rack", "cable"]


def test_items_of_one_name_twice_are_one_list() -> None:
    ours = extras(("switch", 1), ("switch", 2))
    found = merge(BASE, theirs=extras(("switch", 3)), ours=ours)
    assert [item.path for item in found.conflicts] == ["bill.extra"]


@pytest.mark.parametrize(
    ("theirs", "ours", "merged"),
    [
        (4, 4, 4),  # both the same
        (4, 2, 4),  # theirs alone
        (2, 4, 4),  # ours alone
        (None, 2, None),  # they took it out, we left it
        (2, None, None),  # we took it out, they left it
    ],
)
def test_one_field_is_what_the_one_who_changed_it_says(theirs: Any, ours: Any, merged: Any) -> None:
    found = merge({"count": 2}, theirs={"count": theirs}, ours={"count": ours})
    assert found.conflicts == ()
    assert found.merged.get("count") == merged


@pytest.mark.parametrize(("theirs", "ours"), [(4, 8), (None, 8), (4, None)])
def test_field_that_both_changed_is_a_conflict_and_theirs_stands(theirs: Any, ours: Any) -> None:
    found = merge({"count": 2}, theirs={"count": theirs}, ours={"count": ours})
    assert [(item.path, item.base, item.theirs, item.ours) for item in found.conflicts] == [
        ("count", 2, theirs, ours)
    ]
    assert found.merged.get("count") == theirs


def test_conflict_that_was_chosen_is_ours_and_the_rest_of_theirs_stays() -> None:
    theirs, ours = but(count=4, weights="awq"), but(count=8, weights="fp8")
    found = merge(BASE, theirs=theirs, ours=ours, mine=frozenset(["request.count"]))
    assert [item.path for item in found.conflicts] == ["request.count", "request.weights"]
    assert (found.merged["request"]["count"], found.merged["request"]["weights"]) == (8, "awq")


def test_one_thing_changed_in_two_parts_is_a_conflict() -> None:
    # P50 by one and P90 by the other would make a length that nobody meant
    theirs = workload(input_tokens={"p50": 900, "p90": 1800})
    ours = workload(input_tokens={"p50": 800, "p90": 2000})
    assert [item.path for item in merge(BASE, theirs=theirs, ours=ours).conflicts] == [
        "request.workload.input_tokens"
    ]


def test_names_with_dots_are_names_and_not_paths() -> None:
    ours = extras(("switch", 1), ("PDU 3.6 kW", 2))
    found = merge(BASE, theirs=but(count=4), ours=ours)
    assert found.merged["bill"] == ours["bill"]


def test_choosing_asks_for_every_field_in_which_the_two_differ() -> None:
    found = choose(BASE, theirs=but(count=4), ours=workload(concurrency=48))
    assert [item.path for item in found.conflicts] == ["request.count", "request.workload.concurrency"]
    assert found.merged == but(count=4)


def test_changes_are_applied_to_another_state() -> None:
    changes = differences(BASE, workload(concurrency=48))
    changed = applied({"request": {"count": 9}, "cost": {"pue": 1.3}}, changes)
    assert changed == {"request": {"count": 9, "workload": {"concurrency": 48}}, "cost": {"pue": 1.3}}


def test_applying_a_field_taken_out_takes_it_out() -> None:
    changes = differences(BASE, but(count=None))
    assert "count" not in applied(BASE, changes)["request"]
