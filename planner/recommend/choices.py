"""What the form of a search offers: the catalog, and ways to leave things open."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from planner.choices import Choice, choices
from planner.core.parse.money import COMMON_CURRENCIES
from planner.core.search.asked import OBJECTIVES
from planner.core.specs import Catalog
from planner.recommend.form import ANY_ENGINE, ANYWHERE
from planner.recommend.words import objective_name


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchChoices:
    """Options per input."""

    models: Sequence[str]
    widths: Sequence[Choice]
    schemes: Sequence[str]
    kv_dtypes: Sequence[str]
    engines: Sequence[Choice]
    objectives: Sequence[Choice]
    places: Sequence[Choice]
    classes: Sequence[Choice]
    vendors: Sequence[str]
    currencies: Sequence[str]
    price_sources: Sequence[Choice]
    accelerators: Sequence[Choice]


def search_choices(catalog: Catalog) -> SearchChoices:
    """The options of one state of the catalog, in the language in force."""
    shared = choices(catalog)
    return SearchChoices(
        models=shared.models,
        widths=[
            Choice(value="", label=_("any that makes sense")),
            Choice(value="16-bit", label=_("16-bit only")),
            Choice(value="8-bit", label=_("8-bit or wider")),
            Choice(value="published", label=_("as published")),
        ],
        schemes=shared.schemes,
        kv_dtypes=shared.kv_dtypes,
        engines=[Choice(value=ANY_ENGINE, label=_("any")), *shared.engines],
        objectives=[Choice(value=name, label=objective_name(name)) for name in OBJECTIVES],
        places=[
            Choice(value="server", label=_("Server")),
            Choice(value="edge", label=_("Edge")),
            Choice(value=ANYWHERE, label=_("Any")),
        ],
        classes=[Choice(value=name, label=label) for name, label in _classes().items()],
        vendors=sorted({card.vendor for card in catalog.accelerators.values()}, key=str.casefold),
        currencies=COMMON_CURRENCIES,
        price_sources=[
            Choice(value="", label=_("what suppliers quoted")),
            Choice(value="public", label=_("quotes, else public prices")),
            Choice(value="none", label=_("none")),
        ],
        accelerators=[choice for group in shared.accelerators for choice in group.choices],
    )


def _classes() -> dict[str, str]:
    return {
        "datacenter": _("Data centre"),
        "workstation": _("Workstation"),
        "consumer": _("Consumer"),
        "edge": _("Edge"),
        "apple": "Apple",
        "npu": "NPU",
        "cpu": "CPU",
    }
