"""Saved plans: each version is kept as it was, with what was answered then and on which basis."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from access.models import AppendOnly
from planner.models.names import new_uid


class SavedPlan(models.Model):
    """A named set-up that a team decides on. Every write raises `revision`, and names the one it started from.

    The columns beneath `state` repeat the newest evaluation, for lists to show, filter and sort.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        PROPOSED = "proposed", _("Proposed")
        APPROVED = "approved", _("Approved")
        REJECTED = "rejected", _("Rejected")

    uid = models.CharField(max_length=16, unique=True, default=new_uid, editable=False)
    name = models.CharField(_("name"), max_length=120)
    notes = models.TextField(_("notes"), max_length=20_000, blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="plans")
    number = models.PositiveIntegerField(default=1)  # of the newest version
    revision = models.PositiveIntegerField(default=1)
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.DRAFT)
    archived_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    model = models.CharField(_("model"), max_length=200)
    accelerator = models.CharField(_("accelerator"), max_length=200, blank=True)
    count = models.PositiveIntegerField(_("cards"), null=True)
    engine = models.CharField(_("engine"), max_length=40)
    verdict = models.CharField(_("verdict"), max_length=20)
    tpot_ms = models.FloatField(null=True)
    output_tokens_per_s = models.FloatField(null=True)
    purchase = models.DecimalField(max_digits=20, decimal_places=2, null=True)
    currency = models.CharField(max_length=3, blank=True)
    # Names the catalog, core and prices that the columns above were computed with
    evaluated_key = models.CharField(max_length=64, blank=True)
    evaluated_at = models.DateTimeField(null=True)
    # Names everything that it was last held against; any other text makes it due again
    judged_stamp = models.CharField(max_length=64, blank=True)
    claimed_until = models.DateTimeField(null=True)  # a worker is judging it, or died over it before then
    # What the last evaluation found different from the version as it was saved: codes, comma-separated
    flipped = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["-updated_at", "-pk"]
        indexes = [
            models.Index(fields=["-updated_at", "-id"], name="planner_plan_newest"),
            models.Index(fields=["state", "-updated_at"], name="planner_plan_by_state"),
            models.Index(fields=["owner", "-updated_at"], name="planner_plan_of_owner"),
            models.Index(fields=["model"], name="planner_plan_of_model"),
            models.Index(fields=["accelerator"], name="planner_plan_of_card"),
            models.Index(fields=["verdict"], name="planner_plan_by_verdict"),
            models.Index(fields=["name"], name="planner_plan_by_name"),
            models.Index(fields=["purchase"], name="planner_plan_by_price"),
            models.Index(fields=["judged_stamp", "id"], name="planner_plan_judged"),
        ]

    def __str__(self) -> str:
        return self.name


class PlanVersion(models.Model):
    """What a plan said at one time: the request, what was answered, and on which basis. Never changed."""

    plan = models.ForeignKey(SavedPlan, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    answer = models.JSONField()
    basis = models.JSONField()
    note = models.CharField(max_length=500, blank=True)  # why
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["plan", "number"], name="planner_plan_version_once")]

    def __str__(self) -> str:
        return f"version {self.number} of plan {self.plan_id}"


class PlanEvaluation(models.Model):
    """The newest version of a plan asked again on another basis, or by somebody, and what that changed."""

    plan = models.ForeignKey(SavedPlan, on_delete=models.PROTECT, related_name="evaluations")
    number = models.PositiveIntegerField()  # of the version
    key = models.CharField(max_length=64)
    basis = models.JSONField()
    figures = models.JSONField()
    changes = models.JSONField()  # [{"code", "before", "after", "because"}], against what was told before
    # Why it could not be judged: {"code": "rejected", "problems"} or {"code": "error", "error"}
    failure = models.JSONField(null=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"plan {self.plan_id} on {self.key}"


class PlanComment(models.Model):
    """What somebody said about a plan."""

    plan = models.ForeignKey(SavedPlan, on_delete=models.PROTECT, related_name="comments")
    number = models.PositiveIntegerField()  # of the version that it is about
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField(max_length=4_000)
    created_at = models.DateTimeField(default=timezone.now)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"comment {self.pk} on plan {self.plan_id}"


class PlanDecision(models.Model):
    """One step of a plan's approval: who took it, on which version, and why."""

    plan = models.ForeignKey(SavedPlan, on_delete=models.PROTECT, related_name="decisions")
    number = models.PositiveIntegerField()  # of the version
    before = models.CharField(max_length=16, choices=SavedPlan.State)
    after = models.CharField(max_length=16, choices=SavedPlan.State)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(default=timezone.now)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"plan {self.plan_id} from {self.before} to {self.after}"


class PlanShare(models.Model):
    """A link by which somebody without an account reads one plan. Only the hash of its secret is kept."""

    plan = models.ForeignKey(SavedPlan, on_delete=models.PROTECT, related_name="shares")
    digest = models.CharField(max_length=64, unique=True)
    with_prices = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"link {self.pk} to plan {self.plan_id}"

    @property
    def is_live(self) -> bool:
        """Neither revoked nor expired."""
        return self.revoked_at is None and timezone.now() < self.expires_at
