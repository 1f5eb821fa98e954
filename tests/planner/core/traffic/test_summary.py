"""What is kept of a log, and what a plan takes from it."""

import math
from pathlib import Path

import pytest

from planner.answers.length_files import samples_of
from planner.core.traffic.engines import read_dump
from planner.core.traffic.rows import Collected
from planner.core.traffic.summary import filled, histograms_of, of_reading, of_rows
from planner.core.traffic.table import Refused, read_table

DATA = Path(__file__).resolve().parents[3] / "data"
HEAD = "prompt_tokens,completion_tokens,start_time,duration_s"


def summarized(*rows: str):
    found = read_table([HEAD, *rows])
    assert isinstance(found, Collected)
    return of_rows(found)


def test_rows_give_quantiles_of_the_sum_as_it_was():
    found = summarized("100,50,0,5", "200,10,10,5", "300,80,20,5", "400,20,30,5")
    total = found.summary["total"]
    # sums 150, 210, 380, 420
    assert (total["p50"]["value"], total["p99"]["value"], total["mean"]["value"]) == (210, 420, 290)
    assert set(found.histograms) == {"input", "output", "total"}
    assert histograms_of(found.histograms)["total"].requests == 4


def test_log_of_less_than_a_day_fills_users_at_once():
    found = filled(summarized("100,50,0,25", "200,10,10,25", "300,80,20,25", "400,20,90,5").summary)
    assert (found.concurrency, found.requests_per_day, found.peak_factor) == (3, None, None)
    assert found.input_tokens == {"p50": 200, "p90": 400, "p99": 400}
    # 1.2 x 420 is 504, in steps of 256: 512
    assert (found.longest_tokens, found.max_model_len) == (420, 512)


def test_log_of_days_fills_requests_a_day_with_their_peak():
    rows = [f"100,50,{hour * 3600},5" for hour in range(48)] + [
        f"100,50,{30 * 3600 + 60 + n},5" for n in range(24)
    ]
    found = filled(summarized(*rows).summary)
    assert found.concurrency is None
    assert found.requests_per_day == round(71 / 47 * 24)
    assert found.peak_factor == pytest.approx(25 / 1.5, rel=0.03)


def test_log_without_times_fills_no_load():
    found = read_table(["prompt_tokens,completion_tokens", "0,5", "8,5"])
    assert isinstance(found, Collected)
    plan = filled(of_rows(found).summary)
    assert (plan.concurrency, plan.requests_per_day) == (None, None)
    # a length of nothing is no length of a plan
    assert plan.input_tokens == {"p50": 1, "p90": 8, "p99": 8}


def reading(name: str):
    return read_dump(list(samples_of((DATA / name).read_text())))


def test_metrics_with_hours_give_the_load_by_littles_law():
    found = of_reading(reading("vllm_metrics_138_requests.prom"), seconds=3600.0, reset=False, two=True)
    assert not isinstance(found, Refused)
    summary = found.summary
    # 193.97 s of all requests in 3,600 s; 138 requests in an hour are 3,312 a day
    assert summary["mean_concurrency"]["value"] == pytest.approx(193.97333 / 3600, rel=1e-4)
    assert summary["requests_per_day"]["value"] == pytest.approx(138 * 24)
    assert summary["input"]["mean"]["value"] == pytest.approx(17724 / 138)
    assert summary["total"]["p99"]["kind"] == "unknown"
    assert summary["read"]["preemptions"] == 0


def test_metrics_fill_the_context_from_both_p99():
    found = of_reading(reading("vllm_metrics_138_requests.prom"), seconds=math.nan, reset=False, two=False)
    assert not isinstance(found, Refused)
    plan = filled(found.summary)
    assert plan.longest_tokens == plan.input_tokens["p99"] + plan.output_tokens["p99"]
    assert plan.concurrency is None


def test_engines_without_lengths_say_what_they_do_know():
    trt = of_reading(reading("trtllm_metrics.prom"), seconds=math.nan, reset=False, two=False)
    assert isinstance(trt, Refused)
    assert (trt.code, trt.values["input"], trt.values["output"]) == ("means_alone", 800, 200)
    llama = of_reading(reading("llamacpp_metrics.prom"), seconds=math.nan, reset=False, two=False)
    assert isinstance(llama, Refused)
    assert (llama.code, llama.values["input"]) == ("totals_alone", 3095)
