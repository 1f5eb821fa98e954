"""Memory and speed of every candidate of a search."""

from dataclasses import dataclass, replace

import numpy as np

from planner.core import estimate
from planner.core.batch import FloatArray
from planner.core.request import Settings
from planner.core.search.asked import SearchRequest
from planner.core.search.limits import ruled_out
from planner.core.search.space import Index, Space
from planner.core.specs import Catalog
from planner.core.validity import UNSUPPORTED_CODES


@dataclass(slots=True, kw_only=True)
class Figures:
    """Per row (n,). NaN where a row was ruled out before a figure was needed, or where it is not known.

    `outcome` is 0 for rows that start and serve the load, else one more than the index of its reason in `reasons`.
    """

    outcome: Index
    reasons: list[str]
    concurrency: FloatArray
    running: FloatArray
    tpot_ms: FloatArray
    ttft_ms: FloatArray
    output_tokens_per_s: FloatArray
    short_gib: FloatArray  # of rows that do not fit
    settings: list[Settings]
    settings_of: Index

    def refuse(self, rows: Index, reason: str) -> None:
        """Rule rows out for a reason; those already ruled out keep theirs."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        open_rows = rows[self.outcome[rows] == 0]
        self.outcome[open_rows] = self.reasons.index(reason) + 1

    def settings_at(self, space: Space, row: int) -> Settings:
        """Settings that a row was weighed with."""
        return self.settings[int(self.settings_of[row])]


def figures_of(request: SearchRequest, space: Space, catalog: Catalog) -> Figures:
    """Figures of the `allowed` rows; the others are NaN."""
    rows = len(space)
    unknown = [np.full(rows, np.nan) for _ in range(6)]
    figures = Figures(
        outcome=np.zeros(rows, dtype=np.intp),
        reasons=[],
        concurrency=unknown[0],
        running=unknown[1],
        tpot_ms=unknown[2],
        ttft_ms=unknown[3],
        output_tokens_per_s=unknown[4],
        short_gib=unknown[5],
        settings=[],
        settings_of=np.zeros(rows, dtype=np.intp),
    )
    for reason, out in ruled_out(space, request.constraints):
        figures.refuse(np.flatnonzero(out), reason)
    allowed = np.flatnonzero(figures.outcome == 0)
    for start in range(0, len(allowed), 4096):
        _fill(figures, request, space, catalog, allowed[start : start + 4096])
    return figures


def _fill(figures: Figures, request: SearchRequest, space: Space, catalog: Catalog, rows: Index) -> None:
    asked = [
        replace(space.request(int(row), settings=Settings(), workload=request.workload), derive_settings=True)
        for row in rows
    ]
    settled, memory, speed = estimate.evaluate(asked, catalog)
    for place, row in enumerate(rows):
        verdict, reasons = memory.verdicts[place], memory.reasons[place]
        figures.settings_of[row] = len(figures.settings)
        figures.settings.append(settled[place].settings)
        one = np.array([row])
        if verdict == "unsupported":
            code = next(reason.code for reason in reasons if reason.code in UNSUPPORTED_CODES)
            figures.refuse(one, f"not_supported:{code}")
        elif verdict != "fits":
            figures.refuse(one, "does_not_fit" if verdict == "does_not_fit" else "no_data")
    figures.concurrency[rows] = request.workload.concurrency
    figures.running[rows] = speed.running
    figures.tpot_ms[rows] = speed.tpot_ms
    figures.ttft_ms[rows] = speed.ttft_ms
    figures.output_tokens_per_s[rows] = speed.output_tokens_per_s
