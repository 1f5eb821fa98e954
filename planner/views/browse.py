"""Pages of the catalog that only read: lists, records, cards by bandwidth and side by side."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from access.declare import PersonRequest, require_role
from access.listing import Column, ListFilters, listing, render_list
from access.roles import Role
from planner.browse import rows
from planner.browse.bandwidth import bandwidth_page
from planner.browse.card_page import card_page
from planner.browse.compare import compare_page
from planner.browse.engine_page import engine_page
from planner.browse.model_page import model_page
from planner.browse.platform_page import platform_page
from planner.browse.scheme_page import scheme_page
from planner.clock import today
from planner.core.cost.prices import PriceBook
from planner.models import Accelerator, ModelShape, Platform, WeightScheme
from planner.queries import browse as queries
from planner.queries import current_catalog
from planner.queries.entries import source_words, uses_of
from planner.queries.prices import price_book
from planner.queries.team import team_settings


def _list(
    request: PersonRequest,
    found: QuerySet[Any],
    row_of: Callable[[Any], rows.Row],
    *,
    name: str,
    filters: type[ListFilters],
    columns: Sequence[Column],
    sort: str,
) -> HttpResponse:
    shown = listing(request, found, filters=filters, columns=columns, sort=sort)
    context = {
        "listing": shown,
        "rows": [row_of(entry) for entry in shown.rows],
        "may_write": request.user.may(Role.OPERATOR),
    }
    part = f"planner/browse/_{name}.html"
    return render_list(request, page=f"planner/browse/{name}.html", part=part, context=context)


def prices_today(only: Collection[str] | None = None) -> PriceBook:
    """Quotes that hold today, in the currency of the team; of some things alone that is quick, however many there are."""
    return price_book(on=today(), currency=team_settings().currency, only=only)


@require_safe
@require_role(Role.VIEWER)
def accelerators(request: PersonRequest) -> HttpResponse:
    """Every accelerator, with search, filters and sort in the address."""
    return _list(
        request,
        queries.accelerators(),
        rows.accelerator_row,
        name="accelerators",
        filters=queries.AcceleratorFilters,
        columns=queries.ACCELERATOR_COLUMNS,
        sort="-bandwidth",
    )


@require_safe
@require_role(Role.VIEWER)
def accelerator(request: PersonRequest, key: str) -> HttpResponse:
    """One accelerator."""
    entry = get_object_or_404(Accelerator, key=key)
    page = card_page(entry, catalog=current_catalog(), words=source_words(), book=prices_today([key]))
    uses = uses_of(entry) if entry.shipped is None and not entry.retired_at else []
    context = {"page": page, "entry": entry, "uses": uses, "may_write": request.user.may(Role.OPERATOR)}
    return render(request, "planner/browse/accelerator.html", context)


@require_safe
@require_role(Role.VIEWER)
def bandwidth(request: PersonRequest) -> HttpResponse:
    """Cards in tiers of bandwidth, with the ceiling of an example model."""
    catalog = current_catalog()
    page = bandwidth_page(request.GET.dict(), catalog=catalog, book=prices_today())
    context = {"page": page, "models": list(catalog.models)}
    return render(request, "planner/browse/bandwidth.html", context)


@require_safe
@require_role(Role.VIEWER)
def compare_accelerators(request: PersonRequest) -> HttpResponse:
    """Cards side by side on what decode needs."""
    catalog = current_catalog()
    ids = request.GET.getlist("id")
    named = {name.strip() for name in ids} & set(catalog.accelerators)
    page = compare_page(ids, request.GET.dict(), catalog=catalog, book=prices_today(named))
    cards = [(key, spec.name) for key, spec in catalog.accelerators.items()]
    return render(request, "planner/browse/compare.html", {"page": page, "cards": cards})


@require_safe
@require_role(Role.VIEWER)
def platforms(request: PersonRequest) -> HttpResponse:
    """Every platform."""
    catalog = current_catalog()
    return _list(
        request,
        queries.platforms(),
        lambda entry: rows.platform_row(entry, catalog),
        name="platforms",
        filters=queries.PlatformFilters,
        columns=queries.PLATFORM_COLUMNS,
        sort="name",
    )


@require_safe
@require_role(Role.VIEWER)
def platform(request: PersonRequest, key: str) -> HttpResponse:
    """One platform."""
    entry = get_object_or_404(Platform, key=key)
    parts = [part["id"] for part in entry.record["accelerators"]]
    book = prices_today([key, *parts])
    page = platform_page(entry, catalog=current_catalog(), words=source_words(), book=book)
    uses = uses_of(entry) if entry.shipped is None and not entry.retired_at else []
    context = {"page": page, "entry": entry, "uses": uses, "may_write": request.user.may(Role.OPERATOR)}
    return render(request, "planner/browse/platform.html", context)


@require_safe
@require_role(Role.VIEWER)
def models(request: PersonRequest) -> HttpResponse:
    """Every model."""
    catalog = current_catalog()
    return _list(
        request,
        queries.models(),
        lambda entry: rows.model_row(entry, catalog),
        name="models",
        filters=queries.ModelFilters,
        columns=queries.MODEL_COLUMNS,
        sort="model",
    )


@require_safe
@require_role(Role.VIEWER)
def model(request: PersonRequest, key: str) -> HttpResponse:
    """One model. Another name of its shape, or a quantized release, leads to it."""
    catalog = current_catalog()
    entry = ModelShape.objects.filter(key=key).first()
    if entry is None:
        base = queries.model_of(key)
        if base is None:
            raise Http404
        return redirect("planner:model", key=base)
    page = model_page(entry, catalog=catalog, words=source_words())
    context = {"page": page, "entry": entry, "may_write": request.user.may(Role.OPERATOR)}
    return render(request, "planner/browse/model.html", context)


@require_safe
@require_role(Role.VIEWER)
def engines(request: PersonRequest) -> HttpResponse:
    """Every engine."""
    catalog, keys = current_catalog(), queries.model_keys()
    return _list(
        request,
        queries.engines(),
        lambda entry: rows.engine_row(entry, catalog, keys),
        name="engines",
        filters=queries.EngineFilters,
        columns=queries.ENGINE_COLUMNS,
        sort="engine",
    )


@require_safe
@require_role(Role.VIEWER)
def engine(request: PersonRequest, key: str) -> HttpResponse:
    """One engine."""
    entry = get_object_or_404(queries.engines(), key=key)
    page = engine_page(entry, catalog=current_catalog(), keys=queries.model_keys())
    return render(request, "planner/browse/engine.html", {"page": page, "entry": entry})


@require_safe
@require_role(Role.VIEWER)
def schemes(request: PersonRequest) -> HttpResponse:
    """Every way of storing weights."""
    catalog = current_catalog()
    return _list(
        request,
        queries.schemes(),
        lambda entry: rows.scheme_row(entry, catalog),
        name="schemes",
        filters=queries.SchemeFilters,
        columns=queries.SCHEME_COLUMNS,
        sort="-bits",
    )


@require_safe
@require_role(Role.VIEWER)
def scheme(request: PersonRequest, key: str) -> HttpResponse:
    """One way of storing weights."""
    entry = get_object_or_404(WeightScheme, key=key, retired_at=None)
    page = scheme_page(entry, catalog=current_catalog())
    return render(request, "planner/browse/scheme.html", {"page": page, "entry": entry})
