"""What things cost, by whose word, and until when."""

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from planner.models.names import new_uid


class ExchangeRate(models.Model):
    """How much of a currency one US dollar buys, by the team's word. The dollar itself has no row."""

    currency = models.CharField(_("currency"), max_length=3, unique=True)
    per_usd = models.DecimalField(_("for one US dollar"), max_digits=18, decimal_places=8)
    as_of = models.DateField(_("as of"))
    source = models.CharField(_("source"), max_length=500)
    revision = models.PositiveIntegerField(default=1)
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["currency"]
        constraints = [
            models.CheckConstraint(condition=models.Q(per_usd__gt=0), name="planner_rate_positive")
        ]

    def __str__(self) -> str:
        return f"{self.per_usd} {self.currency} for 1 USD"


class Quote(models.Model):
    """One supplier's word on the price of one thing. Corrected in place with its audit event, withdrawn, never deleted."""

    class Subject(models.TextChoices):
        ACCELERATOR = "accelerator", _("Accelerator")
        PLATFORM = "platform", _("Platform")
        ITEM = "item", _("Other item")

    class Offer(models.TextChoices):
        PURCHASE = "purchase", _("Purchase")
        RENT_HOUR = "rent_hour", _("Rent, per hour")
        RENT_MONTH = "rent_month", _("Rent, per month")

    uid = models.CharField(max_length=16, unique=True, default=new_uid, editable=False)
    subject_kind = models.CharField(_("kind"), max_length=16, choices=Subject, default=Subject.ACCELERATOR)
    # Catalog id of an accelerator or a platform; the name of any other item
    subject = models.CharField(_("what"), max_length=200)
    offer = models.CharField(_("offer"), max_length=16, choices=Offer, default=Offer.PURCHASE)
    unit_price = models.DecimalField(
        _("price of one"), max_digits=16, decimal_places=4, validators=[MinValueValidator(0)]
    )
    currency = models.CharField(_("currency"), max_length=3)
    minimum_quantity = models.PositiveIntegerField(
        _("from this many"), default=1, validators=[MinValueValidator(1)]
    )
    supplier = models.CharField(_("supplier"), max_length=120)
    source = models.CharField(_("source"), max_length=500)  # address or document
    quoted_on = models.DateField(_("quoted on"))
    valid_until = models.DateField(_("valid until"), null=True, blank=True)
    note = models.CharField(_("note"), max_length=1000, blank=True)
    revision = models.PositiveIntegerField(default=1)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(fields=["subject_kind", "subject", "offer"], name="planner_quote_of_subject"),
            models.Index(fields=["supplier"], name="planner_quote_of_supplier"),
            models.Index(fields=["currency"], name="planner_quote_in_currency"),
            models.Index(fields=["valid_until"], name="planner_quote_valid_until"),
            models.Index(fields=["unit_price"], name="planner_quote_by_price"),
            models.Index(fields=["-created_at", "-id"], name="planner_quote_newest"),
        ]
        constraints = [
            models.CheckConstraint(condition=models.Q(unit_price__gte=0), name="planner_quote_not_negative"),
            models.CheckConstraint(
                condition=models.Q(minimum_quantity__gte=1), name="planner_quote_quantity_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} at {self.unit_price} {self.currency} by {self.supplier}"
