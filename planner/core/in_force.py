"""Requests with the settings that an estimate puts in force, without the variants that it sets beside them."""

from collections.abc import Sequence

from planner.core import memory, speed
from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.estimate import REFINEMENTS, evaluate
from planner.core.refine import refined
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog


def in_force(
    requests: Sequence[EstimateRequest], catalog: Catalog
) -> tuple[list[EstimateRequest], MemoryBatch, SpeedBatch]:
    """As `evaluate`, with derived settings made to fit memory and targets."""
    settled, memory_batch, speed_batch = evaluate(requests, catalog)
    for _ in range(REFINEMENTS):
        changed = refined(settled, memory_batch, speed_batch, catalog)
        if changed is None:
            break
        settled, memory_batch = changed, memory.evaluate(changed)
        speed_batch = speed.evaluate(settled, memory_batch, catalog)
    return settled, memory_batch, speed_batch
