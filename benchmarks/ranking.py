"""Does the model put measured set-ups in the right order? Pairs of public measurements that differ in one thing.

A pair counts where the measured gap exceeds 15 %. The measurements are not part of the repository: they are read from
../shared/facts where that exists.
"""

import sys
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.accuracy import FACTS, FloatArray, SpeedRecords, _records
from planner.core.coefficients import FITTED
from planner.core.request import EstimateRequest

GAP = 1.15
# What pairs of a kind may differ in, and how many must be in the right order
KINDS = {"tensor parallelism": 0.95, "concurrency": 0.95, "weights or cache dtype": 0.95, "card": 0.85}
WORST = 6


def main(arguments: Sequence[str]) -> int:
    """Print right and total per kind, and the worst pairs with --worst; 0 also where the measurements are absent."""
    if not (FACTS / "speed-records.jsonl").exists():
        print(f"no measurements here: {FACTS / 'speed-records.jsonl'} not found")
        return 0
    data = SpeedRecords(_records("speed-records.jsonl"))
    predicted = data.predicted(data.batch(FITTED))
    for kind, wanted in KINDS.items():
        pairs = list(_pairs(data, predicted, kind))
        right = [pair for pair in pairs if _agrees(data, predicted, pair)]
        share = len(right) / len(pairs) if pairs else float("nan")
        print(
            f"{kind:24s} {len(right):5d} of {len(pairs):5d} right   {100 * share:5.1f} %   (goal {100 * wanted:.0f} %)"
        )
        for source, count, total in _by_source(data, predicted, pairs):
            print(f"    {source:20s} {count:5d} of {total:5d}")
        if "--worst" in arguments:
            _print_worst(data, predicted, [pair for pair in pairs if pair not in set(right)])
    return 0


def _pairs(data: SpeedRecords, predicted: FloatArray, kind: str) -> Iterator[tuple[int, int]]:
    """Rows that differ in one thing and were measured more than 15 % apart."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for row, (record, request) in enumerate(zip(data.records, data.requests, strict=True)):
        if np.isfinite(predicted[row]):
            groups[_same(record, request, kind)].append(row)
    for rows in groups.values():
        for one, other in combinations(rows, 2):
            low, high = sorted((data.measured[one], data.measured[other]))
            if high > GAP * low and _thing(data.requests[one], kind) != _thing(data.requests[other], kind):
                yield one, other


def _same(record: Mapping[str, Any], request: EstimateRequest, kind: str) -> Hashable:
    """Everything that a pair of a kind has in common."""
    rest = {name: _thing(request, name) for name in KINDS if name != kind}
    workload, settings, model = request.workload, request.settings, request.model
    spread = request.parallelism
    return (
        record["source"],
        record["metric"],
        (model.num_layers, model.hidden_size, model.vocab_size, model.routed_params),
        (request.engine.name, record["engine_version_as_named"] if kind != "card" else None),
        (spread.pipeline, spread.data, spread.expert, settings.enforce_eager),
        workload and (workload.input_tokens, workload.output_tokens),
        tuple(rest.items()),
    )


def _thing(request: EstimateRequest, kind: str) -> Hashable:
    if kind == "tensor parallelism":
        return request.parallelism.tensor
    if kind == "concurrency":
        return request.workload and request.workload.concurrency
    if kind == "card":
        return request.accelerator and (request.accelerator.id, request.link and request.link.kind)
    return request.scheme.id, request.kv_cache_dtype


def _agrees(data: SpeedRecords, predicted: FloatArray, pair: tuple[int, int]) -> bool:
    one, other = pair
    return bool((data.measured[one] < data.measured[other]) == (predicted[one] < predicted[other]))


def _by_source(
    data: SpeedRecords, predicted: FloatArray, pairs: Sequence[tuple[int, int]]
) -> list[tuple[str, int, int]]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for pair in pairs:
        counts[data.sources[pair[0]]][0] += _agrees(data, predicted, pair)
        counts[data.sources[pair[0]]][1] += 1
    return [(source, right, total) for source, (right, total) in sorted(counts.items())]


def _print_worst(data: SpeedRecords, predicted: FloatArray, pairs: Sequence[tuple[int, int]]) -> None:
    """Wrong pairs that were measured furthest apart."""

    def gap(pair: tuple[int, int]) -> float:
        return abs(float(np.log(data.measured[pair[0]] / data.measured[pair[1]])))

    for one, other in sorted(pairs, key=gap, reverse=True)[:WORST]:
        for row in (one, other):
            request = data.requests[row]
            card = request.accelerator
            print(
                f"      {data.records[row]['id']:10s} {request.model.id} {request.scheme.id} {request.kv_cache_dtype} "
                f"{card and card.id} x{request.count} tp{request.parallelism.tensor} {request.engine.name} "
                f"{request.workload and request.workload.concurrency} users: "
                f"measured {data.measured[row]:.4g}, predicted {predicted[row]:.4g} ({data.records[row]['metric']})"
            )
        print()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
