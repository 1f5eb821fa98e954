"""Models that the team brought in, and the hubs that they may be fetched from."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from planner.models.catalog import ModelShape
from planner.models.names import new_uid


class HubEndpoint(models.Model):
    """A hub or a mirror of one. Its token is sealed: it must be sent, and is never shown again."""

    class Kind(models.TextChoices):
        HUGGING_FACE = "huggingface", "Hugging Face"
        MODELSCOPE = "modelscope", "ModelScope"

    uid = models.CharField(max_length=16, unique=True, default=new_uid, editable=False)
    name = models.CharField(_("name"), max_length=80, unique=True)
    kind = models.CharField(_("kind"), max_length=16, choices=Kind)
    base_url = models.URLField(_("address"), max_length=300)
    sealed_token = models.TextField(blank=True)
    is_active = models.BooleanField(_("in use"), default=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class ModelImport(models.Model):
    """Where an imported model of the catalog came from, and the files that it was read from."""

    model = models.ForeignKey(ModelShape, on_delete=models.PROTECT, related_name="imports")
    origin = models.CharField(max_length=16)  # paste | upload | huggingface | modelscope
    address = models.CharField(max_length=500, blank=True)
    commit = models.CharField(max_length=64, blank=True)
    config = models.JSONField(null=True)
    checkpoint = models.JSONField(null=True)  # bytes by part, as read from an index or from headers
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"import {self.pk} of {self.model_id}"
