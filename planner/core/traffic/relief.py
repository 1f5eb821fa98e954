"""Changes that make it rarer that the cache runs out, each tried with everything else as it is."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from planner.core.candidate import Candidate
from planner.core.candidates import single_changes
from planner.core.in_force import in_force
from planner.core.mend import with_fix
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.core.traffic.exhaustion import Exhaustion, exhaustion
from planner.core.traffic.resident import Lengths

FORMATS = ("cache", "weights")
MARKEDLY = 0.9  # of the probability as it is, below which a change is one


@dataclass(frozen=True, slots=True, kw_only=True)
class Relief:
    """A change that was tried, and what the answer is with it."""

    candidate: Candidate
    after: Exhaustion


def relief(
    request: EstimateRequest, lengths: Lengths, catalog: Catalog, *, before: Exhaustion
) -> list[Relief]:
    """Changes after which it is markedly rarer, least effort first."""
    (settled,), memory, _speed = in_force([request], catalog)
    settled = replace(settled, derive_settings=False)
    found: list[Relief] = []
    for candidate in (*_fewer(before), *_others(single_changes(settled, memory, catalog))):
        changed = with_fix(settled, candidate.change, catalog)
        if changed is None:
            continue
        after = exhaustion(changed, lengths, catalog, accepted=before.accepted, alone=True)
        if after.probability is not None and after.probability <= (before.probability or 0.0) * MARKEDLY:
            found.append(Relief(candidate=candidate, after=after))
    return found


def _fewer(before: Exhaustion) -> Iterator[Candidate]:
    """As many slots as the cache holds."""
    if before.within and before.max_num_seqs and before.within < before.max_num_seqs:
        slots = {"max_num_seqs": before.within}
        yield Candidate(
            code="fewer_slots",
            kind="slots",
            effort=5,
            price=("others_queue",),
            change={"settings": slots},
            values=slots,
        )


def _others(candidates: list[Candidate]) -> list[Candidate]:
    """One of each kind that matters here: of shares of memory the largest, of formats the widest that saves something."""
    shares = [item for item in candidates if item.kind == "utilization"][-1:]
    formats = [next((item for item in candidates if item.kind == kind), None) for kind in FORMATS]
    return [*shares, *(item for item in formats if item is not None)]
