"""The /metrics of engines: recorded ones and broken ones."""

import math
from pathlib import Path

import pytest

from planner.answers.length_files import samples_of
from planner.core.traffic.engines import Difference, Reading, models_in, read_dump, since
from planner.core.traffic.table import Refused

DATA = Path(__file__).resolve().parents[3] / "data"


def text(name: str) -> str:
    return (DATA / name).read_text()


def read(dump: str, *, model: str = "") -> Reading:
    found = read_dump(list(samples_of(dump)), model=model)
    assert isinstance(found, Reading), found
    return found


def refused(dump: str, *, model: str = "") -> Refused:
    found = read_dump(list(samples_of(dump)), model=model)
    assert isinstance(found, Refused), found
    return found


def test_vllm_after_a_sweep_of_138_requests():
    # a benchmark sent 138 requests of 128 or 129 tokens in and 64 out: 17,724 and 8,832 in all
    found = read(text("vllm_metrics_138_requests.prom"))
    assert (found.engine, found.model) == ("vllm", "small-llama")
    assert found.input is not None and found.output is not None
    assert (found.input.requests, found.input.total, found.output.total) == (138, 17_724, 8_832)
    median = found.input.quantile(0.5)
    assert (median.low, median.high) == (101, 200)
    assert (found.requests, found.latency_count, found.preemptions) == (138, 138, 0)


def test_vllm_under_load_shows_its_gauges():
    # served with 8 slots and 24 users
    found = read(text("vllm_metrics_loaded.prom"))
    assert (found.running, found.waiting) == (8, 16)


def test_ranks_of_one_model_add_up():
    dump = text("vllm_metrics_138_requests.prom")
    both = dump + dump.replace('engine="0"', 'engine="1"')
    found = read(both)
    assert found.input is not None
    assert (found.input.requests, found.latency_count) == (276, 276)


def test_several_models_must_be_chosen_between():
    dump = text("sglang_metrics_two_models.prom")
    assert models_in(list(samples_of(dump))) == ["qwen", "llama"]
    found = refused(dump)
    assert (found.code, found.values["models"]) == ("several_models", "qwen, llama")
    assert refused(dump, model="gpt").code == "no_such_model"
    chosen = read(dump, model="qwen")
    assert (chosen.engine, chosen.running, chosen.kv_usage) == ("sglang", 4, 0.25)
    assert chosen.input is not None
    assert (chosen.input.counts.tolist(), chosen.input.beyond) == ([10, 20, 60], 10)
    assert chosen.input.quantile(0.99).high is None


def test_engines_without_histograms_have_totals():
    llama = read(text("llamacpp_metrics.prom"))
    assert (llama.engine, llama.input, llama.input_total, llama.output_total) == (
        "llama.cpp",
        None,
        3095,
        2562,
    )
    assert math.isnan(llama.requests)
    trt = read(text("trtllm_metrics.prom"))
    assert (trt.engine, trt.model, trt.requests, trt.input_total) == ("tensorrt-llm", "nemotron", 40, 32_000)


def test_difference_of_two_readings():
    before = text("vllm_metrics_138_requests.prom")
    after = before.replace('model_name="small-llama"} 138.0', 'model_name="small-llama"} 238.0')
    came = since(read(before), read(after))
    assert isinstance(came, Difference)
    assert not came.reset
    assert came.reading.input is not None
    assert (came.reading.input.requests, came.reading.requests) == (100, 100)


def test_counters_that_fell_mean_a_new_start():
    later = read(text("vllm_metrics_138_requests.prom").replace("138.0", "100.0"))
    came = since(read(text("vllm_metrics_138_requests.prom")), later)
    assert isinstance(came, Difference)
    assert came.reset
    assert came.reading.input is not None
    assert came.reading.input.requests == 100


def test_readings_of_two_models_are_not_compared():
    first, second = read(text("vllm_metrics_138_requests.prom")), read(text("vllm_metrics_loaded.prom"))
    found = since(first, second)
    assert isinstance(found, Refused)
    assert found.code == "other_model"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (
            'le="200.0",model_name="small-llama"} 138.0',
            'le="200.0",model_name="small-llama"} 1.0',
            "not_cumulative",
        ),
        (
            'le="200.0",model_name="small-llama"} 138.0',
            'le="200.0",model_name="small-llama"} NaN',
            "bucket_unreadable",
        ),
        ('le="200.0"', 'le="many"', "bucket_unreadable"),
        ('le="+Inf"', 'le="9000.0"', "no_last_bucket"),
    ],
)
def test_broken_buckets_are_refused(old, new, code):
    assert refused(text("vllm_metrics_138_requests.prom").replace(old, new)).code == code


def test_text_of_something_else_names_no_engine():
    assert refused("# HELP node_load1 x\nnode_load1 0.5\n").code == "no_engine"
    assert refused("").code == "no_engine"


def test_lines_that_are_no_samples_are_passed_over():
    dump = text("vllm_metrics_138_requests.prom")
    noise = 'vllm:broken{le="1" 5\nvllm: \nvllm:x{a="b"} five\n'
    exemplar = dump.replace(
        'le="200.0",model_name="small-llama"} 138.0',
        'le="200.0",model_name="small-llama"} 138.0 # {id="x"} 1',
    )
    assert read(noise + dump).requests == 138
    found = read(exemplar)
    assert found.input is not None
    assert found.input.requests == 138


@pytest.mark.parametrize("value", ["1e308", "9" * 400, "-5", "+Inf", "NaN"])
def test_counters_that_cannot_be_are_not_known(value):
    dump = text("vllm_metrics_138_requests.prom")
    found = read(dump.replace("17724.0", value).replace("193.97333359718323", value))
    assert math.isnan(found.input_total)
    assert math.isnan(found.latency_sum_s)
    assert found.input is not None
    assert math.isnan(found.input.mean)
