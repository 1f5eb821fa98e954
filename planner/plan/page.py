"""Everything that the plan page shows for one plan, put together once per request."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from planner import pictures, presentation
from planner.answers import estimates
from planner.charts import Bar
from planner.core.figures import count
from planner.core.parse import parse_request
from planner.core.power import mode_names
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.form_hints import hints_of
from planner.models import LengthLog
from planner.plan import exhaustion_card, settings_card, thumb_card, trades_card
from planner.plan import working as workings
from planner.plan.changes import Change, helpful_changes
from planner.plan.command_card import CommandCard, command_card
from planner.plan.curves import Picture, Sweep, curve, roof, sweep
from planner.plan.exhaustion_card import ExhaustionCard
from planner.plan.figures import Figure
from planner.plan.form import BY_KEY, INPUTS, Plan, key_of
from planner.plan.limit_figures import limit_figures
from planner.plan.price_line import PriceLine, price_line
from planner.plan.settings_card import SettingsCard
from planner.plan.startup_lines import startup_lines
from planner.plan.sustained_card import SustainedCard, sustained_card
from planner.plan.thumb_card import ThumbCard
from planner.plan.trades_card import Trade
from planner.presentation import Remark, Verdict
from planner.queries.prices import Books
from planner.setup import Setup, setup_of

# In the order of the page; the name is that of the jump list.
SECTIONS: dict[str, Any] = {
    "changes": gettext_lazy("What would help"),
    "step": gettext_lazy("Time of a token"),
    "sustained": gettext_lazy("For hours"),
    "memory": gettext_lazy("Does it fit"),
    "runs-out": gettext_lazy("Does the cache run out"),
    "roofline-card": gettext_lazy("What limits it"),
    "curve-card": gettext_lazy("Users and speed"),
    "command": gettext_lazy("Launch command"),
    "settings": gettext_lazy("Settings"),
    "startup": gettext_lazy("Start-up log"),
    "thumb": gettext_lazy("Rules of thumb"),
    "trades": gettext_lazy("Choices"),
    "advice": gettext_lazy("What else to know"),
    "working": gettext_lazy("Working"),
    "ask": gettext_lazy("For programs"),
}
# Field of PlanPage that fills a section, where it has another name.
SHOWN_BY = {
    "runs-out": "runs_out",
    "roofline-card": "roof",
    "curve-card": "curve",
    "command": "commands",
    "ask": "curl",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    """One problem with where to mend it."""

    key: str
    label: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPage:
    """The context of templates/planner/plan.html and its parts. `verdict` is None when the input has errors."""

    plan: Plan
    title: str
    errors: Mapping[str, str]
    error_list: Sequence[FieldError]
    hints: Mapping[str, str]
    setup: Setup | None = None
    verdict: Verdict | None = None
    price: PriceLine | None = None
    step: Bar | None = None
    step_sentence: str = ""
    memory: Bar | None = None
    memory_sentence: str = ""
    runs_out: ExhaustionCard | None = None
    roof: Picture | None = None
    curve: Picture | None = None
    changes: Sequence[Change] = ()
    sustained: SustainedCard | None = None
    commands: CommandCard | None = None
    settings: SettingsCard | None = None
    thumb: ThumbCard | None = None
    trades: Sequence[Trade] | None = None
    advice: Sequence[Remark] = ()
    working: Sequence[workings.Step] = ()
    startup: Sequence[str] = ()
    kinds: Sequence[str] = ()
    curl: str = ""
    command: str = ""
    answer_json: str = ""
    basis: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sections(self) -> list[tuple[str, str]]:
        """What is on the page beneath the verdict: id and name, in order."""
        return [(key, str(name)) for key, name in SECTIONS.items() if self._has(key)]

    def _has(self, key: str) -> bool:
        return bool(getattr(self, SHOWN_BY.get(key, key)))

    @property
    def has_workload(self) -> bool:
        """Whether there is a load that other set-ups could be compared by."""
        return "workload" in self.plan.request()

    @property
    def can_help(self) -> bool:
        """Whether some change would help, rather than only been tried."""
        return any(change.state != "crit" for change in self.changes)

    @property
    def anchors(self) -> set[str]:
        """Places of the working that figures may point to."""
        return {step.id for step in self.working} | {key for key, _name in self.sections}

    @property
    def quantile_messages(self) -> dict[str, str]:
        """The messages of the quantiles, which share a place beneath their rows."""
        return {key: self.errors.get(key, "") for key in ("i50", "i90", "i99", "o50", "o90", "o99")}

    @property
    def messages(self) -> dict[str, str]:
        """A message for every input, empty where all is well: an update must also take old ones away."""
        model = "c" if self.plan.packed_config else "m"
        typed = [
            item.key for item in INPUTS if item.kind not in ("flag", "switch", "carried") and item.key != "m"
        ]
        return {key: self.errors.get(key, "") for key in (model, *typed)}


def plan_page(
    plan: Plan, *, catalog: Catalog, address: str, log: LengthLog | None = None, books: Books | None = None
) -> PlanPage:
    """Ask the core and put its answer into words and pictures. `address` is that of the API, for the copied call.

    `log` holds the lengths by which the cache is judged, where the plan was filled from one; `books` the prices.
    """
    request = plan.request()
    if plan.problems:
        return _with_errors(plan, estimates.problem_object(None, plan.problems))
    answer = estimates.answer([request], catalog=catalog)[0]
    if estimates.is_problem(answer):
        return _with_errors(plan, answer)
    parsed = parse_request(request, catalog)
    if not isinstance(parsed, EstimateRequest):
        return _not_sized(plan, answer, request, address=address)
    changes = helpful_changes(plan, answer, request, parsed, catalog)
    asked = presentation.asked_users(answer, request)
    found = sweep(parsed, catalog, asked=asked) if answer["speed"] else None
    return answered(
        plan,
        answer,
        request,
        parsed,
        changes=changes,
        found=found,
        more=limit_figures(parsed, catalog) if answer["speed"] else [],
        commands=command_card(plan, answer, request, parsed, catalog),
        runs_out=exhaustion_card.card(plan, parsed, catalog, log=log) if answer["speed"] else None,
        price=price_line(parsed, books) if books else None,
        modes=mode_names(catalog.power, parsed.accelerator) if parsed.accelerator else (),
        address=address,
    )


def _with_errors(plan: Plan, problem: Mapping[str, Any]) -> PlanPage:
    errors: dict[str, str] = {}
    for item in problem["errors"]:
        key = key_of(item["field"]) or "m"
        errors[key] = f"{errors[key]} {item['message']}" if key in errors else item["message"]
    return PlanPage(
        plan=plan,
        title=_("Plan"),
        errors=errors,
        error_list=[
            FieldError(key=key, label=field_label(key), message=message) for key, message in errors.items()
        ],
        hints={},
    )


def _not_sized(plan: Plan, answer: dict[str, Any], request: dict[str, Any], *, address: str) -> PlanPage:
    """A model that the core knows it does not know: a verdict, with the reasons beside the model as well."""
    return PlanPage(
        plan=plan,
        title=_("Plan"),
        errors={key_of(item["field"]) or "m": item["message"] for item in answer["reasons"]},
        error_list=[],
        hints=dict.fromkeys(("m", "w", "a", "l", "pm", "v", "d", "by"), ""),
        verdict=presentation.refusal(answer, plan),
        curl=_curl(request, address),
        command=_command(request),
        answer_json=json.dumps(answer, indent=2, ensure_ascii=False),
        basis=answer["basis"],
    )


def field_label(key: str) -> str:
    """The label of an input, as the form has it."""
    labels = {
        "m": _("Model"),
        "c": _("config.json"),
        "w": _("Weights"),
        "kv": _("KV cache"),
        "a": _("Accelerator"),
        "n": _("Count"),
        "tp": "TP",
        "pp": "PP",
        "dp": "DP",
        "ep": _("Expert parallel"),
        "l": _("Link"),
        "pw": _("Power limit"),
        "pm": _("Power mode"),
        "hm": _("System memory"),
        "e": _("Engine"),
        "v": _("Version"),
        "i": _("Input, mean"),
        "o": _("Output, mean"),
        "i50": _("Input, P50"),
        "i90": _("Input, P90"),
        "i99": _("Input, P99"),
        "o50": _("Output, P50"),
        "o90": _("Output, P90"),
        "o99": _("Output, P99"),
        "u": _("At the same time"),
        "day": _("Requests a day"),
        "peak": _("Peak over mean"),
        "tpot": _("TPOT ≤, ms"),
        "ttft": _("TTFT ≤, ms"),
        "tps": _("User ≥, tok/s"),
    }
    return labels.get(key) or BY_KEY[key].path.rpartition(".")[2]


def answered(
    plan: Plan,
    answer: dict[str, Any],
    request: dict[str, Any],
    parsed: EstimateRequest,
    *,
    changes: Sequence[Change],
    found: Sweep | None,
    more: Sequence[Figure] = (),
    commands: CommandCard | None = None,
    runs_out: ExhaustionCard | None = None,
    price: PriceLine | None = None,
    modes: Sequence[str] = (),
    address: str,
) -> PlanPage:
    """The page for one answer of the contract. `more` are figures that stand beside its own, `modes` the power modes of the machine."""
    setup = setup_of(parsed, answer["settings"] or ())
    room = "" if found is None or found.room is None else count(found.room)
    verdict = presentation.verdict(answer, request, setup, plan, room=room, more=more)
    step = pictures.step_bar(answer)
    memory = pictures.memory_bar(answer, setup)
    return PlanPage(
        plan=plan,
        title=_("%(model)s on %(cards)s") % {"model": setup.model.rpartition("/")[2], "cards": setup.cards},
        errors={},
        error_list=[],
        hints=hints_of(parsed, presentation.asked_users(answer, request)) | {"pm": ", ".join(modes)},
        setup=setup,
        verdict=verdict,
        price=price,
        step=step,
        step_sentence=pictures.step_sentence(answer) if step else "",
        roof=roof(found, setup) if found else None,
        curve=curve(found, setup) if found and len(found.levels) > 1 else None,
        runs_out=runs_out,
        memory=memory,
        memory_sentence=pictures.memory_sentence(answer, parsed.workload, setup) if memory else "",
        changes=changes,
        sustained=sustained_card(answer),
        commands=commands,
        settings=settings_card.card(answer=answer),
        thumb=thumb_card.card(answer=answer),
        trades=trades_card.card(answer=answer),
        advice=presentation.advice(answer),
        working=workings.steps(answer),
        startup=_startup(answer, setup),
        kinds=_kinds(verdict),
        curl=_curl(request, address),
        command=_command(request),
        answer_json=json.dumps(answer, indent=2, ensure_ascii=False),
        basis=answer["basis"],
    )


def _kinds(verdict: Verdict) -> list[str]:
    """Where the shown figures come from, each once, for the key beneath them."""
    return list(dict.fromkeys(figure.kind for figure in verdict.figures if figure.kind))


def _curl(request: Mapping[str, Any], address: str) -> str:
    body = json.dumps(request, ensure_ascii=True).replace("'", "\\u0027")
    return (
        f"curl -sS {address} \\\n"
        f'  -H "Authorization: Bearer $DECODECK_TOKEN" \\\n'
        f'  -H "Content-Type: application/json" \\\n'
        f"  -d '{body}'"
    )


def _command(request: Mapping[str, Any]) -> str:
    return f"python manage.py estimate <<'EOF'\n{json.dumps(request, ensure_ascii=False)}\nEOF"


def _startup(answer: Mapping[str, Any], setup: Setup) -> list[str]:
    # what an engine refuses to run prints nothing worth comparing
    if not answer["startup_log"] or answer["verdict"] == "unsupported":
        return []
    return startup_lines(
        setup.engine_name,
        setup.engine_version,
        answer["startup_log"],
        max_model_len=setup.max_model_len,
        block_size=setup.block_size,
    )
