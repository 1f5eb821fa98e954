"""Both sides of spreading a model: replicas, tensor groups, links and pipelines, with this plan's own numbers."""

from collections.abc import Iterator
from typing import Any

from planner.core.beside import Beside, Case
from planner.core.outcome import Advice

SMALL_MODELS = "https://github.com/vllm-project/vllm/issues/293"
WHEN_TO_SPLIT = "https://www.mintlify.com/vllm-project/vllm/features/tensor-parallelism"
STRATEGIES = "https://arxiv.org/html/2603.05692v1"
WIDE_GROUP = 4
NOTICEABLE = 1.02


def advice_on_spread(found: Beside) -> Iterator[Advice]:
    """Remarks on the degrees of one plan; none for one card."""
    plan = found.plan
    if plan.request.parallelism.tensor * plan.request.parallelism.pipeline == 1:
        return
    replicas = found.running("replicas")
    if replicas is not None:
        yield _replicas(plan, replicas)
    over_pcie = found.running("over_pcie")
    if over_pcie is not None and _is_slower(over_pcie, plan):
        values = _beside(plan, over_pcie) | {"link": _link(plan), "other": _link(over_pcie)}
        yield Advice(code="fast_link_gain", severity="info", values=values, source=STRATEGIES)
    stages = found.running("stages")
    if stages is not None:
        values = _beside(plan, stages) | {"stages": stages.request.parallelism.pipeline}
        more = values["other_tokens_per_s"] > values["tokens_per_s"]
        code = "pipeline_has_more_throughput" if more else "pipeline_has_less_throughput"
        yield Advice(code=code, severity="info", values=values, source=WHEN_TO_SPLIT)
    half = found.running("half")
    if half is not None and plan.request.parallelism.tensor > WIDE_GROUP:
        values = _beside(plan, half) | {
            "tensor": plan.request.parallelism.tensor,
            "half": half.request.parallelism.tensor,
            "link": _link(plan),
        }
        yield Advice(code="wide_group", severity="info", values=values, source=STRATEGIES)


def _replicas(plan: Case, replicas: Case) -> Advice:
    """The same cards as replicas: usually more tokens in all, and fewer for each user."""
    values = _beside(plan, replicas) | {"replicas": replicas.request.parallelism.data}
    code = "replicas_have_less_throughput"
    if values["other_tokens_per_s"] > values["tokens_per_s"]:
        code = "replicas_have_more_throughput" if _is_slower(replicas, plan) else "replicas_have_more_of_both"
    return Advice(code=code, severity="info", values=values, source=SMALL_MODELS)


def _is_slower(one: Case, other: Case) -> bool:
    """Whether a token takes longer, by more than rounding: a bridge of two cards is no link of four."""
    return one.of_speed("tpot_ms") > other.of_speed("tpot_ms") * NOTICEABLE


def _beside(plan: Case, other: Case) -> dict[str, Any]:
    """Throughput and time per token of a plan and of a variant."""
    now, then = plan.of_speed("output_tokens_per_s"), other.of_speed("output_tokens_per_s")
    return {
        "tokens_per_s": now,
        "other_tokens_per_s": then,
        "percent": abs(100 * (then / now - 1)),
        "tpot_ms": plan.of_speed("tpot_ms"),
        "other_tpot_ms": other.of_speed("tpot_ms"),
    }


def _link(case: Case) -> str:
    return case.request.link.kind if case.request.link is not None else "none"
