"""What the server says to every example of the description, asked in a state in which it can be answered."""

from typing import Any

from django.db import transaction

from access.models import User
from access.roles import Role
from access.scopes import Scope
from tests.access.people import bearer, person, token_text
from tests.api.described import Operation, operations
from tests.api.world import World, example

# What has to happen first
BEFORE = {
    "withdraw_plan": ("propose_plan",),
    "approve_plan": ("propose_plan",),
    "reject_plan": ("propose_plan",),
    "reopen_plan": ("propose_plan", "reject_plan"),
    "list_plan_comments": ("create_plan_comment",),
    "list_plan_evaluations": ("evaluate_plan",),
    "diff_plan_versions": ("create_plan_version",),
    "list_webhook_deliveries": ("test_webhook",),
}
DECISIONS = ("approve_plan", "reject_plan")


def said(operation: Operation, world: World) -> Any:
    """The answer to the first example of an operation; what it writes is taken back."""
    if operation.name in world.made:
        return world.made[operation.name]
    known = {other.name: other for other in operations()}
    with transaction.atomic():
        for name in BEFORE.get(operation.name, ()):
            _ask(known[name], world)
        answer = _ask(operation, world)
        transaction.set_rollback(True)
    return answer


def _ask(operation: Operation, world: World) -> Any:
    body = example(operation)
    client = None
    if operation.name in DECISIONS:  # somebody else than the author decides
        other = User.objects.filter(username="bo").first() or person(Role.APPROVER, name="bo")
        client = bearer(token_text(other, *Scope))
    if operation.name == "change_plan":
        person(Role.OPERATOR, name=body["owner"])
    if operation.name == "compare_plans":
        plans = [
            world.made["create_plan"],
            _ask(next(o for o in operations() if o.name == "create_plan"), world),
        ]
        body = {"plans": [plan.json()["uid"] for plan in plans]}
    return world.send(operation, body, client=client)
