"""Recommendations as the outside sees them."""

from datetime import date

from planner.answers import estimates, recommendations
from planner.catalog import load_shipped
from planner.queries.prices import Books
from planner.recommend.words import plan_link

ON = date(2026, 12, 1)


def test_option_of_a_rate_asks_for_the_rate_and_gives_the_same_figures():
    workload = {"input_tokens": 1024, "output_tokens": 150, "requests_per_day": 200_000, "peak_factor": 2}
    question = {
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "accelerators": ["nvidia-l40s", "nvidia-rtx-4090"],
        "workload": workload,
    }
    (found,) = recommendations.answer([question], catalog=load_shipped(), books=Books(on=ON, stored=False))
    for option in found["options"]:
        assert option["request"]["workload"] == workload
        (again,) = estimates.answer([option["request"]], catalog=load_shipped())
        assert (again["speed"], again["memory"]) == (option["speed"], option["memory"])
        assert option["load"]["concurrency"] > 1
        assert {"by=day", "day=200000", "peak=2"} <= set(plan_link(option["request"]).split("&"))
