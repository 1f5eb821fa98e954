"""Roofline and latency against throughput of one plan: the same request at other levels of concurrency."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.core.batch import FloatArray, MemoryBatch, SpeedBatch
from planner.core.estimate import evaluate
from planner.core.figures import count, percent, short, with_unit
from planner.core.prefill import PromptWork, prompt_work
from planner.core.request import EstimateRequest
from planner.core.specs import AcceleratorSpec, Catalog
from planner.core.targets import judged, miss_ratio
from planner.plan.figures import bound_word
from planner.plots import Goal, Level, Plot, RoofPoint, latency_throughput, roofline
from planner.setup import Setup

HIGHEST_LEVEL = 2**13
PEAK_OF_DTYPE = {"fp16": "fp16_tflops", "fp8": "fp8_tflops", "int8": "int8_tops", "fp4": "fp4_tflops"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart with its answer: what is said in bold, then the rest."""

    plot: Plot
    lead: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The plan at several levels. `shown` are the rows of the curve, `here` the row of the plan itself."""

    request: EstimateRequest
    levels: Sequence[int]
    memory: MemoryBatch
    speed: SpeedBatch
    here: int
    limit: int | None  # users that run at once at most, all replicas together
    prompt: PromptWork | None = None

    @property
    def room(self) -> int | None:
        """Users that the cache holds, where it is the cache that limits."""
        return self.limit if self.limit is not None and _cache_is_full(self) else None


def sweep(parsed: EstimateRequest, catalog: Catalog, *, asked: int | None = None) -> Sweep | None:
    """The plan at powers of two up to where it is full; None where its speed is not known.

    `asked` are the users at once where they follow from the requests of a day.
    """
    if parsed.workload is None or parsed.accelerator is None:
        return None
    asked = asked or parsed.workload.concurrency
    first = sorted({asked, *_powers(min(HIGHEST_LEVEL, 2 * max(asked, 512)))})
    settled, memory, speed = evaluate([_at(parsed, level) for level in first], catalog)
    limit = _limit(first, speed, parsed.parallelism.data)
    if not math.isfinite(speed.tpot_ms[0]):
        return None
    levels = first
    if limit is not None:
        levels = sorted({level for level in (*first, limit) if level <= limit})
        settled, memory, speed = evaluate([_at(parsed, level) for level in levels], catalog)
    here = levels.index(asked if limit is None else min(asked, limit))
    return Sweep(
        request=parsed,
        levels=levels,
        memory=memory,
        speed=speed,
        here=here,
        limit=limit,
        prompt=prompt_work(settled[here], memory, catalog, row=here),
    )


def _at(parsed: EstimateRequest, concurrency: int) -> EstimateRequest:
    """The same at another level, which is no longer that of any requests per day."""
    assert parsed.workload is not None  # sweep() has looked
    return replace(parsed, workload=replace(parsed.workload, concurrency=concurrency, requests_per_s=None))


def _powers(highest: int) -> list[int]:
    return [2**exponent for exponent in range(highest.bit_length()) if 2**exponent <= highest]


def _limit(levels: Sequence[int], speed: SpeedBatch, replicas: int) -> int | None:
    running = float(speed.running[-1]) * replicas
    return max(1, math.floor(running + 0.01)) if running < levels[-1] - 0.5 else None


def curve(found: Sweep, setup: Setup) -> Picture:
    """How many users, how fast?"""
    speed, here = found.speed, found.here
    ratios = miss_ratio(found.request.targets, speed)
    levels = [_level(found, row, float(ratios[row])) for row in range(len(found.levels))]
    users = found.levels[here]
    lead = ngettext(
        "%(users)s user gets %(speed)s tokens per second.",
        "%(users)s users get %(speed)s tokens per second each.",
        users,
    ) % {
        "users": count(users),
        "speed": short(float(speed.output_tokens_per_s_per_user[here])),
    }
    sentence = " ".join(part for part in (_inside(found, ratios), _at_the_limit(found)) if part)
    plot = latency_throughput(
        levels,
        here=users,
        limit_users=found.limit,
        limit_text=_("KV cache full") if _cache_is_full(found) else "max_num_seqs",
        title=_("Speed per user against throughput per card"),
        desc=lead + " " + sentence,
        goal=_goal(found),
    )
    return Picture(plot=plot, lead=lead, sentence=sentence)


def _goal(found: Sweep) -> Goal | None:
    """Where the targets on means are met: above the speed per user that each of them asks for."""
    limits = judged(found.request.targets)
    if not limits:
        return None
    floors = {
        "tpot_ms": lambda limit: 1000 / limit,
        "ttft_ms": lambda limit: _speed_at_ttft(found, limit),
        "output_tokens_per_s_per_user": float,
    }
    start = max(floors[name](limit) for name, limit in limits.items())
    return Goal(start=start, text=ngettext("meets the target", "meets the targets", len(limits)))


def _speed_at_ttft(found: Sweep, ttft_ms: float) -> float:
    """Speed per user from which on the first token comes in time, between levels by straight lines.

    It falls with more users while TTFT grows: infinite where no level is in time, 0 where all are.
    """
    waits, speeds = found.speed.ttft_ms, found.speed.output_tokens_per_s_per_user
    if not waits[0] <= ttft_ms:
        return math.inf
    late = int(np.argmax(waits > ttft_ms))
    if late == 0:
        return 0.0
    share = (ttft_ms - waits[late - 1]) / (waits[late] - waits[late - 1])
    return float(speeds[late - 1] + share * (speeds[late] - speeds[late - 1]))


def _inside(found: Sweep, ratios: FloatArray) -> str:
    """Which of the levels shown meet the targets, in a sentence."""
    if not judged(found.request.targets):
        return ""
    inside = [level for level, ratio in zip(found.levels, ratios, strict=True) if ratio <= 1]
    if not inside:
        return _("No level meets the targets.")
    if inside[-1] == found.levels[-1]:
        return _("All of it meets the targets.")
    beyond = found.levels[found.levels.index(inside[-1]) + 1]
    return ngettext(
        "%(inside)s user meets the targets, %(beyond)s no longer do.",
        "%(inside)s users meet the targets, %(beyond)s no longer do.",
        inside[-1],
    ) % {"inside": count(inside[-1]), "beyond": count(beyond)}


def _level(found: Sweep, row: int, ratio: float) -> Level:
    speed, cards = found.speed, found.request.count
    return Level(
        users=found.levels[row],
        per_user=float(speed.output_tokens_per_s_per_user[row]),
        per_card=float(speed.output_tokens_per_s[row]) / cards,
        tpot_ms=float(speed.tpot_ms[row]),
        ttft_ms=float(speed.ttft_ms[row]),
        mbu=float(speed.mbu[row]),
        meets=ratio <= 1,
        low=(1000 / float(speed.tpot_high_ms[row]), float(speed.output_tokens_per_s_low[row]) / cards),
        high=(1000 / float(speed.tpot_low_ms[row]), float(speed.output_tokens_per_s_high[row]) / cards),
    )


def _cache_is_full(found: Sweep) -> bool:
    """Whether the cache, rather than max_num_seqs, is what stops the curve."""
    slots = float(found.memory.max_num_seqs[-1]) * found.request.parallelism.data
    return found.limit is not None and not slots <= found.limit + 0.5


def _at_the_limit(found: Sweep) -> str:
    speed, here = found.speed, found.here
    if found.limit is None:
        return ""
    full = _cache_is_full(found)
    if here == len(found.levels) - 1:
        if full:
            return _("More find no room in the KV cache and wait.")
        return _("max_num_seqs lets no more run at once; others wait.")
    values = {
        "limit": count(found.limit),
        "more": percent(float(speed.output_tokens_per_s[-1] / speed.output_tokens_per_s[here]) - 1),
        "speed": with_unit(float(speed.output_tokens_per_s_per_user[-1]), "tok/s"),
    }
    if full:
        return _("The KV cache is full at %(limit)s: %(more)s %% more throughput, %(speed)s each.") % values
    return _("max_num_seqs stops at %(limit)s: %(more)s %% more throughput, %(speed)s each.") % values


def roof(found: Sweep, setup: Setup) -> Picture | None:
    """What limits it? None where a figure of the card that it needs is not known."""
    card = found.request.accelerator
    peak = _peak_tflops(found.request, card) if card else None
    if card is None or peak is None or card.bandwidth_gb_s is None:
        return None
    cards = found.request.parallelism.tensor * found.request.parallelism.pipeline
    bandwidth, ridge = card.bandwidth_gb_s * cards, peak * 1000 / card.bandwidth_gb_s
    points = [
        _decode_point(found, row, cards, peak, card.bandwidth_gb_s, here=row == found.here)
        for row in sorted({0, found.here, len(found.levels) - 1})
    ]
    here = next(point for point in points if point.css == "pt-here")
    if found.prompt is not None:
        points.append(_prefill_point(found.prompt, cards, peak, card.bandwidth_gb_s))
    reached = here.tflops / here.roof_tflops
    sentence = ngettext(
        "Decode of %(users)s user does %(intensity)s FLOP per byte it reads; from %(ridge)s on the card would be "
        "busy computing. It reaches %(reached)s %% of its roof.",
        "Decode of %(users)s users does %(intensity)s FLOP per byte it reads; from %(ridge)s on the card would be "
        "busy computing. It reaches %(reached)s %% of its roof.",
        found.levels[found.here],
    ) % {
        "users": count(found.levels[found.here]),
        "intensity": short(here.intensity),
        "ridge": short(ridge),
        "reached": percent(reached),
    }
    lead = _("%s-bound.") % bound_word(found.speed.bounds[found.here]).capitalize()
    plot = roofline(
        points,
        peak_tflops=peak * cards,
        bandwidth_gb_s=bandwidth,
        machine=setup.replica,
        title=_("Roofline of %s") % setup.replica,
        desc=sentence,
    )
    return Picture(plot=plot, lead=lead, sentence=sentence)


def _decode_point(
    found: Sweep, row: int, cards: int, peak: float, bandwidth_gb_s: float, *, here: bool
) -> RoofPoint:
    speed, users = found.speed, found.levels[row]
    flops, moved = float(speed.flops_per_step[row]), float(speed.bytes_per_step[row])
    intensity = flops / moved
    name = ngettext("Decode, %s user", "Decode, %s users", users) % count(users)
    label = ngettext("decode, %s user", "decode, %s users", users) % count(users)
    return RoofPoint(
        name=name,
        intensity=intensity,
        tflops=flops / float(speed.decode_step_ms[row]) / 1e9,
        roof_tflops=cards * min(peak, intensity * bandwidth_gb_s / 1000),
        css="pt-here" if here else "pt",
        label=label if here else count(users),
    )


def _prefill_point(prompt: PromptWork, cards: int, peak: float, bandwidth_gb_s: float) -> RoofPoint:
    intensity = prompt.flop / prompt.bytes_read
    return RoofPoint(
        name=_("Prefill, one prompt of %s tokens") % count(prompt.tokens),
        intensity=intensity,
        tflops=prompt.flop / prompt.seconds / 1e12,
        roof_tflops=cards * min(peak, intensity * bandwidth_gb_s / 1000),
        css="pt-meas",
        label=_("prefill"),
        square=True,
    )


def _peak_tflops(request: EstimateRequest, card: AcceleratorSpec) -> float | None:
    """Peak of the kind of arithmetic that this scheme computes in; weight-only schemes compute in 16 bits."""
    dtype = "fp16" if request.scheme.weight_only else request.scheme.compute_dtype
    return getattr(card, PEAK_OF_DTYPE.get(dtype, "fp16_tflops")) or card.fp16_tflops
