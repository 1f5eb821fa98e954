"""Words about saved plans."""

from typing import Any

from django.utils.translation import gettext_lazy as _

REFUSALS: dict[str, Any] = {
    "archived": _("This plan is archived. Bring it back first."),
    "viewer": _("You read here: an operator proposes a plan, and an approver decides on it."),
    "illegal_step": _("A plan that is {state} cannot be taken this way."),
    "not_an_approver": _("Only an approver decides on a plan."),
    "own_plan": _("You made or proposed this version: somebody else decides on it."),
    "reason_missing": _("Say why: the reason is kept with the decision."),
}

STEPS: dict[str, Any] = {
    "propose": _("Propose"),
    "withdraw": _("Withdraw the proposal"),
    "approve": _("Approve"),
    "reject": _("Reject"),
    "reopen": _("Reopen as a draft"),
}

# What somebody is told who has taken a step.
STEPS_DONE: dict[str, Any] = {
    "propose": _("The plan is proposed: an approver decides on it now."),
    "withdraw": _("The proposal is withdrawn: the plan is a draft again."),
    "approve": _("The plan is approved."),
    "reject": _("The plan is rejected."),
    "reopen": _("The plan is a draft again."),
}

FLIPS: dict[str, Any] = {
    "verdict": _("verdict"),
    "running": _("users that decode at once"),
    "speed": _("time per token"),
    "price": _("price"),
    "price_known": _("whether there is a price"),
    "currency": _("currency"),
    "failed": _("it could not be judged"),
}

# Figures that are compared, in their order: name and unit.
FIGURES: dict[str, tuple[Any, Any]] = {
    "verdict": (_("Verdict"), ""),
    "running": (_("Users that decode at once"), ""),
    "tpot_ms": (_("Time per token"), "ms"),
    "ttft_ms": (_("First token"), "ms"),
    "output_tokens_per_s": (_("Output"), "tok/s"),
    "kv_cache_tokens": (_("KV cache"), _("tokens")),
    "power_w": (_("Power"), "W"),
    "purchase": (_("Purchase"), "money"),
    "yearly": (_("Cost of a year"), "money"),
    "per_million_output_tokens": (_("A million output tokens"), "money"),
}

# Fields of what a plan holds: name and unit. Those of `cost` are in planner/messages/cost.py.
FIELDS: dict[str, tuple[Any, Any]] = {
    "request.model": (_("Model"), ""),
    "request.weights": (_("Weights"), ""),
    "request.kv_cache_dtype": (_("KV cache, format"), ""),
    "request.accelerator": (_("Accelerator"), ""),
    "request.count": (_("Cards"), ""),
    "request.parallelism.tensor": (_("Tensor parallel"), ""),
    "request.parallelism.pipeline": (_("Pipeline parallel"), ""),
    "request.parallelism.data": (_("Replicas"), ""),
    "request.parallelism.expert": (_("Expert parallel"), ""),
    "request.interconnect": (_("Link between cards"), ""),
    "request.power_limit_w": (_("Power limit of a card"), "W"),
    "request.power_mode": (_("Power mode"), ""),
    "request.host_memory_gib": (_("System memory"), "GiB"),
    "request.engine": (_("Engine"), ""),
    "request.settings": (_("Engine settings"), ""),
    "request.settings.gpu_memory_utilization": ("gpu_memory_utilization", ""),
    "request.settings.max_model_len": ("max_model_len", _("tokens")),
    "request.settings.max_num_seqs": ("max_num_seqs", ""),
    "request.settings.max_num_batched_tokens": ("max_num_batched_tokens", _("tokens")),
    "request.settings.block_size": ("block_size", _("tokens")),
    "request.settings.enforce_eager": ("enforce_eager", ""),
    "request.workload.input_tokens": (_("Input"), _("tokens")),
    "request.workload.output_tokens": (_("Output"), _("tokens")),
    "request.workload.concurrency": (_("Users at the same time"), ""),
    "request.workload.requests_per_day": (_("Requests a day"), ""),
    "request.workload.peak_factor": (_("Peak over mean"), "×"),
    "request.targets.tpot_ms": (_("Target: time per token"), "ms"),
    "request.targets.ttft_ms": (_("Target: first token"), "ms"),
    "request.targets.output_tokens_per_s_per_user": (_("Target: speed of a user"), "tok/s"),
    "bill.currency": (_("Currency"), ""),
    "bill.platform": (_("Platform"), ""),
    "bill.spares": (_("Spare cards"), ""),
    "price_source": (_("Prices"), ""),
    "length_log": (_("Length log"), ""),
    "name": (_("Name"), ""),
    "owner": (_("Owner"), ""),
    "notes": (_("Notes"), ""),
}

# Values of fields that are codes.
VALUES: dict[str, dict[Any, Any]] = {
    "request.kv_cache_dtype": {"auto": _("as the weights")},
    "request.settings": {"derive": _("derived by Decodeck")},
    "price_source": {"public": _("quotes, else public prices"), "quotes": _("quotes")},
}

PROBLEMS: dict[str, Any] = {
    "changed_too_often": _("Others are changing this plan in this very moment. Nothing is lost: save again."),
}
