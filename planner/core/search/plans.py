"""How one model may be spread over a few accelerators: the spreads that make sense, not all that divide."""

from collections.abc import Iterator
from dataclasses import dataclass

from planner.core.links import FAST_KINDS
from planner.core.request import Parallelism
from planner.core.specs import AcceleratorSpec, EngineSpec, ModelSpec
from planner.core.validity import undivided

# Bought one at a time: a second one is another machine unless it has a link.
SINGLE_CLASSES = frozenset({"edge", "apple", "npu", "cpu"})
NO_DOMAIN_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Span:
    """How far accelerators of one kind reach: how many go together, and how many on a fast link."""

    most: int
    fast: int  # 1: there is no fast link


def span_of(card: AcceleratorSpec, most: int) -> Span:
    """What the links of a card allow, at most `most` cards."""
    link = card.link
    domain = NO_DOMAIN_LIMIT if link is None or link.domain_size is None else link.domain_size
    if card.accelerator_class in SINGLE_CLASSES:
        most = 1 if link is None else min(most, domain)
    fast = min(domain, most) if link is not None and link.kind in FAST_KINDS else 1
    return Span(most, fast)


def plans_for(
    model: ModelSpec, engine: EngineSpec, span: Span, counts: tuple[int, ...]
) -> tuple[Parallelism, ...]:
    """Spreads over each of `counts` accelerators, smaller first.

    Replicas of every group size that divides the count; a group is a tensor group where the model divides by it, and
    a pipeline where tensor parallelism cannot span it: no fast link, or the model does not divide. Whole experts are
    spread where a fast link carries them, or where it is the only way to divide them.
    """
    found: list[Parallelism] = []
    for count in sorted(set(counts)):
        if count <= span.most:
            for group in range(1, count + 1):
                if count % group == 0:
                    found.extend(_groups(model, engine, span, group, count // group))
    return tuple(dict.fromkeys(found))


def _groups(
    model: ModelSpec, engine: EngineSpec, span: Span, group: int, replicas: int
) -> Iterator[Parallelism]:
    if engine.values["split"] == "layers":
        if group <= model.num_layers:
            yield Parallelism(pipeline=group, data=replicas)
        return
    whole = divides(model, group, expert=False)
    if whole:
        yield Parallelism(tensor=group, data=replicas)
    if group <= model.num_layers:
        for tensor in range(1, group):
            if group % tensor == 0 and _is_pipelined(model, span, group, tensor):
                yield Parallelism(tensor=tensor, pipeline=group // tensor, data=replicas)
    if model.moe is not None and _experts_spread(model, engine, span, group, replicas, whole=whole):
        yield Parallelism(tensor=group, data=replicas, expert=True)


def _is_pipelined(model: ModelSpec, span: Span, group: int, tensor: int) -> bool:
    """Stages of single cards or of the largest tensor groups, where one tensor group of all is out of reach or slow."""
    if not divides(model, tensor, expert=False):
        return False
    if divides(model, group, expert=False) and group <= span.fast:
        return False
    fast = [size for size in range(2, span.fast + 1) if divides(model, size, expert=False)]
    largest = max((size for size in fast if group % size == 0), default=1)
    wider = max(
        (size for size in range(2, group) if group % size == 0 and divides(model, size, expert=False)),
        default=1,
    )
    return tensor in (1, largest) or (not divides(model, group, expert=False) and tensor == wider)


def _experts_spread(
    model: ModelSpec, engine: EngineSpec, span: Span, group: int, replicas: int, *, whole: bool
) -> bool:
    ranks = group * replicas
    if min(group, replicas) > 1 and engine.values["attention_copies"] == "of_one":
        return False
    if (
        ranks == 1
        or model.moe is None
        or model.moe.num_experts % ranks
        or not divides(model, group, expert=True)
    ):
        return False
    return ranks <= span.fast or not whole


def divides(model: ModelSpec, tensor: int, *, expert: bool) -> bool:
    """Whether nothing in the model's shape speaks against a tensor degree."""
    return tensor == 1 or next(iter(undivided(model, tensor, expert)), None) is None
