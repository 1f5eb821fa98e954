"""Lists of the catalog: what they show, filter and sort by, on pages and in the API."""

from typing import Any

from django.db.models import FloatField, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _
from django_filters import ChoiceFilter, NumberFilter

from access.listing import Column, ListFilters
from planner.messages.catalog import CLASSES, KERNELS, ORIGINS, PLATFORM_KINDS
from planner.models import (
    Accelerator,
    AcceleratorMapping,
    EngineTable,
    ModelShape,
    Platform,
    WeightScheme,
)

BILLION = 1e9
MOST = 1e9
# Parameters in all, in billions: what fits a phone, one small card, one card, a large one, a machine, more.
SIZES = {
    "4": (0, 4),
    "10": (4, 10),
    "20": (10, 20),
    "40": (20, 40),
    "100": (40, 100),
    "300": (100, 300),
    "more": (300, 1e6),
}
SIZE_WORDS = [
    ("4", _("below 4 B")),
    ("10", _("4 to 10 B")),
    ("20", _("10 to 20 B")),
    ("40", _("20 to 40 B")),
    ("100", _("40 to 100 B")),
    ("300", _("100 to 300 B")),
    ("more", _("300 B and more")),
]
ANY = _("any")


class EntryFilters(ListFilters):
    """Filters of every list of records: retired ones are shown to those who ask for them."""

    origin = ChoiceFilter(
        choices=list(ORIGINS.items()), method="of_origin", label=_("Whose word"), empty_label=ANY
    )

    def of_origin(self, rows: QuerySet[Any], _name: str, origin: str) -> QuerySet[Any]:
        """Shipped as they are, edited, the team's own, or retired ones."""
        return rows.filter(ORIGIN_CONDITIONS[origin])

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows that match; retired ones only where they are asked for."""
        rows = super().filter_queryset(queryset)
        return rows if self.form.cleaned_data.get("origin") == "retired" else rows.filter(retired_at=None)


ORIGIN_CONDITIONS: dict[str, Q] = {
    "shipped": Q(shipped__isnull=False, edited__isnull=True),
    "edited": Q(shipped__isnull=False, edited__isnull=False),
    "own": Q(shipped__isnull=True),
    "retired": Q(retired_at__isnull=False),
}


def vendors() -> list[tuple[str, str]]:
    """Every vendor of the catalog."""
    names = Accelerator.objects.order_by("vendor").values_list("vendor", flat=True).distinct()
    return [(name, name) for name in names]


def families() -> list[tuple[str, str]]:
    """Every family of models."""
    names = ModelShape.objects.order_by("family").values_list("family", flat=True).distinct()
    return [(name, name) for name in names]


class AcceleratorFilters(EntryFilters):
    """Filters of accelerators."""

    search = ("key", "name", "vendor")
    vendor = ChoiceFilter(choices=vendors, label=_("Vendor"), empty_label=ANY)
    accelerator_class = ChoiceFilter(choices=list(CLASSES.items()), label=_("Class"), empty_label=ANY)
    min_memory = NumberFilter(
        field_name="memory_gib", lookup_expr="gte", label=_("GiB from"), min_value=0, max_value=MOST
    )
    min_bandwidth = NumberFilter(
        field_name="bandwidth_gb_s", lookup_expr="gte", label=_("GB/s from"), min_value=0, max_value=MOST
    )
    max_power = NumberFilter(
        field_name="tdp_w", lookup_expr="lte", label=_("W up to"), min_value=0, max_value=MOST
    )

    class Meta:
        model = Accelerator
        fields = ("q", "vendor", "accelerator_class", "origin", "min_memory", "min_bandwidth", "max_power")


class PlatformFilters(EntryFilters):
    """Filters of platforms."""

    search = ("key", "name")
    kind = ChoiceFilter(choices=list(PLATFORM_KINDS.items()), label=_("Kind"), empty_label=ANY)
    min_cards = NumberFilter(
        field_name="cards", lookup_expr="gte", label=_("Cards from"), min_value=0, max_value=1_000_000
    )

    class Meta:
        model = Platform
        fields = ("q", "kind", "min_cards", "origin")


class ModelFilters(EntryFilters):
    """Filters of models."""

    search = ("key", "family")
    family = ChoiceFilter(choices=families, label=_("Family"), empty_label=ANY)
    size = ChoiceFilter(choices=SIZE_WORDS, method="of_size", label=_("Parameters"), empty_label=ANY)
    experts = ChoiceFilter(
        choices=[("true", _("mixture of experts")), ("false", _("dense"))],
        method="of_experts",
        label=_("Build"),
        empty_label=ANY,
    )
    edge = ChoiceFilter(
        choices=[("true", _("for the edge"))], method="for_edge", label=_("Meant"), empty_label=ANY
    )

    class Meta:
        model = ModelShape
        fields = ("q", "family", "size", "experts", "edge", "origin")

    def of_size(self, rows: QuerySet[Any], _name: str, size: str) -> QuerySet[Any]:
        """Models whose parameters in all lie within a bucket."""
        low, high = SIZES[size]
        return rows.filter(parameters__gte=int(low * BILLION), parameters__lt=int(high * BILLION))

    def of_experts(self, rows: QuerySet[Any], _name: str, word: str) -> QuerySet[Any]:
        """Mixtures, or dense ones."""
        return rows.filter(experts=word == "true")

    def for_edge(self, rows: QuerySet[Any], _name: str, _word: str) -> QuerySet[Any]:
        """Those made for small devices."""
        return rows.filter(edge=True)


class EngineFilters(ListFilters):
    """The search in engines."""

    search = ("key",)

    class Meta:
        model = EngineTable
        fields = ("q",)


class SchemeFilters(ListFilters):
    """Filters of weight schemes."""

    search = ("key", "kernel")
    kernel = ChoiceFilter(choices=list(KERNELS.items()), label=_("Kernel"), empty_label=ANY)

    class Meta:
        model = WeightScheme
        fields = ("q", "kernel")


class MappingFilters(ListFilters):
    """The search in reported names."""

    search = ("reported_name", "accelerator__key", "accelerator__name")

    class Meta:
        model = AcceleratorMapping
        fields = ("q",)


def _known(column: str) -> Coalesce:
    """To sort by: what is unknown is the smallest, on every database."""
    return Coalesce(column, Value(-1.0), output_field=FloatField())


def accelerators() -> QuerySet[Accelerator]:
    """All accelerators, with what lists sort by."""
    return Accelerator.objects.annotate(
        by_memory=_known("memory_gib"), by_bandwidth=_known("bandwidth_gb_s"), by_power=_known("tdp_w")
    )


ACCELERATOR_COLUMNS = (
    Column(key="name", label=_("Accelerator"), order=("name",)),
    Column(key="class", label=_("Class"), order=("accelerator_class", "name")),
    Column(
        key="memory", label=_("Memory"), order=("by_memory",), unit="GiB", numeric=True, descending_first=True
    ),
    Column(
        key="bandwidth",
        label=_("Bandwidth"),
        order=("by_bandwidth",),
        unit="GB/s",
        numeric=True,
        descending_first=True,
    ),
    Column(key="reads", label=_("Memory reads"), unit="1/s", numeric=True),
    Column(key="power", label=_("Power"), order=("by_power",), unit="W", numeric=True),
    Column(key="link", label=_("Link")),
    Column(key="dtypes", label=_("Native types")),
)


def platforms() -> QuerySet[Platform]:
    """All platforms, with what lists sort by."""
    return Platform.objects.annotate(by_cards=_known("cards"))


PLATFORM_COLUMNS = (
    Column(key="name", label=_("Platform"), order=("name",)),
    Column(key="kind", label=_("Kind"), order=("kind", "name")),
    Column(key="cards", label=_("Accelerators"), order=("by_cards",), descending_first=True),
    Column(key="memory", label=_("Memory in all"), unit="GiB", numeric=True),
    Column(key="link", label=_("Link")),
    Column(key="power", label=_("Power at most"), unit="W", numeric=True),
)


def models() -> QuerySet[ModelShape]:
    """All models, with what lists sort by."""
    return ModelShape.objects.annotate(
        by_parameters=_known("parameters"), by_context=_known("context_tokens")
    )


def model_of(name: str) -> str | None:
    """The model that another name or a quantized release is of; None where the catalog has neither."""
    for entry in ModelShape.objects.filter(retired_at=None).only("key", "shipped", "edited"):
        record = entry.record
        if name in record["aliases"] or name in {release["id"] for release in record["quantized"]}:
            return entry.key
    return None


MODEL_COLUMNS = (
    Column(key="model", label=_("Model"), order=("key",)),
    Column(key="family", label=_("Family"), order=("family", "key")),
    Column(
        key="parameters",
        label=_("Parameters"),
        order=("by_parameters",),
        unit="B",
        numeric=True,
        descending_first=True,
    ),
    Column(key="active", label=_("Active"), unit="B", numeric=True),
    Column(key="weights", label=_("As published"), unit="GiB", numeric=True),
    Column(
        key="context",
        label=_("Context"),
        order=("by_context",),
        unit=_("tokens"),
        numeric=True,
        descending_first=True,
    ),
    Column(key="attention", label=_("Attention")),
)


def engines() -> QuerySet[EngineTable]:
    """All engines."""
    return EngineTable.objects.filter(retired_at=None)


def model_keys() -> list[str]:
    """Ids of the models that count, other names of their shapes left out."""
    return list(ModelShape.objects.filter(retired_at=None).values_list("key", flat=True))


ENGINE_COLUMNS = (
    Column(key="engine", label=_("Engine"), order=("key",)),
    Column(key="newest", label=_("Newest version known"), order=("newest",)),
    Column(key="steps", label=_("Versions at which something changed"), numeric=True),
    Column(key="values", label=_("Values"), numeric=True),
    Column(key="flags", label=_("Launch flags"), numeric=True),
    Column(key="models", label=_("Models with its own code"), numeric=True),
)


def schemes() -> QuerySet[WeightScheme]:
    """All weight schemes that count, with what lists sort by."""
    return WeightScheme.objects.filter(retired_at=None).annotate(by_bytes=_known("bytes_per_weight"))


SCHEME_COLUMNS = (
    Column(key="scheme", label=_("Scheme"), order=("key",)),
    Column(key="bits", label=_("Bits per weight"), order=("by_bytes",), numeric=True),
    Column(key="group", label=_("Group"), unit=_("weights"), numeric=True),
    Column(key="kernel", label=_("Kernel"), order=("kernel", "key")),
    Column(key="parts", label=_("Quantized")),
    Column(key="computes", label=_("Multiplies in")),
    Column(key="native", label=_("Cards that do natively"), numeric=True),
)


def mappings() -> QuerySet[AcceleratorMapping]:
    """What the team says of reported names."""
    return AcceleratorMapping.objects.select_related("accelerator", "mapped_by")


MAPPING_COLUMNS = (
    Column(key="name", label=_("Reported name"), order=("reported_name",)),
    Column(key="accelerator", label=_("Counts as"), order=("accelerator__name",)),
    Column(key="by", label=_("Said by"), order=("mapped_by__username",)),
    Column(key="at", label=_("Since"), order=("updated_at",), descending_first=True),
)
