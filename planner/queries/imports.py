"""Reads of what the team brought in, and of the hubs."""

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import ChoiceFilter

from access.listing import ListFilters
from planner.models import HubEndpoint, ModelImport, ModelShape

ORIGINS = [
    ("paste", _("pasted")),
    ("upload", _("uploaded")),
    ("huggingface", "Hugging Face"),
    ("modelscope", "ModelScope"),
]


class ImportFilters(ListFilters):
    """Filters of imports."""

    search = ("model__key", "address")
    origin = ChoiceFilter(choices=ORIGINS)

    class Meta:
        model = ModelImport
        fields = ("q", "origin")


def model_imports() -> QuerySet[ModelImport]:
    """Every import, newest first, without the configs that were given."""
    return ModelImport.objects.select_related("model", "imported_by").defer("config", "model__edited")


def own_model(key: str) -> ModelShape | None:
    """The team's own model of this id."""
    return ModelShape.objects.filter(key=key, shipped__isnull=True).first()


def hubs(*, in_use: bool = False) -> QuerySet[HubEndpoint]:
    """Hubs by name."""
    found = HubEndpoint.objects.order_by("name")
    return found.filter(is_active=True) if in_use else found


def hub(uid: str) -> HubEndpoint | None:
    """One hub."""
    return HubEndpoint.objects.filter(uid=uid).first()
