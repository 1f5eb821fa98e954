"""Predictions beside public measurements: memory, speed, and speed refitted without the source it is judged on.

    python -m benchmarks.accuracy            # tables
    python -m benchmarks.accuracy --refit    # also fit the coefficients anew and print them

The measurements are not part of the repository: they are read from ../shared/facts where that exists.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._refit import FloatArray, fit, weights_of
from planner.catalog import load_shipped
from planner.core import memory, speed
from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.coefficients import FITTED, Coefficients
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest

FACTS = Path(__file__).resolve().parent.parent.parent / "shared" / "facts"
SHORT_OF_MEMORY = frozenset(
    {"kv_insufficient", "no_kv_memory", "oom_load", "oom_kv_allocation", "invalid_tp"}
)
SMALLEST_CLASS = 10
REFITTED_SOURCES = 4
Record = Mapping[str, Any]


def main(arguments: Sequence[str]) -> int:
    """Print all tables; 0 also where the measurements are absent."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--refit", action="store_true", help="fit the coefficients on all records and print them"
    )
    options = parser.parse_args(arguments)
    missing = [
        name for name in ("memory-records.jsonl", "speed-records.jsonl") if not (FACTS / name).exists()
    ]
    if missing:
        print(f"no measurements here: {', '.join(str(FACTS / name) for name in missing)} not found")
        return 0
    memory_tables(_records("memory-records.jsonl"))
    speed_tables(_records("speed-records.jsonl"), refit=options.refit)
    return 0


def _records(name: str) -> list[Record]:
    with (FACTS / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _answerable(records: Iterable[Record]) -> tuple[list[Record], list[EstimateRequest]]:
    catalog = load_shipped()
    pairs = [(record, parse_request(record["request"], catalog)) for record in records]
    kept = [(record, request) for record, request in pairs if isinstance(request, EstimateRequest)]
    return [record for record, _ in kept], [request for _, request in kept]


def memory_tables(records: list[Record]) -> None:
    """Cache per token, cache of complete records, verdicts."""
    known, requests = _answerable(records)
    batch = memory.evaluate(requests)
    print(f"memory: {len(records)} records, {len(known)} answered")
    for name, rows in [("all", list(range(len(known)))), *_by(known, "class")]:
        print(f"{name:14s} {_memory_line(known, batch, rows)}")


def _memory_line(records: Sequence[Record], batch: MemoryBatch, rows: Sequence[int]) -> str:
    token, pool, started, failed = [], [], [], []
    for row in rows:
        record, observed = records[row], records[row]["observed"]
        if observed.get("kv_bytes_per_token"):
            token.append(abs(batch.kv_bytes_per_token[row] / observed["kv_bytes_per_token"] - 1) <= 0.015)
        if record["complete"] and np.isfinite(batch.log_kv_cache_gib[row]):
            miss = abs(batch.log_kv_cache_gib[row] - observed["kv_available_gib"])
            pool.append(miss <= max(1.0, 0.05 * abs(observed["kv_available_gib"])))
        if record["request"]["accelerator"] and observed["outcome"] == "ok":
            started.append(batch.verdicts[row] == "fits")
        elif record["request"]["accelerator"] and observed["outcome"] in SHORT_OF_MEMORY:
            failed.append(batch.verdicts[row] in ("does_not_fit", "unsupported"))
    return (
        f"cache per token within 1.5 % {_share(token)}   cache within 5 % or 1 GiB {_share(pool)}   "
        f"verdict of starts {_share(started)}, of failures {_share(failed)}"
    )


def _share(good: Sequence[Any]) -> str:
    return f"{sum(bool(item) for item in good)}/{len(good)}"


class SpeedRecords:
    """Records with their requests and memory, and the errors that coefficients make on them."""

    def __init__(self, records: Sequence[Record]) -> None:
        """Check requests and weigh memory once."""
        self.records, self.requests = _answerable(records)
        self.memory = memory.evaluate(self.requests)
        self.measured = np.array([float(record["value"]) for record in self.records])
        self.sources = [str(record["source"]) for record in self.records]
        self.layouts = [
            (
                r["source"],
                q.model.id,
                q.accelerator and q.accelerator.id,
                q.engine.name,
                q.scheme.id,
                q.parallelism,
            )
            for r, q in zip(self.records, self.requests, strict=True)
        ]

    def batch(self, coefficients: Coefficients) -> SpeedBatch:
        """Speed of all records."""
        return speed.evaluate(self.requests, self.memory, load_shipped(), coefficients=coefficients)

    def predicted(self, batch: SpeedBatch, suffix: str = "") -> FloatArray:
        """The figure that each record measured; `suffix` picks an end of its interval."""
        columns = {
            "tpot_ms": getattr(batch, f"tpot{suffix}_ms"),
            "decode_step_ms": getattr(batch, f"decode_step{suffix}_ms"),
            "output_tokens_per_s": getattr(batch, f"output_tokens_per_s{suffix}"),
        }
        return np.array([columns[record["metric"]][row] for row, record in enumerate(self.records)])

    def log_errors(self, coefficients: Coefficients) -> FloatArray:
        """log(predicted / measured); 0 where there is no prediction."""
        return np.nan_to_num(np.log(self.predicted(self.batch(coefficients)) / self.measured))

    def fitted(self) -> Coefficients:
        """Coefficients that fit these records."""
        return fit(self.log_errors, weights_of(self.layouts, self.sources), FITTED)


def speed_tables(records: list[Record], *, refit: bool) -> None:
    """Errors and intervals by class and source, then each source by coefficients that never saw it."""
    data = SpeedRecords(records)
    batch = data.batch(FITTED)
    predicted = data.predicted(batch)
    low, high = data.predicted(batch, "_low"), data.predicted(batch, "_high")
    error = np.abs(predicted / data.measured - 1)
    inside = (low <= data.measured) & (data.measured <= high)
    print(f"\nspeed: {len(records)} records, {int(np.isfinite(error).sum())} answered")
    groups = [
        ("all", list(range(len(data.records)))),
        *_by(data.records, "classes"),
        *_by(data.records, "source"),
    ]
    for name, rows in groups:
        kept = [row for row in rows if np.isfinite(error[row])]
        if len(kept) >= SMALLEST_CLASS or name in data.sources:
            print(
                f"{name:18s} n {len(kept):4d}   median error {100 * np.median(error[kept]):5.1f} %   "
                f"80 % interval holds {100 * np.mean(inside[kept]):3.0f} %   "
                f"median width {np.median(high[kept] / low[kept]):.2f}x"
            )
    _without_each_source(records)
    if refit:
        for name, value in asdict(data.fitted()).items():
            print(f"    {name}: float = {value:.3f}")


def _without_each_source(records: Sequence[Record]) -> None:
    """Fit without a source, judge on it."""
    print("\nrefitted without the source, judged on it")
    for source in sorted({str(record["source"]) for record in records}):
        rest = SpeedRecords([record for record in records if record["source"] != source])
        judged = SpeedRecords([record for record in records if record["source"] == source])
        if len(judged.records) >= REFITTED_SOURCES:
            coefficients = rest.fitted()
            error = np.abs(judged.predicted(judged.batch(coefficients)) / judged.measured - 1)
            print(f"{source:18s} n {len(error):4d}   median error {100 * np.nanmedian(error):5.1f} %")


def _by(records: Sequence[Record], key: str) -> list[tuple[str, list[int]]]:
    """Rows by the value, or each of the values, under `key`."""
    groups: dict[str, list[int]] = defaultdict(list)
    for row, record in enumerate(records):
        for value in record[key] if isinstance(record[key], list) else [record[key]]:
            groups[str(value)].append(row)
    return sorted(groups.items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
