"""What saved plans are judged on at this moment, which of them are due, and how they were judged before."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone

from planner.catalog.files import shipped_prices
from planner.clock import today
from planner.core import CORE_VERSION
from planner.core.specs import Catalog
from planner.models import (
    Accelerator,
    CatalogEntry,
    EngineTable,
    ModelShape,
    PlanEvaluation,
    PlanVersion,
    Platform,
    Quote,
    SavedPlan,
    TeamSettings,
)
from planner.queries.catalog import current_catalog
from planner.queries.rates import rates_in_force
from planner.queries.team import team_settings

RECORDS: dict[str, type[CatalogEntry]] = {
    "accelerator": Accelerator,
    "model": ModelShape,
    "engine": EngineTable,
    "platform": Platform,
}
HISTORY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Everything that a judgement rests on. `stamp` names it: another one where any of it may be another."""

    catalog: Catalog
    team: TeamSettings
    on: date
    stamp: str


def ground_now(on: date | None = None) -> Ground:
    """The ground of this moment, the day (today, or `on`) included, since quotes begin and expire. Five queries."""
    catalog, team, on = current_catalog(), team_settings(), on or today()
    quotes = Quote.objects.aggregate(Count("pk"), Max("pk"), Sum("revision"))
    rates = [[row["currency"], row["per_usd"], row["assumed"]] for row in rates_in_force()]
    said = [catalog.hash, CORE_VERSION, on.isoformat(), team.revision, team.currency, quotes, rates]
    text = json.dumps([*said, _public_prices()], sort_keys=True)
    return Ground(catalog=catalog, team=team, on=on, stamp=hashlib.sha256(text.encode()).hexdigest()[:32])


@lru_cache(maxsize=1)
def _public_prices() -> str:
    return hashlib.sha256(json.dumps(shipped_prices(), sort_keys=True).encode()).hexdigest()


def due_plans(stamp: str) -> QuerySet[SavedPlan]:
    """Plans that were not held against this ground yet and that no worker is at, oldest first."""
    free = Q(claimed_until=None) | Q(claimed_until__lte=timezone.now())
    found = SavedPlan.objects.filter(free, archived_at=None).exclude(judged_stamp=stamp)
    return found.order_by("pk")


def are_due() -> bool:
    """Is there a plan to judge again? Six queries."""
    return due_plans(ground_now().stamp).exists()


def newest_contents(plans: list[SavedPlan]) -> dict[int, PlanVersion]:
    """Plan -> its newest version, without what was answered. One query."""
    rows = PlanVersion.objects.filter(plan__in=plans, number=F("plan__number")).defer("answer", "basis")
    return {row.plan_id: row for row in rows}


def judgements(plan: SavedPlan) -> list[PlanEvaluation]:
    """Every kept judgement of a plan's newest version, oldest first."""
    rows = PlanEvaluation.objects.filter(plan=plan, number=plan.number).order_by("pk")
    return list(rows.only("changes", "figures", "failure"))


def evaluations(plan: SavedPlan) -> QuerySet[PlanEvaluation]:
    """How a plan was judged since it was saved, newest first."""
    return PlanEvaluation.objects.filter(plan=plan).select_related("asked_by")


def records_changed(ids: Mapping[str, str], since: datetime | None) -> list[dict[str, str]]:
    """Those of a plan's catalog records (kind of RECORDS -> id) that were changed since. A query for each."""
    if since is None:
        return []
    return [
        {"kind": kind, "id": key}
        for kind, key in ids.items()
        if RECORDS[kind]._default_manager.filter(key=key, updated_at__gt=since).exists()  # noqa: SLF001
    ]
