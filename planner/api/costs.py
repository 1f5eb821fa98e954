"""REST: what a set-up costs, and the team's assumptions about it."""

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from access.permissions import HasScope, actor_of
from access.problems import invalid
from access.revisions import asked_revision, changed_meanwhile, etag
from planner.actions.conflict import ConflictError
from planner.actions.team import change_team_settings
from planner.answers.assumptions import check, shown
from planner.answers.costs import answer
from planner.api.bodies import PROBLEM_RESPONSES, answer_or_list, one_or_list, respond
from planner.api.lists import ETAG, IF_MATCH, problems
from planner.clock import today
from planner.models import TeamSettings
from planner.queries import current_catalog
from planner.queries.prices import Books, exchange_rates
from planner.queries.team import team_settings
from planner.schemas.costs import (
    ASSUMPTIONS_ANSWER,
    COST_ANSWER,
    COST_EXAMPLE,
    COST_REQUEST,
    NEW_ASSUMPTIONS,
)


@extend_schema(
    operation_id="create_costs",
    summary="Find what a set-up costs to own, to run and to rent",
    description=(
        "Takes an estimate request with prices, load and assumptions, or a list of them. Each term keeps its formula and "
        "values; what has no price has no total. Cooling is in the PUE and nowhere else."
    ),
    request={"application/json": one_or_list(COST_REQUEST)},
    responses={200: answer_or_list(COST_ANSWER), **PROBLEM_RESPONSES},
    examples=[
        OpenApiExample("A card of one's own against a rented one", value=COST_EXAMPLE, request_only=True)
    ],
    tags=["costs"],
)
@api_view(["POST"])
@permission_classes([HasScope("quotes:read")])  # type: ignore[list-item]  # an instance makes itself
def costs(request: Request) -> Response:
    """Answer one question about cost or a list of them."""
    return respond(request.data, _answer, limit=settings.COSTS_PER_CALL)


def _answer(questions: list[Any]) -> list[dict[str, Any]]:
    team = team_settings()
    return answer(questions, catalog=current_catalog(), books=Books(on=today()), team=team)


@extend_schema(
    methods=["GET"],
    operation_id="get_cost_assumptions",
    summary="The team's assumptions about cost",
    parameters=[ETAG],
    responses={200: ASSUMPTIONS_ANSWER, **problems()},
    tags=["costs"],
)
@extend_schema(
    methods=["PUT"],
    operation_id="set_cost_assumptions",
    summary="Set the team's assumptions about cost",
    parameters=[IF_MATCH, ETAG],
    request={"application/json": NEW_ASSUMPTIONS},
    responses={200: ASSUMPTIONS_ANSWER, **problems(400, 412, 413, 422, 428)},
    examples=[
        OpenApiExample(
            "Our own electricity and wages",
            value={
                "currency": "CNY",
                "assumptions": {
                    "tariff_per_kwh": {"value": 0.75, "source": "bill of November"},
                    "hourly_rate": 180,
                },
            },
            request_only=True,
        )
    ],
    tags=["costs"],
)
@api_view(["GET", "PUT"])
@permission_classes([HasScope("quotes:read", write="quotes:write")])  # type: ignore[list-item]
def cost_assumptions(request: Request) -> HttpResponse:
    """Read the team's assumptions, or replace them."""
    if request.method == "GET":
        return _shown(team_settings())
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    if (
        not request.body
    ):  # an empty object gives every assumption its default again: nobody means that by nothing
        raise ParseError("The body is empty.")
    changes, errors = check(request.data, team_settings(), exchange_rates())
    if errors:
        return invalid(errors)
    try:
        return _shown(change_team_settings(revision=revision, actor=actor_of(request), **changes))
    except ConflictError as conflict:
        return changed_meanwhile(conflict.current.revision)  # type: ignore[attr-defined]


def _shown(team: TeamSettings) -> Response:
    return Response(shown(team, exchange_rates()), headers={"ETag": etag(team.revision)})
