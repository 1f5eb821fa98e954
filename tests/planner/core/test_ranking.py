"""Set-ups that were measured, in pairs that differ in one thing by more than 15 %: the right one must come out ahead.

`ranking_pairs.jsonl` is a sample of public measurements, each with its source.
"""

import json
from pathlib import Path

import pytest

from planner.core.estimate import evaluate
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from tests.planner.core.asking import CATALOG

PAIRS = Path(__file__).resolve().parents[2] / "data" / "ranking_pairs.jsonl"
# Share of pairs in the right order: cards differ in more than their datasheets say
WANTED = {"tensor parallelism": 0.95, "concurrency": 0.95, "weights or cache dtype": 0.95, "card": 0.85}


def _predicted(side, metric):
    request = parse_request(side["request"], CATALOG)
    assert isinstance(request, EstimateRequest), request
    return float(getattr(evaluate([request], CATALOG)[2], metric)[0])


@pytest.mark.parametrize("kind", sorted(WANTED))
def test_measured_pairs_come_out_in_the_right_order(kind):
    with PAIRS.open(encoding="utf-8") as lines:
        pairs = [pair for pair in map(json.loads, lines) if pair["kind"] == kind]
    assert len(pairs) >= 8
    right = 0
    for pair in pairs:
        measured = [pair[side]["measured"] for side in ("one", "other")]
        assert max(measured) > 1.15 * min(measured)
        one, other = (_predicted(pair[side], pair["metric"]) for side in ("one", "other"))
        right += (one < other) == (measured[0] < measured[1])
    assert right >= WANTED[kind] * len(pairs)
