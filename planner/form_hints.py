"""What stands beneath inputs of a form, filled from the answer."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.core.figures import NBSP, count, short
from planner.core.request import EstimateRequest, Workload
from planner.core.specs import ModelSpec


def hints_of(parsed: EstimateRequest, asked: int | None) -> dict[str, str]:
    """The hints of one plan by key. `asked` are its users at once, where they are known."""
    card, workload = parsed.accelerator, parsed.workload
    return {
        "m": model_hint(parsed.model),
        "w": parsed.scheme.id if parsed.scheme_as_published else "",
        "a": f"{count(card.bandwidth_gb_s)}{NBSP}GB/s" if card is not None and card.bandwidth_gb_s else "",
        "l": parsed.link.kind if parsed.link is not None and parsed.count > 1 else "",
        "v": parsed.engine.version,
        "d": means_hint(workload),
        "by": users_hint(workload, asked),
    }


def model_hint(model: ModelSpec) -> str:
    """Size, depth and context of a model."""
    total = sum(
        (
            model.embedding_params,
            model.lm_head_params,
            model.routed_params,
            model.linear_params,
            model.router_params,
            model.other_params,
            model.vision_params,
        )
    )
    return _("%(size)s B parameters · %(layers)s layers · context %(context)s") % {
        "size": short(total / 1e9),
        "layers": count(model.num_layers),
        "context": count(model.max_position_embeddings),
    }


def means_hint(workload: Workload | None) -> str:
    """The means that follow from quantiles; nothing where means were given."""
    if workload is None or workload.longest_tokens is None:
        return ""
    return _("Means %(input)s in, %(output)s out: log-normal, cut at P99") % {
        "input": count(workload.input_tokens),
        "output": count(workload.output_tokens),
    }


def users_hint(workload: Workload | None, asked: int | None) -> str:
    """The rate and the users at once that follow from the requests of a day; nothing where users were given."""
    if workload is None or workload.requests_per_s is None:
        return ""
    values = {"rate": short(workload.requests_per_s), "users": count(asked)}
    if asked is None:
        return _("%(rate)s per second at the peak") % values
    return (
        ngettext(
            "%(rate)s per second at the peak: %(users)s user at once",
            "%(rate)s per second at the peak: %(users)s users at once",
            asked,
        )
        % values
    )
