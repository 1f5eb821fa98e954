"""Memory and speed of every candidate of a search, without a loop over candidates."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.core.batch import FloatArray
from planner.core.coefficients import FITTED
from planner.core.load import WHOLE, at_concurrency, contexts_at_most, most_running, of_request
from planner.core.load import solve as littles_law
from planner.core.request import Settings, Workload
from planner.core.search.asked import SearchRequest
from planner.core.search.engine_rows import EngineRows, Weighed
from planner.core.search.hardware import (
    hardware_of,
    refused_cache_dtype,
    refused_cards,
    refused_scheme,
)
from planner.core.search.limits import ruled_out
from planner.core.search.space import Index, Space
from planner.core.settings import longest_tokens, padded_length, sequences_for, slots_for_rate
from planner.core.specs import Catalog
from planner.core.steady import Load, Steady, solve
from planner.core.validity import architecture_reasons
from planner.core.verdict import refusals

# Rows that are weighed together: few enough that their columns stay in cache
CHUNK = 4096


@dataclass(slots=True, kw_only=True)
class Figures:
    """Per row (n,). NaN where a row was ruled out before a figure was needed, or where it is not known.

    `outcome` is 0 for rows that start and serve the load, else one more than the index of its reason in `reasons`.
    """

    max_model_len: int
    at_random: bool  # requests come at a rate
    outcome: Index
    concurrency: FloatArray  # of all replicas
    running: FloatArray  # per replica
    tpot_ms: FloatArray
    ttft_ms: FloatArray
    output_tokens_per_s: FloatArray
    short_gib: FloatArray  # of rows that do not fit
    capacity_tokens_per_s: (
        FloatArray  # output at the most that a row could carry; only where requests come at a rate
    )
    reasons: list[str] = field(default_factory=list)

    def refuse(self, rows: Index, reason: str) -> None:
        """Rule rows out for a reason; those already ruled out keep theirs."""
        open_rows = rows[self.outcome[rows] == 0]
        if len(open_rows):
            if reason not in self.reasons:
                self.reasons.append(reason)
            self.outcome[open_rows] = self.reasons.index(reason) + 1

    @property
    def ms_per_token(self) -> FloatArray:
        """Mean time per output token of a whole request, the wait for the first token spread over all (n,).

        By Little's law the users divided by the tokens/s of all of them: about TPOT + TTFT / output tokens.
        """
        return 1e3 * self.concurrency / self.output_tokens_per_s

    def settings_at(self, space: Space, row: int) -> Settings:
        """Settings that a row was weighed with: those that `derive_settings` gives."""
        replicas, concurrency = space.plans[int(space.plan[row])].data, int(self.concurrency[row])
        slots = slots_for_rate if self.at_random else sequences_for
        return Settings(max_model_len=self.max_model_len, max_num_seqs=slots(concurrency, replicas))


def figures_of(request: SearchRequest, space: Space, catalog: Catalog) -> Figures:
    """Figures of every row that the asker's limits leave."""
    unknown = np.full((7, len(space)), np.nan)
    limit = request.model.max_position_embeddings
    figures = Figures(
        max_model_len=min(padded_length(longest_tokens(request.workload)), limit),
        at_random=request.workload.requests_per_s is not None,
        outcome=np.zeros(len(space), dtype=np.intp),
        concurrency=unknown[0],
        running=unknown[1],
        tpot_ms=unknown[2],
        ttft_ms=unknown[3],
        output_tokens_per_s=unknown[4],
        short_gib=unknown[5],
        capacity_tokens_per_s=unknown[6],
    )
    for reason, out in ruled_out(space, request):
        figures.refuse(np.flatnonzero(out), reason)
    hardware = hardware_of(catalog, space.accelerators)
    for number, engine in enumerate(space.engines):
        left = np.flatnonzero((space.engine == number) & (figures.outcome == 0))
        if len(left):
            tables = EngineRows(
                space,
                left,
                engine=engine,
                hardware=hardware,
                max_model_len=figures.max_model_len,
                workload=request.workload,
            )
            _refuse_unsupported(request, figures, tables, left)
            _fill(request, figures, tables, left[figures.outcome[left] == 0])
    return figures


def _refuse_unsupported(request: SearchRequest, figures: Figures, tables: EngineRows, rows: Index) -> None:
    """What needs no sum: in the order in which one estimate would say it."""
    space, engine, hardware = tables.space, tables.engine, tables.hardware
    workload, key = request.workload, id(engine.values)
    if workload.input_tokens + workload.output_tokens > figures.max_model_len:
        figures.refuse(rows, "not_supported:workload_exceeds_max_model_len")
    for reason in architecture_reasons(space.request(int(rows[0]), settings=Settings(), workload=workload)):
        figures.refuse(rows, f"not_supported:{reason.code}")
    card = refused_cards(hardware, key, engine)
    _refuse_codes(figures, rows, card.codes, card.code[space.accelerator[rows]])
    for number, scheme in enumerate(space.schemes):
        refused = refused_scheme(hardware, key, engine, scheme)
        some = rows[space.scheme[rows] == number]
        _refuse_codes(figures, some, refused.codes, refused.code[space.accelerator[some]])
    for number, dtype in enumerate(space.cache_dtypes):
        refused = refused_cache_dtype(hardware, key, engine, dtype)
        some = rows[space.cache_dtype[rows] == number]
        _refuse_codes(figures, some, refused.codes, refused.code[space.accelerator[some]])
    against = tables.layouts.refused[space.scheme[rows], space.plan[rows]]
    _refuse_codes(figures, rows, tables.layouts.codes, against)


def _refuse_codes(figures: Figures, rows: Index, codes: Sequence[str], code: Index) -> None:
    for number, name in enumerate(codes[1:], start=1):
        figures.refuse(rows[code == number], f"not_supported:{name}")


def _fill(request: SearchRequest, figures: Figures, tables: EngineRows, rows: Index) -> None:
    """Weigh rows and work out the speed of those that fit, some at a time."""
    workload = request.workload
    with np.errstate(all="ignore"):
        for start in range(0, len(rows), CHUNK):
            chunk = rows[start : start + CHUNK]
            if workload.requests_per_s is None:
                users = np.full(len(chunk), float(workload.concurrency))
                weighed = tables.weigh(chunk, users, tables.slots(chunk, users))
                kept = _refuse_unfit(figures, weighed, "does_not_fit")
                _put(figures, kept, solve(tables.rated(kept.rows), tables.load(kept), FITTED), workload)
            else:
                _fill_at_rate(workload.requests_per_s, figures, tables, chunk)


def _refuse_unfit(figures: Figures, weighed: Weighed, reason: str) -> Weighed:
    """Rule out what memory refuses, and give back the rest."""
    refused = np.zeros(len(weighed.rows), dtype=np.bool_)
    for holds in refusals(weighed.memory, weighed.fit, weighed.checks).values():
        refused |= holds
    short = weighed.fit.request_gib - weighed.fit.free_gib
    figures.short_gib[weighed.rows[refused]] = short[refused]
    figures.refuse(weighed.rows[refused], reason)
    return weighed.at(np.flatnonzero(~refused))


class _AtRate:
    """Rows that hold at least one request, and what a request takes on each of them at any concurrency."""

    def __init__(self, tables: EngineRows, alone: Weighed) -> None:
        self.tables, self.rows, self.rates = tables, alone.rows, tables.rated(alone.rows)
        self.load = tables.load(alone)
        # Slots follow the concurrency; what limits them is memory
        self.load.max_num_seqs = np.full(len(self.rows), np.nan)
        reserves = tables.engine.values["budget"] == "whole_context"
        held = contexts_at_most(alone.memory) if reserves else self.load.cache_sequences
        if reserves:
            self.load.cache_sequences = self.load.max_num_seqs
        self.most = self.rates.work.data * most_running(held, np.full(len(self.rows), reserves))

    def response_s(self, some: Index, concurrency: FloatArray) -> FloatArray:
        """Seconds of a whole request (m,) on some rows at these concurrencies."""
        return of_request(*self._solved(some, concurrency))

    def capacity(self, some: Index) -> FloatArray:
        """Output tokens/s of all replicas at the most requests that memory lets run (m,), whatever the wait.

        Far beyond its best a machine does a little less: a quarter of the most is looked at as well.
        """
        done = []
        for concurrency in (self.most[some], self.most[some] / 4.0):
            steady, load = self._solved(some, np.maximum(np.floor(concurrency), 1.0))
            done.append(steady.requests_per_s * load.output_tokens)
        return np.maximum(*done)

    def _solved(self, some: Index, concurrency: FloatArray) -> tuple[Steady, Load]:
        rows = self.rows[some]
        load = at_concurrency(self.load, some, concurrency)
        load.max_num_batched_tokens = self.tables.batch(rows, self.tables.slots(rows, concurrency))
        rates = self.rates if len(some) == len(self.rows) else self.rates.at(some)
        return solve(rates, load, FITTED), load


def _fill_at_rate(rate: float, figures: Figures, tables: EngineRows, rows: Index) -> None:
    """Figures at the concurrency that a rate of requests leads to on each row."""
    one = np.ones(len(rows))
    alone = _AtRate(tables, _refuse_unfit(figures, tables.weigh(rows, one, one), "does_not_fit"))
    concurrency = littles_law(np.full(len(alone.rows), rate), response_s=alone.response_s, most=alone.most)
    figures.refuse(alone.rows[np.isinf(concurrency)], "load_above_capacity")
    enough = np.flatnonzero(np.isfinite(concurrency))
    left, concurrency = alone.rows[enough], concurrency[enough]
    figures.capacity_tokens_per_s[left] = alone.capacity(enough)
    settled = tables.weigh(left, concurrency, tables.slots(left, concurrency))
    kept = _refuse_unfit(figures, settled, "load_above_capacity")
    asked = tables.load(kept)
    steady = solve(tables.rated(kept.rows), asked, FITTED)
    _put(figures, kept, steady, tables.workload)
    # Slots take memory from the cache: where that was too much, requests come faster than they are done
    waiting = rate * of_request(steady, asked) > kept.concurrency * (1 + WHOLE)
    figures.refuse(kept.rows[waiting], "load_above_capacity")


def _put(figures: Figures, weighed: Weighed, steady: Steady, workload: Workload) -> None:
    rows = weighed.rows
    figures.concurrency[rows] = weighed.concurrency
    figures.running[rows] = steady.running
    figures.tpot_ms[rows] = steady.tpot_s * 1e3
    figures.ttft_ms[rows] = steady.ttft_s * 1e3
    figures.output_tokens_per_s[rows] = steady.requests_per_s * workload.output_tokens
