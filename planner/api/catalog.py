"""REST: accelerators and platforms, shipped, edited and the team's own, and the names that machines report."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.idempotency import idempotent
from access.paging import paged
from access.permissions import HasScope, actor_of
from access.problems import invalid, problem
from access.revisions import asked_revision, changed_meanwhile, etag
from planner.actions.conflict import ConflictError
from planner.actions.entries import EntryExistsError, EntryInUseError, edit_entry, retire_entry
from planner.answers.catalog import (
    ACCELERATORS,
    PLATFORMS,
    Stated,
    change,
    create,
    shown_accelerator,
    shown_platform,
)
from planner.api.filtering import filtered
from planner.api.lists import ETAG, IDEMPOTENCY_KEY, IF_MATCH, filters, page_of, problems
from planner.models import Accelerator, CatalogEntry, Platform
from planner.queries.browse import AcceleratorFilters, PlatformFilters
from planner.queries.entries import source_words
from planner.schemas import catalog as schemas

WITH_SCOPE = [HasScope("catalog:read", write="catalog:write")]
BY_KEY = ("key", "pk")
ORIGIN = "shipped, edited, own or retired; retired ones are in no other list."
WRITE_PROBLEMS = (400, 404, 409, 412, 413, 422, 428)
SHOWN: dict[str, Any] = {"accelerator": shown_accelerator, "platform": shown_platform}


@extend_schema(
    methods=["GET"],
    operation_id="list_accelerators",
    summary="List accelerators",
    parameters=filters(
        q="Words in id, name or vendor.",
        vendor="As the catalog writes it.",
        accelerator_class="datacenter, workstation, consumer, edge, apple, npu or cpu.",
        origin=ORIGIN,
        min_memory="GiB at least.",
        min_bandwidth="GB/s at least.",
        max_power="W at most.",
    ),
    responses={200: page_of(schemas.ACCELERATOR), **problems(404, 422)},
    tags=["catalog"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_accelerator",
    summary="Add an accelerator of the team's own",
    description="Each figure has its kind and its source. Plans and searches find it at once.",
    parameters=[IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.NEW_ACCELERATOR},
    responses={201: schemas.ACCELERATOR, **problems(400, 409, 413, 422)},
    examples=[OpenApiExample("A card", value=schemas.EXAMPLE_CARD, request_only=True)],
    tags=["catalog"],
)
@api_view(["GET", "POST"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]  # an instance makes itself
def accelerators(request: Request) -> HttpResponse:
    """List accelerators, or add one."""
    if request.method == "POST":
        return _create(request, "accelerator", ACCELERATORS)
    found = filtered(AcceleratorFilters, request, Accelerator.objects.all())
    if isinstance(found, HttpResponse):
        return found
    words = source_words()
    return paged(request, found, lambda entry: shown_accelerator(entry, words), ordering=BY_KEY)


@extend_schema(
    methods=["GET"],
    operation_id="get_accelerator",
    summary="One accelerator",
    parameters=[ETAG],
    responses={200: schemas.ACCELERATOR, **problems(404)},
    tags=["catalog"],
)
@extend_schema(
    methods=["PATCH"],
    operation_id="change_accelerator",
    summary="Lay the team's words over an accelerator",
    description="What is left out stays. A figure as null takes the team's word back.",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.ACCELERATOR_CHANGE},
    responses={200: schemas.ACCELERATOR, **problems(*WRITE_PROBLEMS)},
    examples=[OpenApiExample("A measured bandwidth", value=schemas.EXAMPLE_CHANGE, request_only=True)],
    tags=["catalog"],
)
@extend_schema(
    methods=["PUT"],
    operation_id="replace_accelerator",
    summary="State an accelerator as a whole",
    description="What is left out is as shipped, or unknown in one of the team's own. One that was retired counts again.",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.ACCELERATOR_CHANGE},
    responses={200: schemas.ACCELERATOR, **problems(*WRITE_PROBLEMS)},
    examples=[OpenApiExample("All of it", value=schemas.EXAMPLE_WHOLE_CARD, request_only=True)],
    tags=["catalog"],
)
@extend_schema(
    methods=["DELETE"],
    operation_id="reset_accelerator",
    summary="Take the team's words back",
    description="A shipped accelerator is as shipped again. One of the team's own is retired, unless something names it.",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    responses={200: schemas.ACCELERATOR, **problems(*WRITE_PROBLEMS)},
    tags=["catalog"],
)
@api_view(["GET", "PATCH", "PUT", "DELETE"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
def accelerator(request: Request, key: str) -> HttpResponse:
    """Read, change, replace or reset one accelerator."""
    entry = get_object_or_404(Accelerator, key=key)
    return _one(entry, "accelerator") if request.method == "GET" else _write(request, entry, "accelerator")


@extend_schema(
    methods=["GET"],
    operation_id="list_platforms",
    summary="List platforms",
    parameters=filters(
        q="Words in id or name.",
        kind="server, baseboard, rack …",
        min_cards="Accelerators at least.",
        origin=ORIGIN,
    ),
    responses={200: page_of(schemas.PLATFORM), **problems(404, 422)},
    tags=["catalog"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_platform",
    summary="Add a platform of the team's own",
    parameters=[IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.NEW_PLATFORM},
    responses={201: schemas.PLATFORM, **problems(400, 409, 413, 422)},
    examples=[OpenApiExample("A server", value=schemas.EXAMPLE_PLATFORM, request_only=True)],
    tags=["catalog"],
)
@api_view(["GET", "POST"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
def platforms(request: Request) -> HttpResponse:
    """List platforms, or add one."""
    if request.method == "POST":
        return _create(request, "platform", PLATFORMS)
    found = filtered(PlatformFilters, request, Platform.objects.all())
    if isinstance(found, HttpResponse):
        return found
    words = source_words()
    return paged(request, found, lambda entry: shown_platform(entry, words), ordering=BY_KEY)


@extend_schema(
    methods=["GET"],
    operation_id="get_platform",
    summary="One platform",
    parameters=[ETAG],
    responses={200: schemas.PLATFORM, **problems(404)},
    tags=["catalog"],
)
@extend_schema(
    methods=["PATCH"],
    operation_id="change_platform",
    summary="Lay the team's words over a platform",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.PLATFORM_CHANGE},
    responses={200: schemas.PLATFORM, **problems(*WRITE_PROBLEMS)},
    examples=[OpenApiExample("What it draws", value=schemas.EXAMPLE_PLATFORM_CHANGE, request_only=True)],
    tags=["catalog"],
)
@extend_schema(
    methods=["PUT"],
    operation_id="replace_platform",
    summary="State a platform as a whole",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.PLATFORM_CHANGE},
    responses={200: schemas.PLATFORM, **problems(*WRITE_PROBLEMS)},
    examples=[OpenApiExample("All of it", value=schemas.EXAMPLE_WHOLE_PLATFORM, request_only=True)],
    tags=["catalog"],
)
@extend_schema(
    methods=["DELETE"],
    operation_id="reset_platform",
    summary="Take the team's words back",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    responses={200: schemas.PLATFORM, **problems(*WRITE_PROBLEMS)},
    tags=["catalog"],
)
@api_view(["GET", "PATCH", "PUT", "DELETE"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
def platform(request: Request, key: str) -> HttpResponse:
    """Read, change, replace or reset one platform."""
    entry = get_object_or_404(Platform, key=key)
    return _one(entry, "platform") if request.method == "GET" else _write(request, entry, "platform")


def _one(entry: CatalogEntry, name: str, *, status: int = 200) -> Response:
    shown = SHOWN[name](entry, source_words())
    return Response(shown, status=status, headers={"ETag": etag(entry.revision)})


@idempotent
def _create(request: Request, name: str, kind: Stated) -> HttpResponse:
    try:
        entry, errors = create(kind, request.data, actor=actor_of(request))
    except EntryExistsError as error:
        text = _("There is one of this id already, at revision %s. Change that, or take another id.")
        detail = text % error.entry.revision
        return problem("exists_already", status=409, title=_("This id is taken."), detail=detail)
    return invalid(errors) if entry is None else _one(entry, name, status=201)


@idempotent
def _write(request: Request, entry: CatalogEntry, name: str) -> HttpResponse:
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    kind, actor = ACCELERATORS if name == "accelerator" else PLATFORMS, actor_of(request)
    try:
        if request.method == "DELETE":
            if entry.shipped is None:
                return _one(retire_entry(entry, revision=revision, actor=actor), name)
            return _one(edit_entry(entry, None, revision=revision, actor=actor), name)
        whole = request.method == "PUT"
        changed, errors = change(kind, entry, request.data, revision=revision, actor=actor, whole=whole)
    except ConflictError as conflict:
        return changed_meanwhile(conflict.current.revision)  # type: ignore[attr-defined]
    except EntryInUseError as error:
        detail = "; ".join(f"{use.kind} {use.name}" for use in error.uses)
        title = _("Something names it: archive or change that first.")
        return problem("in_use", status=409, title=title, detail=detail)
    return invalid(errors) if changed is None else _one(changed, name)
