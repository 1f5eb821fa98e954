"""How long a team's requests are: lengths only, never a prompt."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from planner.models.names import new_uid


class LengthLog(models.Model):
    """Lengths of real requests, packed into histograms when they came in. The rows themselves are not kept."""

    class Origin(models.TextChoices):
        CSV = "csv", "CSV"
        JSONL = "jsonl", "JSON Lines"
        METRICS = "metrics", "/metrics"

    uid = models.CharField(max_length=16, unique=True, default=new_uid, editable=False)
    name = models.CharField(_("name"), max_length=120)
    origin = models.CharField(max_length=16, choices=Origin)
    requests = models.BigIntegerField()
    summary = models.JSONField()  # quantiles, means, peak concurrency, each with its kind
    histograms = models.JSONField()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index(fields=["-created_at", "-id"], name="planner_lengths_newest")]

    def __str__(self) -> str:
        return self.name
