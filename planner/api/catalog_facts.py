"""REST: models, engines, weight schemes, and the names that machines report."""

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
from access.problems import invalid
from access.revisions import asked_revision, changed_meanwhile, etag
from planner.actions.conflict import ConflictError
from planner.actions.entries import edit_entry, map_accelerator, remove_mapping
from planner.answers.catalog import shown_engine, shown_mapping, shown_scheme
from planner.answers.catalog_models import change_model, model_facts, shown_model
from planner.answers.names import mapping_errors
from planner.api.filtering import filtered
from planner.api.lists import ETAG, IDEMPOTENCY_KEY, IF_MATCH, filters, page_of, problems
from planner.core.matching import collapse
from planner.models import Accelerator, ModelShape, WeightScheme
from planner.queries import browse as queries
from planner.queries import current_catalog
from planner.queries.entries import source_words
from planner.schemas import catalog as schemas

WITH_SCOPE = [HasScope("catalog:read", write="catalog:write")]
READ = [HasScope("catalog:read")]
BY_KEY = ("key", "pk")


@extend_schema(
    operation_id="list_models",
    summary="List models",
    parameters=filters(
        q="Words in id or family.",
        family="As the catalog writes it.",
        size="Billions of parameters: 4 (below), 10, 20, 40, 100, 300, more.",
        experts="true: mixtures; false: dense.",
        edge="true: made for small devices.",
        origin="shipped, edited, own or retired; retired ones are in no other list.",
    ),
    responses={200: page_of(schemas.MODEL_LISTED), **problems(404, 422)},
    tags=["catalog"],
)
@api_view(["GET"])
@permission_classes(READ)  # type: ignore[arg-type]  # an instance makes itself
def models(request: Request) -> HttpResponse:
    """List models."""
    found = filtered(queries.ModelFilters, request, ModelShape.objects.all())
    if isinstance(found, HttpResponse):
        return found
    words = source_words()
    return paged(request, found, lambda entry: shown_model(entry, words), ordering=BY_KEY)


@extend_schema(
    methods=["GET"],
    operation_id="get_model",
    summary="One model, with its bytes of cache and weights",
    parameters=[ETAG],
    responses={200: schemas.MODEL, **problems(404)},
    tags=["catalog"],
)
@extend_schema(
    methods=["PATCH"],
    operation_id="change_model",
    summary="State a model's context, engines or note",
    description="null takes the team's word back. The shape itself is imported, not stated.",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.MODEL_CHANGE},
    responses={200: schemas.MODEL, **problems(400, 404, 409, 412, 413, 422, 428)},
    examples=[OpenApiExample("An engine", value={"engines": {"sglang": "native"}}, request_only=True)],
    tags=["catalog"],
)
@extend_schema(
    methods=["DELETE"],
    operation_id="reset_model",
    summary="Take back what the team states of a shipped model",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    responses={200: schemas.MODEL, **problems(400, 404, 409, 412, 428)},
    tags=["catalog"],
)
@api_view(["GET", "PATCH", "DELETE"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
def model(request: Request, key: str) -> HttpResponse:
    """Read, change or reset one model."""
    entry = get_object_or_404(ModelShape, key=key)
    return _model(entry) if request.method == "GET" else _write_model(request, entry)


def _model(entry: ModelShape) -> Response:
    shown = {**shown_model(entry, source_words()), **model_facts(entry, current_catalog())}
    return Response(shown, headers={"ETag": etag(entry.revision)})


@idempotent
def _write_model(request: Request, entry: ModelShape) -> HttpResponse:
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    actor, engines = actor_of(request), current_catalog().engines
    if request.method == "DELETE" and entry.shipped is None:
        text = _("A model of the team's own has nothing shipped to go back to.")
        return invalid([{"field": None, "code": "own_model", "message": text}])
    try:
        if request.method == "DELETE":
            edit_entry(entry, None, revision=revision, actor=actor)
            return _model(ModelShape.objects.get(pk=entry.pk))
        changed, errors = change_model(entry, request.data, engines=engines, revision=revision, actor=actor)
    except ConflictError as conflict:
        return changed_meanwhile(conflict.current.revision)  # type: ignore[attr-defined]
    return invalid(errors) if changed is None else _model(ModelShape.objects.get(pk=entry.pk))


@extend_schema(
    operation_id="list_engines",
    summary="List engines",
    parameters=filters(q="Words in the id."),
    responses={200: page_of(schemas.ENGINE_LISTED), **problems(404, 422)},
    tags=["catalog"],
)
@api_view(["GET"])
@permission_classes(READ)  # type: ignore[arg-type]
def engines(request: Request) -> HttpResponse:
    """List engines."""
    found = filtered(queries.EngineFilters, request, queries.engines())
    if isinstance(found, HttpResponse):
        return found
    catalog = current_catalog()
    return paged(request, found, lambda entry: shown_engine(entry, catalog), ordering=BY_KEY)


@extend_schema(
    operation_id="get_engine",
    summary="One engine, with what changed at which version",
    responses={200: schemas.ENGINE, **problems(404)},
    tags=["catalog"],
)
@api_view(["GET"])
@permission_classes(READ)  # type: ignore[arg-type]
def engine(_request: Request, key: str) -> Response:
    """One engine."""
    entry = get_object_or_404(queries.engines(), key=key)
    return Response({**shown_engine(entry, current_catalog()), "values": entry.record["values"]})


@extend_schema(
    operation_id="list_schemes",
    summary="List weight schemes",
    parameters=filters(q="Words in id or kernel.", kernel="dense, fp8, int8, int4, fp4, gguf or nf4."),
    responses={200: page_of(schemas.SCHEME), **problems(404, 422)},
    tags=["catalog"],
)
@api_view(["GET"])
@permission_classes(READ)  # type: ignore[arg-type]
def schemes(request: Request) -> HttpResponse:
    """List weight schemes."""
    rows = WeightScheme.objects.filter(retired_at=None)
    found = filtered(queries.SchemeFilters, request, rows)
    return found if isinstance(found, HttpResponse) else paged(request, found, shown_scheme, ordering=BY_KEY)


@extend_schema(
    operation_id="get_scheme",
    summary="One weight scheme",
    responses={200: schemas.SCHEME, **problems(404)},
    tags=["catalog"],
)
@api_view(["GET"])
@permission_classes(READ)  # type: ignore[arg-type]
def scheme(_request: Request, key: str) -> Response:
    """One weight scheme."""
    return Response(shown_scheme(get_object_or_404(WeightScheme, key=key, retired_at=None)))


@extend_schema(
    methods=["GET"],
    operation_id="list_accelerator_names",
    summary="List what the team says of reported names",
    parameters=filters(q="Words in the name, or in id or name of the accelerator."),
    responses={200: page_of(schemas.REPORTED), **problems(404, 422)},
    tags=["catalog"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_accelerator_name",
    summary="Say which accelerator a reported name is",
    description="For names that the catalog does not know: a name that it knows is refused.",
    parameters=[IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.NEW_REPORTED},
    responses={201: schemas.REPORTED, **problems(400, 409, 412, 413, 422)},
    examples=[
        OpenApiExample(
            "A rebuilt board",
            value={"name": "NVIDIA GeForce RTX 4090 48G", "accelerator": "nvidia-rtx-4090"},
            request_only=True,
        )
    ],
    tags=["catalog"],
)
@api_view(["GET", "POST"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
def names(request: Request) -> HttpResponse:
    """List mappings, or add one."""
    if request.method == "POST":
        return _create_name(request)
    found = filtered(queries.MappingFilters, request, queries.mappings())
    if isinstance(found, HttpResponse):
        return found
    return paged(request, found, shown_mapping, ordering=("reported_name", "pk"))


@idempotent
def _create_name(request: Request) -> HttpResponse:
    body: Any = request.data
    known = ("name", "accelerator")
    if (
        not isinstance(body, dict)
        or set(body) != set(known)
        or not all(isinstance(v, str) for v in body.values())
    ):
        text = _("Send an object with name and accelerator, both text.")
        return invalid([{"field": None, "code": "wrong_type", "message": text}])
    return _map(request, collapse(body["name"]), body["accelerator"].strip(), revision=0, status=201)


def _map(request: Request, name: str, key: str, *, revision: int, status: int = 200) -> HttpResponse:
    wrong = mapping_errors(name, key, current_catalog())
    if wrong:
        return invalid(
            [
                {"field": field, "code": "invalid", "message": text}
                for field, text in (("name", wrong.name), ("accelerator", wrong.accelerator))
                if text
            ]
        )
    card = get_object_or_404(Accelerator, key=key)
    try:
        made = map_accelerator(name, card, actor=actor_of(request), revision=revision)
    except ConflictError as conflict:
        return changed_meanwhile(conflict.current.revision)  # type: ignore[attr-defined]
    return Response(shown_mapping(made), status=status, headers={"ETag": etag(made.revision)})


@extend_schema(
    methods=["GET"],
    operation_id="get_accelerator_name",
    summary="One reported name",
    parameters=[ETAG],
    responses={200: schemas.REPORTED, **problems(404)},
    tags=["catalog"],
)
@extend_schema(
    methods=["PATCH"],
    operation_id="change_accelerator_name",
    summary="Say that a reported name is another accelerator",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.REPORTED_CHANGE},
    responses={200: schemas.REPORTED, **problems(400, 404, 409, 412, 413, 422, 428)},
    examples=[OpenApiExample("Another card", value={"accelerator": "nvidia-l40s"}, request_only=True)],
    tags=["catalog"],
)
@extend_schema(
    methods=["DELETE"],
    operation_id="remove_accelerator_name",
    summary="Take a mapping back",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY],
    responses={204: None, **problems(400, 404, 409, 412, 428)},
    tags=["catalog"],
)
@api_view(["GET", "PATCH", "DELETE"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
def name(request: Request, pk: int) -> HttpResponse:
    """Read, change or remove one mapping."""
    if request.method != "GET":
        return _write_name(request, pk)
    mapping = get_object_or_404(queries.mappings(), pk=pk)
    return Response(shown_mapping(mapping), headers={"ETag": etag(mapping.revision)})


@idempotent
def _write_name(request: Request, pk: int) -> HttpResponse:
    mapping = get_object_or_404(queries.mappings(), pk=pk)  # in here: a repeat of its removal finds none
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    if request.method == "DELETE":
        try:
            remove_mapping(mapping, revision=revision, actor=actor_of(request))
        except ConflictError as conflict:
            return changed_meanwhile(conflict.current.revision)  # type: ignore[attr-defined]
        return Response(status=204)
    body: Any = request.data
    if not isinstance(body, dict) or set(body) != {"accelerator"} or not isinstance(body["accelerator"], str):
        text = _("Send an object with accelerator.")
        return invalid([{"field": None, "code": "wrong_type", "message": text}])
    return _map(request, mapping.reported_name, body["accelerator"].strip(), revision=revision)
