"""Requests drawn at random over the whole catalog: whatever is asked, the answer must not contradict itself."""

import json
import math
from random import Random
from typing import Any

import pytest

from planner.core.estimate import estimate
from planner.core.kv import known_kv_cache_dtypes
from planner.core.mend import merged
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from tests.planner.core.asking import CATALOG

PER_SEED = 500
OF_SERVING = {
    "kv_limits_concurrency",
    "max_num_seqs_limits_concurrency",
    "workload_exceeds_max_model_len",
}
VERSIONS = {
    name: [None, *sorted({row["from"] for rows in table["values"].values() for row in rows["by_version"]})]
    for name, table in CATALOG.engines.items()
}
KV_DTYPES = ["auto", "auto", *sorted(known_kv_cache_dtypes(CATALOG.engines))]


class Draw(Random):
    """Mostly numbers that people type, now and then any that is allowed."""

    def number(self, usual: list[int], high: int) -> int:
        return self.choice(usual) if self.random() < 0.8 else int(math.exp(self.uniform(0, math.log(high))))

    def settings(self) -> dict[str, Any]:
        drawn = {
            "max_model_len": self.number([1024, 8192, 131072], 10**8),
            "max_num_seqs": self.number([1, 16, 256], 10**6),
            "max_num_batched_tokens": self.number([256, 2048, 16384], 10**8),
            "block_size": self.number([16, 32], 65536),
            "gpu_memory_utilization": self.choice([0.01, 0.5, 0.9, 0.95, 1.0]),
            "enforce_eager": True,
        }
        return {name: value for name, value in drawn.items() if self.random() < 0.4}

    def request(self) -> dict[str, Any]:
        tensor, pipeline = self.number([1, 2, 4, 8], 64), self.number([1, 1, 2], 64)
        data, engine = self.number([1, 1, 2], 20), self.choice(sorted(VERSIONS))
        workload = {
            "input_tokens": self.number([1, 100, 1024, 8192], 10**6),
            "output_tokens": self.number([1, 128, 1024], 10**6),
            "concurrency": self.number([1, 16, 500], 10**6),
        }
        return {
            "model": {"id": self.choice(list(CATALOG.models))},
            "weights": self.choice([None, None, self.choice(list(CATALOG.schemes))]),
            "kv_cache_dtype": self.choice(KV_DTYPES),
            "accelerator": self.choice(list(CATALOG.accelerators)),
            "count": tensor * pipeline * data,
            "parallelism": {
                "tensor": tensor,
                "pipeline": pipeline,
                "data": data,
                "expert": self.random() < 0.2,
            },
            "interconnect": self.choice([None, None, None, "none", "pcie4-x16"]),
            "engine": {"name": engine, "version": self.choice(VERSIONS[engine])},
            "settings": self.settings() if self.random() < 0.9 else "derive",
            "workload": workload,
        }


def answers(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    parsed = [parse_request(obj, CATALOG) for obj in requests]
    for obj, item in zip(requests, parsed, strict=True):
        assert isinstance(item, EstimateRequest), (obj, item)
    return estimate([item for item in parsed if isinstance(item, EstimateRequest)], CATALOG)


def codes(answer: dict[str, Any]) -> set[str]:
    return {reason["code"] for reason in answer["reasons"]}


def contradictions_of_memory(answer: dict[str, Any]) -> list[str]:
    verdict, memory, found = answer["verdict"], answer["memory"], codes(answer)
    own = memory["per_accelerator"]
    low, high = memory["interval"]["kv_cache_gib"] or (-math.inf, math.inf)
    rules = {
        "a refusal says why": verdict == "fits" or found,
        "what fits has no refusal": verdict != "fits" or found <= OF_SERVING,
        "what fits has a cache": verdict != "fits"
        or (own["kv_cache_gib"] >= 0 and memory["max_concurrency"] >= 1),
        "the interval holds the point": own["kv_cache_gib"] is None or low <= own["kv_cache_gib"] <= high,
        "only the cache can be short": all(
            value is None or value >= 0 for name, value in own.items() if name != "kv_cache_gib"
        ),
    }
    return [rule for rule, holds in rules.items() if not holds]


def contradictions_of_speed(answer: dict[str, Any]) -> list[str]:
    speed, step = answer["speed"], answer["step"]
    if speed is None:
        return []
    inside = [low <= speed[name] <= high for name, (low, high) in speed["interval"].items()]
    tpot = speed["tpot_ms"]
    rules = {
        "what is refused does not run": answer["verdict"] in ("fits", "unknown"),
        "the interval holds the point": all(inside),
        "the step bar adds up": math.isclose(sum(step.values()), tpot, rel_tol=1e-6, abs_tol=3e-4),
        "no part is negative": min(*step.values(), speed["ttft_ms"]) >= 0,
        "a token takes a step at least": tpot >= speed["decode_step_ms"] - 1e-4,
        "no more is read than the memory can": 0 <= speed["mbu"] <= 1,
    }
    return [rule for rule, holds in rules.items() if not holds]


@pytest.mark.parametrize("seed", range(4))
def test_no_answer_contradicts_itself(seed):
    requests = [Draw(seed).request() for seed in range(seed * PER_SEED, (seed + 1) * PER_SEED)]
    for request, answer in zip(requests, answers(requests), strict=True):
        json.dumps(answer, allow_nan=False)
        broken = contradictions_of_memory(answer) + contradictions_of_speed(answer)
        assert broken == [], (request, answer["reasons"])


def test_every_fix_mends_its_reason_and_brings_no_refusal():
    requests = [Draw(seed).request() for seed in range(5000, 6000)]
    mended = [
        (merged(request, reason["fix"]), reason["code"], codes(answer))
        for request, answer in zip(requests, answers(requests), strict=True)
        for reason in answer["reasons"]
        if reason["fix"]
    ]
    assert len(mended) > 100
    for (request, code, before), after in zip(mended, answers([m[0] for m in mended]), strict=True):
        assert code not in codes(after), (request, code)
        assert codes(after) - before <= OF_SERVING, (request, code)


def test_twice_the_replicas_serve_no_less():
    requests = [{**Draw(seed).request(), "settings": {"max_model_len": 8192}} for seed in range(7000, 8700)]
    doubled = [
        {
            **obj,
            "count": 2 * obj["count"],
            "parallelism": {**obj["parallelism"], "data": 2 * obj["parallelism"]["data"]},
        }
        for obj in requests
    ]
    pairs = [
        (one["speed"]["output_tokens_per_s"], two["speed"]["output_tokens_per_s"])
        for obj, one, two in zip(requests, answers(requests), answers(doubled), strict=True)
        if one["speed"] and not obj["parallelism"]["expert"]
    ]
    assert len(pairs) > 50
    assert [pair for pair in pairs if pair[1] < pair[0] * 0.999] == []
