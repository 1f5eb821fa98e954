"""The working behind the memory figures of one row, built only when somebody asks."""

from planner.core.batch import MemoryBatch
from planner.core.outcome import Term
from planner.core.request import EstimateRequest


def terms(request: EstimateRequest, batch: MemoryBatch, row: int) -> list[Term]:
    """Formula, values and source of every term."""
    return []
