"""A database as a team's is after some years: 10,000 quotes and 5,000 plans with versions, evaluations and comments."""

import random
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import product
from typing import Any

from access.models import AuditEvent, User
from access.roles import Role
from planner.actions.entries import map_accelerator
from planner.answers.plans import Content
from planner.models import (
    Accelerator,
    PlanComment,
    PlanDecision,
    PlanEvaluation,
    PlanVersion,
    Quote,
    SavedPlan,
)
from planner.plans.saving import checked, content_of_query, keep_new
from planner.queries import current_catalog

QUOTES, PLANS, VERSIONS_EACH, COMMENTS_EACH, MAPPINGS = 10_000, 5_000, 3, 4, 100
ON = date(2026, 12, 1)
BATCH = 500
SUPPLIERS = [f"{town} {trade}" for town in ("Hua Dong", "Nordlicht", "Bay", "Mersey", "华北", "Tama") for trade in ("Trading", "Systems", "Supply", "Servers", "Rental")]  # fmt: skip
MODELS = (
    "Qwen/Qwen2.5-7B-Instruct",
    "meta-llama/Llama-3.1-8B-Instruct",
    "Qwen/Qwen3-32B",
    "openai/gpt-oss-20b",
)
CARDS = ("nvidia-l4", "nvidia-rtx-4090", "nvidia-h100-sxm5-80gb", "nvidia-a100-sxm4-80gb")
STATES = list(SavedPlan.State)


def people() -> list[User]:
    """Twenty operators; the first one looks at the pages."""
    return [User.objects.create_user(f"operator-{number}", role=Role.ADMIN) for number in range(20)]


def fill(users: Sequence[User], *, quotes: int = QUOTES, plans: int = PLANS) -> None:
    """Write everything down. The catalog must be synced before."""
    chance = random.Random(7)  # noqa: S311  # the same rows each time
    Quote.objects.bulk_create(_quotes(users, quotes, chance), batch_size=BATCH)
    _plans(users, plans, chance)
    cards = list(Accelerator.objects.order_by("key")[:MAPPINGS])
    for number in range(MAPPINGS):
        map_accelerator(f"Board {number}", cards[number % len(cards)], actor=users[0])


def _quotes(users: Sequence[User], number: int, chance: random.Random) -> Iterator[Quote]:
    keys = list(Accelerator.objects.order_by("key").values_list("key", flat=True))
    for place in range(number):
        quoted = ON - timedelta(days=chance.randrange(900))
        yield Quote(
            subject=chance.choice(keys),
            offer=chance.choices(Quote.Offer.values, [8, 1, 1])[0],
            unit_price=Decimal(chance.randrange(50_000, 30_000_000)) / 100,
            currency=chance.choice(["USD", "CNY", "CNY", "EUR"]),
            minimum_quantity=chance.choice([1, 1, 1, 8, 64]),
            supplier=chance.choice(SUPPLIERS),
            source=f"offer {place}",
            note=chance.choice(["", "", "two weeks", "refurbished", "with three years of support"]),
            quoted_on=quoted,
            valid_until=chance.choice([None, quoted + timedelta(days=chance.randrange(30, 720))]),
            withdrawn_at=_at(place) if chance.random() < 0.05 else None,
            created_by=chance.choice(users),
            created_at=_at(place),
        )


def _at(minutes: int) -> datetime:
    return datetime.fromisoformat("2024-01-01T08:00:00+00:00") + timedelta(minutes=minutes)


def _plans(users: Sequence[User], number: int, chance: random.Random) -> None:
    """A plan per model and card is answered; the others repeat them under other names, owners, states and prices."""
    kept = [_kept(model, card, users[0]) for model, card in product(MODELS, CARDS)]
    made = [_copied(chance.choice(kept), place, users, chance) for place in range(number - len(kept))]
    SavedPlan.objects.bulk_create(made, batch_size=BATCH)
    first = PlanVersion.objects.order_by("plan_id")[0]
    PlanVersion.objects.bulk_create(_versions(made, first), batch_size=BATCH)
    PlanEvaluation.objects.bulk_create(
        [
            PlanEvaluation(plan=plan, number=plan.number, key=str(turn), basis={}, figures={}, changes=[])
            for plan in made
            for turn in range(2)
        ],
        batch_size=BATCH,
    )
    PlanComment.objects.bulk_create(
        [
            PlanComment(plan=plan, number=1, author=chance.choice(users), text="Does it hold at night?")
            for plan in made
            for _turn in range(COMMENTS_EACH)
        ],
        batch_size=BATCH,
    )
    PlanDecision.objects.bulk_create(
        [
            PlanDecision(plan=plan, number=1, before=STATES[0], after=plan.state, actor=users[0])
            for plan in made
        ],
        batch_size=BATCH,
    )
    AuditEvent.objects.bulk_create(
        [
            AuditEvent(
                actor=plan.owner,
                action="plan.create",
                object_type="planner.savedplan",
                object_id=str(plan.pk),
            )
            for plan in made
        ],
        batch_size=BATCH,
    )


def _kept(model: str, card: str, owner: User) -> SavedPlan:
    catalog = current_catalog()
    content = checked(content_of_query(f"m={model}&a={card}&n=1"), catalog)
    assert isinstance(content, Content), content
    plan = keep_new(
        content, catalog=catalog, on=ON, name=f"{model} on {card}", notes="", note="", actor=owner
    )
    assert isinstance(plan, SavedPlan), plan
    return plan


def _copied(plan: SavedPlan, place: int, users: Sequence[User], chance: random.Random) -> SavedPlan:
    shown = ("model", "accelerator", "count", "engine", "verdict", "tpot_ms", "output_tokens_per_s")
    values: dict[str, Any] = {name: getattr(plan, name) for name in shown}
    return SavedPlan(
        **values,
        name=f"Chat for department {place}",
        owner=chance.choice(users),
        number=VERSIONS_EACH,
        state=chance.choice(STATES),
        archived_at=_at(place) if chance.random() < 0.1 else None,
        updated_at=_at(chance.randrange(1_000_000)),
        purchase=Decimal(chance.randrange(1_000, 900_000)),
        currency="USD",
        evaluated_key="0",
        flipped=chance.choice(["", "", "verdict"]),
    )


def _versions(plans: Sequence[SavedPlan], like: PlanVersion) -> Iterator[PlanVersion]:
    for plan, number in product(plans, range(1, VERSIONS_EACH + 1)):
        yield PlanVersion(
            plan=plan,
            number=number,
            content=like.content,
            answer=like.answer,
            basis=like.basis,
            author=like.author,
        )
