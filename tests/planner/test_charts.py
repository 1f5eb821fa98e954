"""Bars and curves as what a template draws. Expected values are by hand."""

import math
from dataclasses import replace

from planner.charts import Part, bar
from planner.plots import Goal, Level, RoofPoint, latency_throughput, roofline

STEP = [
    Part(series="weights", value=16.0, name="Weights read", label="Weights"),
    Part(series="kv", value=1.0, name="KV read", label="KV"),
    Part(series="link", value=0.0, name="Interconnect"),
    Part(series="host", value=3.0, name="Host overhead", label="Host"),
]


def step_bar(**changes):
    fixed = {
        "name": "Predicted",
        "sub": "",
        "kind": "computed",
        "total": "20 ms",
        "total_sub": "",
        "title": "t",
    }
    return bar(STEP, unit="ms", end=40, step=10, **fixed | changes)


def test_bar_lays_parts_on_the_ruler_and_leaves_zero_out() -> None:
    drawn = step_bar()
    assert [(part.series, part.x, part.width) for part in drawn.segments] == [
        ("weights", "0.00%", "40.00%"),
        ("kv", "40.00%", "2.50%"),
        ("host", "42.50%", "7.50%"),
    ]
    assert [item.series for item in drawn.legend] == ["weights", "kv", "link", "host"]
    assert [tick.text for tick in drawn.ticks if tick.major] == ["0", "10", "20", "30", "40\u00a0ms"]


def test_bar_labels_give_way_name_first_then_value() -> None:
    assert [part.fit for part in step_bar().segments] == ["full", "", "full tight"]


def test_bar_describes_itself_in_words() -> None:
    desc = step_bar().desc.replace("\u00a0", " ")
    assert desc == "Weights read 16.0 ms, KV read 1.00 ms, Host overhead 3.00 ms"


def test_bar_with_limit_interval_and_overrun() -> None:
    drawn = step_bar(limit=30, limit_text="target 30", interval=(16, 28), beyond=36)
    assert (drawn.limit, drawn.limit_end, drawn.whisker) == ("75.00%", True, ("40.00%", "70.00%"))
    assert drawn.beyond == ("90.00%", "10.00%")
    # the flag stands where the 30 would
    assert [tick.text for tick in drawn.ticks if tick.major] == ["0", "10", "20", "", "40\u00a0ms"]


def test_roofline_meets_at_the_ridge() -> None:
    plot = roofline(
        [RoofPoint(name="decode", intensity=10, tflops=5, roof_tflops=10, css="pt-here", label="here")],
        peak_tflops=100,
        bandwidth_gb_s=1000,
        machine="1 × card",
        title="t",
        desc="d",
    )
    # x from 1 to 1,000 and y from 1 to 1,000: the ridge at 100 FLOP/B is two thirds across and up
    assert plot.lines[0].d == "M0.0 228.0 L666.7 76.0 L1000.0 76.0"
    assert (plot.rules[0].x, plot.marks[0].x) == ("66.67%", "33.33%")
    assert plot.table.rows == [["decode", "10.0", "5.00", "10.0", "50\u00a0%"]]


def levels() -> list[Level]:
    return [
        Level(users=users, per_user=speed, per_card=users * speed, tpot_ms=1000 / speed)
        for users, speed in ((1, 50.0), (8, 40.0), (16, 25.0))
    ]


def test_curve_marks_this_plan_and_hatches_what_memory_forbids() -> None:
    plot = latency_throughput(
        levels(), here=8, limit_users=16, limit_text="KV cache full", title="t", desc="d"
    )
    assert [mark.css for mark in plot.marks] == ["pt-pred", "pt-pred", "pt-here"]
    assert plot.marks[-1].label == "8 users"
    assert plot.cap_width == "41.67%"  # 25 of an axis to 60
    assert [note.text for note in plot.notes] == ["KV cache full"]
    assert not plot.has_band


def test_curve_without_a_limit_hatches_nothing() -> None:
    plot = latency_throughput(levels(), here=None, limit_users=None, limit_text="", title="t", desc="d")
    assert (plot.cap_width, plot.rules, plot.notes) == (None, [], [])


def test_curve_shades_where_the_targets_are_met() -> None:
    judged = [replace(level, meets=level.users < 16) for level in levels()]
    plot = latency_throughput(
        judged,
        here=8,
        limit_users=None,
        limit_text="",
        title="t",
        desc="d",
        goal=Goal(start=30.0, text="meets the target"),
    )
    assert plot.region is not None
    assert (plot.region.x, plot.region.width) == ("50.00%", "50.00%")  # 30 of an axis to 60
    assert [(note.text, note.x) for note in plot.notes] == [("meets the target", "100.00%")]
    assert [row[-1] for row in plot.table.rows] == ["met", "met", "missed"]


def test_curve_that_never_meets_the_targets_shades_nothing() -> None:
    plot = latency_throughput(
        levels(),
        here=8,
        limit_users=None,
        limit_text="",
        title="t",
        desc="d",
        goal=Goal(start=math.inf, text="meets the target"),
    )
    assert (plot.region, plot.notes) == (None, [])


def test_roofline_draws_prefill_as_a_square() -> None:
    points = [
        RoofPoint(name="decode", intensity=10, tflops=5, roof_tflops=10, css="pt-here", label="decode"),
        RoofPoint(name="prefill", intensity=900, tflops=60, roof_tflops=100, css="pt-meas", square=True),
    ]
    plot = roofline(points, peak_tflops=100, bandwidth_gb_s=1000, machine="1 × card", title="t", desc="d")
    assert [mark.square for mark in plot.marks] == [False, True]
    assert [row[0] for row in plot.table.rows] == ["decode", "prefill"]
