"""The probability that the cache is too small: against convolution request by request, and where it is certain."""

from dataclasses import replace

import numpy as np
import pytest

from planner.core.estimate import estimate
from planner.core.kv_groups import Pool, PoolGroup
from planner.core.layout import layout_of
from planner.core.lengths import Quantiles
from planner.core.traffic.exhaustion import exhaustion, most_within, request_units
from planner.core.traffic.relief import relief
from planner.core.traffic.resident import lengths_of_means, lengths_of_quantiles, resident_of
from tests.planner.core.asking import CATALOG
from tests.planner.core.estimating import checked

CHAT = lengths_of_quantiles(Quantiles(800, 1800, 3000), Quantiles(200, 500, 900))
WORKLOAD = {"input_tokens": 1075, "output_tokens": 266}


def asked(**more):
    settings = {"max_model_len": 8192, "max_num_seqs": more.pop("slots", 128)}
    load = more.pop("load", {"concurrency": 100})
    return checked(settings=settings, workload={**WORKLOAD, **load}, **more)


def convolved(resident, capacity, count):
    """The same probability by convolving request by request, blocks of 16 tokens."""
    blocks = np.ceil(resident.tokens / 16).astype(int)
    one = np.bincount(blocks, weights=resident.shares)
    total = np.ones(1)
    for _ in range(count):
        total = np.convolve(total, one)
    return total[capacity + 1 :].sum()


@pytest.mark.parametrize("users", [85, 92, 100, 110])
def test_probability_is_that_of_convolution_request_by_request(users):
    request = asked(load={"concurrency": users})
    found = exhaustion(request, CHAT, CATALOG)
    # the cache as the estimate states it, in blocks of 16 tokens
    tokens = estimate([request], CATALOG)[0]["memory"]["kv_cache_tokens"]
    resident = resident_of(CHAT, max_model_len=8192)
    assert found.cache is not None and found.cache.capacity == tokens / 16
    assert found.probability == pytest.approx(convolved(resident, tokens // 16, users), abs=1e-8)


def test_probability_is_as_drawn():
    request = asked(load={"concurrency": 100})
    found = exhaustion(request, CHAT, CATALOG)
    draw = np.random.default_rng(21)
    # log-normal through p50 and p90, cut at p99; a request is met in proportion to its output, at any age
    prompts = np.minimum(800 * np.exp(draw.normal(size=400_000) * np.log(1800 / 800) / 1.2815516), 3000)
    answers = np.minimum(200 * np.exp(draw.normal(size=400_000) * np.log(500 / 200) / 1.2815516), 900)
    met = draw.choice(400_000, size=(6000, 100), p=answers / answers.sum())
    held = prompts[met] + draw.uniform(size=met.shape) * answers[met]
    share = (np.ceil(held / 16).sum(axis=1) > found.cache.capacity).mean()
    assert found.probability == pytest.approx(share, abs=0.02)


def test_slots_that_keep_it_rare_do_and_one_more_does_not():
    found = exhaustion(asked(), CHAT, CATALOG)
    resident = resident_of(CHAT, max_model_len=8192)
    capacity = int(found.cache.capacity)
    assert convolved(resident, capacity, found.within) <= 0.01
    assert convolved(resident, capacity, found.within + 1) > 0.01
    assert found.passes_at == found.within + 1


def test_never_where_the_longest_together_fit():
    found = exhaustion(asked(load={"concurrency": 16}), CHAT, CATALOG)
    assert (found.certainty, found.probability, found.interval) == ("never", 0.0, (0.0, 0.0))
    # no request grows beyond p99 of both: 3,899 tokens when its last one is made, 244 blocks
    assert found.certain_up_to == int(found.cache.capacity // 244)


def test_always_where_the_shortest_together_do_not_fit():
    lengths = lengths_of_means(4000, 100)
    found = exhaustion(asked(load={"concurrency": 60}), lengths, CATALOG)
    # 60 requests of 4,000 tokens at least need 240,000; the card has less
    assert found.cache.tokens < 240_000
    assert (found.certainty, found.probability) == ("always", 1.0)


def test_more_cache_makes_it_rarer_and_the_interval_says_how_much():
    found = exhaustion(asked(), CHAT, CATALOG)
    assert found.interval[0] < found.probability < found.interval[1]


def test_slots_limit_what_runs():
    many = exhaustion(asked(slots=80, load={"concurrency": 500}), CHAT, CATALOG)
    assert (many.mean_running, many.max_num_seqs) == (80.0, 80)


def test_replicas_share_the_users():
    one = exhaustion(asked(load={"concurrency": 100}), CHAT, CATALOG)
    two = exhaustion(asked(load={"concurrency": 200}, parallelism={"data": 2}), CHAT, CATALOG)
    assert two.probability == one.probability
    assert (two.replicas, two.passes_at) == (2, 2 * one.within + 1)


def test_requests_at_random_are_a_poisson_count():
    request = asked(load={"requests_per_day": 400_000, "peak_factor": 1.5}, slots=400)
    found = exhaustion(request, CHAT, CATALOG)
    assert found.random
    resident = resident_of(CHAT, max_model_len=8192)
    blocks = np.ceil(resident.tokens / 16)
    draw = np.random.default_rng(8)
    counts = draw.poisson(found.mean_running, 4000)
    held = [draw.choice(blocks, size=count, p=resident.shares).sum() for count in counts]
    share = (np.array(held) > found.cache.capacity).mean()
    assert found.probability == pytest.approx(share, abs=0.02)


def test_peak_is_worse_than_the_mean_of_the_day():
    request = asked(load={"requests_per_day": 300_000, "peak_factor": 2}, slots=400)
    found = exhaustion(request, CHAT, CATALOG)
    assert found.probability_at_mean is not None
    assert found.probability_at_mean < found.probability


def test_load_above_capacity_fills_every_slot():
    found = exhaustion(asked(load={"requests_per_day": 5_000_000}), CHAT, CATALOG)
    assert (found.overloaded, found.mean_running) == (True, 128.0)


def test_slots_with_a_context_of_their_own_never_run_out():
    request = asked(engine={"name": "llama.cpp"}, weights="gguf-q4_k_m", slots=4, load={"concurrency": 4})
    found = exhaustion(request, CHAT, CATALOG)
    assert (found.code, found.certainty, found.probability) == ("reserved", "never", 0.0)


def test_setup_that_does_not_start_has_no_answer():
    request = asked(model="Qwen/Qwen2.5-32B-Instruct")
    assert exhaustion(request, CHAT, CATALOG).code == "not_started"
    assert exhaustion(asked(accelerator=None), CHAT, CATALOG).code == "unknown"
    assert exhaustion(replace(request, workload=None), CHAT, CATALOG).code == "no_workload"


@pytest.mark.parametrize("model", ["google/gemma-3-27b-it", "openai/gpt-oss-20b", "Qwen/Qwen2.5-7B-Instruct"])
@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_units_of_a_request_are_those_of_the_pool(model, engine):
    request = checked(model=model, accelerator="nvidia-h200-sxm5-141gb", engine={"name": engine})
    pool = layout_of(request).pool
    tokens = np.array([0.0, 1, 16, 17, 1023, 1024, 5000, 100_000])
    whole = pool.quantum > 0 or len(pool.groups) == 1
    expected = [
        sum(pool.request_blocks(int(count), 0)) if whole else pool.request_bytes(int(count), 0)
        for count in tokens
    ]
    assert request_units(pool, tokens).tolist() == pytest.approx(expected)


def test_window_and_state_by_hand():
    groups = (
        PoolGroup(bytes_per_block=1.0, block_tokens=16),
        PoolGroup(bytes_per_block=1.0, block_tokens=16, cap=63.0, extra_blocks=1, window=64.0),
        PoolGroup(bytes_per_block=1.0, block_tokens=float("inf"), extra_blocks=2),
    )
    pool = Pool(groups=groups, quantum=1.0, block_tokens=16)
    # 100 tokens: 7 blocks, a window of 63 in 4 and one more, 2 of state
    assert request_units(pool, np.array([100.0])).tolist() == [7 + 5 + 2]


def test_most_within_is_the_last_that_holds():
    for last in (0, 1, 7, 100, 5000):
        assert most_within(lambda count, last=last: float(count > last), 0.01, 0) == last


def test_changes_that_help_make_it_rarer():
    before = exhaustion(asked(), CHAT, CATALOG)
    found = {item.candidate.code: item.after for item in relief(asked(), CHAT, CATALOG, before=before)}
    assert set(found) == {"fewer_slots", "utilization", "narrow_cache", "narrow_weights"}
    assert all(after.probability < before.probability for after in found.values())
    assert found["fewer_slots"].probability <= 0.01
