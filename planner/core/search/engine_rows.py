"""The candidates of one engine as arrays for memory and speed: what all of them share, and columns for any of them."""

from dataclasses import dataclass, fields

import numpy as np

from planner.core import layout as columns
from planner.core.batch import FloatArray, MemoryBatch
from planner.core.coefficients import FITTED
from planner.core.decode import Layouts as Rated
from planner.core.decode import Wire
from planner.core.decode import layouts_of as rated
from planner.core.defaults import batch_in_force, batches_in_flight, default_batch, static_share
from planner.core.inputs import cache_sequences
from planner.core.load import busy_slots
from planner.core.memory import RULES, Given, weigh
from planner.core.request import Settings, Workload
from planner.core.search.hardware import Hardware, card_columns, links_of, on_engine
from planner.core.search.layouts import layouts_of
from planner.core.search.space import Index, Space
from planner.core.settings import MOST_SLOTS
from planner.core.specs import EngineSpec
from planner.core.steady import Load
from planner.core.verdict import BoolArray, Checks, Fit
from planner.core.work import ENGINES, CardWork, ModelWork, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Memory of some rows of a space at a concurrency (n,) of all replicas."""

    rows: Index
    concurrency: FloatArray
    memory: MemoryBatch
    fit: Fit
    checks: Checks

    def at(self, places: Index) -> "Weighed":
        """Some of the rows. Verdicts are not part of it."""
        picked = {
            item.name: getattr(self.memory, item.name)[places]
            for item in fields(self.memory)
            if item.name not in ("verdicts", "reasons")
        }
        return Weighed(
            rows=self.rows[places],
            concurrency=self.concurrency[places],
            memory=MemoryBatch(**picked, verdicts=[], reasons=[]),
            fit=Fit(**{item.name: getattr(self.fit, item.name)[places] for item in fields(self.fit)}),
            checks=Checks(
                **{item.name: getattr(self.checks, item.name)[places] for item in fields(self.checks)}
            ),
        )


class EngineRows:
    """Tables of one engine; `rows` are all rows of the space that will be asked about."""

    def __init__(
        self,
        space: Space,
        rows: Index,
        *,
        engine: EngineSpec,
        hardware: Hardware,
        max_model_len: int,
        workload: Workload,
    ) -> None:
        """Work out every layout that occurs in `rows`, once."""
        self.space, self.engine, self.hardware = space, engine, hardware
        self.max_model_len, self.workload = float(max_model_len), workload
        self.cards = on_engine(hardware, id(engine.values), engine)
        self.layouts = layouts_of(space, rows, engine, Settings(max_model_len=max_model_len, max_num_seqs=1))
        self.tensor, self.pipeline, self.data = (
            np.array([getattr(plan, name) for plan in space.plans], dtype=np.float64)
            for name in ("tensor", "pipeline", "data")
        )
        self._schemes = np.flatnonzero(np.bincount(space.scheme[rows], minlength=len(space.schemes)))
        self._cards = np.concatenate(
            [card_columns(hardware, space.schemes[number]) for number in self._schemes], axis=1
        )
        ranks = self.tensor * self.data
        self._experts = np.where([plan.expert and plan.data > 1 for plan in space.plans], ranks, 1.0)
        self._sizes = np.unique(np.concatenate([self.tensor, self._experts]))
        groups = [links_of(hardware, int(size)) for size in self._sizes]
        self._log_us = np.concatenate([group.log_us for group in groups], axis=1)
        self._size_scale = np.concatenate([group.size_scale for group in groups])
        self._extra_us = np.concatenate([group.extra_us for group in groups])

    @property
    def _has_state(self) -> BoolArray:
        """Which pools hold a state per sequence."""
        first, counts = columns.POOL_PART.start, columns.GROUP_COUNTS
        tokens = self.layouts.pools[columns.GROUP_TOKENS.start - first : columns.GROUP_TOKENS.stop - first]
        counted = self.layouts.pools[counts.start - first : counts.stop - first] > 0
        found: BoolArray = np.any(np.isinf(tokens) & counted, axis=0)
        return found

    def slots(self, rows: Index, concurrency: FloatArray) -> FloatArray:
        """Slots of a replica: one for each request that comes to it, or room for the busy moments of a rate."""
        each = concurrency / self.data[self.space.plan[rows]]
        if self.workload.requests_per_s is not None:
            return busy_slots(each)
        return np.minimum(np.ceil(each), MOST_SLOTS)

    def weigh(self, rows: Index, concurrency: FloatArray, slots: FloatArray) -> Weighed:
        """Memory of `rows` with so many slots in each replica."""
        space, values = self.space, self.engine.values
        memory, fit = weigh(self._given(rows, slots))
        has_state = self._has_state[self.layouts.pool_of(space, rows)]
        return Weighed(
            rows=rows,
            concurrency=concurrency,
            memory=memory,
            fit=fit,
            checks=Checks(
                takes_share=np.full(len(rows), values["budget"] == "share_of_total"),
                looks_at_free=np.full(len(rows), bool(values["startup_check"])),
                free_at_start_gib=self.cards.free_at_start_gib[space.accelerator[rows]],
                looks_at_states=has_state & bool(values["state_blocks_checked"]),
            ),
        )

    def batch(self, rows: Index, slots: FloatArray) -> FloatArray:
        """Tokens of a batch with so many slots: the default of the engine version."""
        defaults = self.engine.values["batch_defaults"]
        by_tier = [default_batch(defaults, one, int(self.max_model_len)) for one in defaults["tiers"]]
        tier = self.cards.tier[self.space.accelerator[rows]]
        found: FloatArray = batch_in_force(
            defaults, np.array(by_tier, dtype=np.float64)[tier], slots, self.max_model_len
        )
        return found

    def _given(self, rows: Index, sequences: FloatArray) -> Given:
        """Layouts and settings of `rows`, as memory takes them: what `resolve` gives for one request."""
        space, values, cards = self.space, self.engine.values, self.cards
        card, plan = space.accelerator[rows], space.plan[rows]
        length = np.full(len(rows), self.max_model_len)
        tier, total = cards.tier[card], cards.total_gib[card]
        batch = self.batch(rows, sequences)
        graph_batch = self._graph_batch(tier, self.tensor[plan] >= 4, sequences)
        share = values["gpu_memory_utilization"]
        if share is None:
            share = static_share(
                self.engine,
                space.model,
                total_gib=total,
                chunk=batch,
                ranks=self.tensor[plan] * self.pipeline[plan],
                graph_batch=graph_batch,
            )
        profiled = np.minimum(batch, values.get("micro_batch", np.inf))
        by_total, by_free, activation, graphs = RULES[values["budget"]]
        if graphs is None:
            graphs = 1.0 if values["cuda_graphs"]["inside_budget"] else 0.0
        whole_context = values["budget"] == "whole_context"

        def everywhere(value: float) -> FloatArray:
            return np.broadcast_to(np.float64(value), len(rows))

        return Given(
            rows=self.layouts.rows(space, rows, cards.wires[card]),
            total_gib=total,
            utilization=everywhere(0.0) + share,
            max_model_len=length,
            max_num_seqs=sequences,
            batch=batch,
            graph_batch=graph_batch,
            profiled=profiled,
            in_flight=profiled * batches_in_flight(self.engine, self.pipeline[plan]),
            of_total=everywhere(1.0) * (share if by_total else 1.0),
            of_free=everywhere(1.0) * (share if by_free else 1.0),
            activation_inside=everywhere(activation),
            graphs_inside=everywhere(graphs),
            is_whole_context=everywhere(float(whole_context)),
            log_counts_groups=everywhere(float(values["log_tokens"] == "blocks_over_groups")),
            log_counts_bytes=everywhere(float(values["log_tokens"] == "bytes_over_rate")),
            captures=cards.captures[card],
            cpu_pool_gib=cards.cpu_pool_gib[card],
            slots=sequences if whole_context else everywhere(1.0),
            spread_gib=everywhere(values["spread_gib"]),
        )

    def _graph_batch(self, tier: Index, wide: BoolArray, sequences: FloatArray) -> FloatArray:
        """Largest batch that is captured: of the tier, or all sequences where the engine names none."""
        tiers = self.engine.values["batch_defaults"]["tiers"]
        narrow_by_tier, wide_by_tier = (
            np.array([float(one.get(name, np.nan)) for one in tiers])
            for name in ("graph_batch", "graph_batch_wide")
        )
        named = np.where(wide, wide_by_tier[tier], narrow_by_tier[tier])
        return np.where(np.isnan(named), sequences, named)

    def rated(self, rows: Index) -> Rated:
        """Rates of `rows`, as speed takes them."""
        space = self.space
        card, plan = space.accelerator[rows], space.plan[rows]
        of_scheme = np.searchsorted(self._schemes, space.scheme[rows]) * len(space.accelerators) + card
        engine = np.full(len(rows), float(ENGINES.index(self.engine.name)))
        model = self.layouts.model_work(space, rows)
        return rated(
            Work(
                *CardWork(*np.take(self._cards, of_scheme, axis=1, mode="clip")),
                *ModelWork(*model),
                engine,
                np.zeros(len(rows)),
            ),
            group=self._wire(card, self.tensor[plan]),
            experts=self._wire(card, self._experts[plan]),
            c=FITTED,
        )

    def _wire(self, card: Index, ranks: FloatArray) -> Wire:
        """The all-reduce of each row over so many of its accelerators."""
        at = np.searchsorted(self._sizes, ranks) * len(self.space.accelerators) + card
        log_us = np.take(self._log_us, at, axis=1, mode="clip").T
        return Wire(log_us, self._size_scale[at], self._extra_us[at])

    def load(self, weighed: Weighed) -> Load:
        """What is asked of each row, and what its cache leaves of that."""
        size = len(weighed.rows)
        sent, answered = float(self.workload.input_tokens), float(self.workload.output_tokens)
        memory = weighed.memory
        held = cache_sequences(memory, np.full(size, sent + answered / 2.0))
        if self.engine.values["budget"] == "whole_context":
            # where every slot has its own full context, slots limit and not a shared pool
            held = np.where(memory.max_num_seqs > 1, np.nan, held)
        return Load(
            input_tokens=np.full(size, sent),
            output_tokens=np.full(size, answered),
            concurrency=weighed.concurrency,
            max_num_seqs=memory.max_num_seqs,
            cache_sequences=held,
            max_num_batched_tokens=memory.max_num_batched_tokens,
        )
