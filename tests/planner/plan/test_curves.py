"""The curve of a plan with targets and with requests per day: levels, region and words agree with each other."""

import pytest

from planner.catalog import load_shipped
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from planner.plan.curves import Sweep, curve, roof, sweep
from planner.plan.form import read_plan
from planner.setup import setup_of

CATALOG = load_shipped()


def swept(asked: int | None = None, **keys: str) -> Sweep:
    parsed = parse_request(read_plan(keys).request(), CATALOG)
    assert isinstance(parsed, EstimateRequest)
    found = sweep(parsed, CATALOG, asked=asked)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "keys", [{"tpot": "20"}, {"ttft": "300"}, {"tps": "50"}, {"tpot": "20", "ttft": "300"}]
)
def test_region_begins_between_the_last_level_that_meets_and_the_next(keys: dict[str, str]) -> None:
    found = swept(**keys)
    picture = curve(found, setup_of(found.request))
    table = picture.plot.table
    met = [row[-1] == "met" for row in table.rows]
    last = met.index(False) - 1
    assert met == [True] * (last + 1) + [False] * (len(met) - last - 1)
    assert picture.plot.region is not None
    edge = float(picture.plot.region.x.rstrip("%"))
    *marks, here = picture.plot.marks  # the plan's own comes last, to lie on top
    marks.insert(found.here, here)
    inside, outside = (float(marks[row].x.rstrip("%")) for row in (last, last + 1))
    assert outside <= edge <= inside


def test_sentence_of_the_curve_names_the_last_level_that_meets() -> None:
    found = swept(tpot="20")
    ratios = found.speed.tpot_ms / 20
    last = max(level for level, ratio in zip(found.levels, ratios, strict=True) if ratio <= 1)
    assert f"{last} users meet the targets" in curve(found, setup_of(found.request)).sentence


def test_curve_of_targets_that_nothing_meets_says_so() -> None:
    picture = curve(found := swept(tpot="1"), setup_of(found.request))
    assert picture.plot.region is None
    assert "No level meets the targets." in picture.sentence


def test_curve_without_targets_has_no_column_for_them() -> None:
    picture = curve(found := swept(), setup_of(found.request))
    assert len(picture.plot.table.head) == 6


def test_requests_of_a_day_are_swept_as_users_at_once() -> None:
    daily, users = swept(asked=3, by="day"), swept(u="3")
    assert daily.levels == users.levels
    assert list(daily.speed.tpot_ms) == list(users.speed.tpot_ms)


def test_roofline_holds_decode_and_prefill() -> None:
    picture = roof(found := swept(), setup_of(found.request))
    assert picture is not None
    names = [row[0] for row in picture.plot.table.rows]
    assert names[-1] == "Prefill, one prompt of 1,024 tokens"
    assert [mark.square for mark in picture.plot.marks] == [name.startswith("Prefill") for name in names]
