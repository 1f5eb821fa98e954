"""REST: bills of materials and files of saved plans."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.decorators import api_view, permission_classes, renderer_classes
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from access.permissions import HasScope
from planner.api.lists import problems
from planner.api.plan_versions import version_or_404
from planner.clock import today
from planner.plans.document import document, file_name
from planner.plans.files import WRITERS
from planner.queries import current_catalog
from planner.queries.plans import plans as all_plans
from planner.schemas.plan_files import BILL, DOCUMENT

VERSION = OpenApiParameter("version", int, description="Number of the version; the newest unless named.")
FORMAT = OpenApiParameter(
    "format",
    str,
    enum=list(WRITERS),
    description="The media type of one of these as Accept does the same. JSON unless said otherwise.",
)


def _document(request: Request, uid: str) -> dict[str, Any]:
    plan = get_object_or_404(all_plans(), uid=uid)
    version = version_or_404(plan, request.query_params.get("version"))
    return document(version, catalog=current_catalog(), on=today())


@extend_schema(
    operation_id="get_plan_bill",
    summary="The bill of materials of a plan",
    description=(
        "Prices are those of the day on which the version was kept, each with whose word it is; `lack` says why there is none. "
        "`alternatives` are other accelerators for the same weights, load and targets, on what counts today."
    ),
    parameters=[VERSION],
    responses={200: BILL, **problems(404)},
    tags=["plans"],
)
@api_view(["GET"])
@permission_classes([HasScope("plans:read")])  # type: ignore[list-item]  # an instance makes itself
def bill(request: Request, uid: str) -> HttpResponse:
    """Read the bill of a version."""
    found = _document(request, uid)
    parts = {name: found[name] for name in ("plan", "title", "basis", "alternatives")}
    return Response({**parts, **found["bill"]})


class _File(BaseRenderer):
    """A document as a file of the format that was asked for."""

    render_style = "binary"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        assert self.format is not None
        return WRITERS[self.format][1](data)


RENDERERS = [
    type(f"{ending.title()}File", (_File,), {"format": ending, "media_type": media_type, "charset": None})
    for ending, (media_type, _write) in WRITERS.items()
]
FILE: dict[str, Any] = {"type": "string", "format": "binary"}


@extend_schema(
    operation_id="export_plan",
    summary="A plan as a file",
    description="All of one version: its question, its figures, its bill, its cost. `csv` has the bill alone.",
    parameters=[VERSION, FORMAT],
    responses={
        (200, "application/json"): OpenApiResponse(DOCUMENT, "The document."),
        **{(200, media_type): FILE for ending, (media_type, _write) in WRITERS.items() if ending != "json"},
        **problems(404, 406),
    },
    tags=["plans"],
)
@api_view(["GET"])
@permission_classes([HasScope("plans:read")])  # type: ignore[list-item]
@renderer_classes(RENDERERS)
def export(request: Request, uid: str) -> HttpResponse:
    """Read a version as a file."""
    found = _document(request, uid)
    ending = request.accepted_renderer.format
    name = f'attachment; filename="{file_name(found, ending)}"'
    return Response(found, headers={"Content-Disposition": name})
