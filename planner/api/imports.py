"""REST: models that a program brings in."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.counters import SearchThrottle
from access.idempotency import idempotent
from access.paging import paged
from access.permissions import HasScope, actor_of
from access.problems import invalid, problem
from access.revisions import changed_meanwhile, etag
from planner.actions.catalog import CatalogFaultsError
from planner.actions.conflict import ConflictError
from planner.actions.entries import EntryExistsError
from planner.actions.imports import keep_import
from planner.answers.import_body import answer, body_errors, error, errors_of, offered, shown
from planner.answers.imports import Looked, look, name_problem
from planner.api.filtering import filtered
from planner.api.lists import ETAG, IDEMPOTENCY_KEY, filters, page_of, problems
from planner.core.specs import Catalog
from planner.queries import current_catalog
from planner.queries.imports import ImportFilters, model_imports, own_model
from planner.schemas.imports import EXAMPLE_IMPORT, IMPORTED, LISTED_IMPORT, NEW_IMPORT


@extend_schema(
    methods=["GET"],
    operation_id="list_model_imports",
    summary="List where models were brought in from",
    parameters=filters(
        q="Words in the id of the model or its address.",
        origin="paste, upload, huggingface or modelscope.",
    ),
    responses={200: page_of(LISTED_IMPORT), **problems(404, 422)},
    tags=["catalog"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_model_import",
    summary="Bring in a model",
    description=(
        "Reads a config.json, an index and the beginnings of files, or fetches them from a hub of the team's, and keeps the "
        "model in the catalog. The same again changes nothing; other figures under an id of the team's need its revision."
    ),
    parameters=[IDEMPOTENCY_KEY, ETAG],
    request={"application/json": NEW_IMPORT},
    responses={200: IMPORTED, 201: IMPORTED, **problems(400, 409, 412, 413, 422)},
    examples=[OpenApiExample("A small Llama", value=EXAMPLE_IMPORT, request_only=True)],
    tags=["catalog"],
)
@api_view(["GET", "POST"])
@permission_classes([HasScope("catalog:read", write="catalog:write")])  # type: ignore[list-item]  # an instance makes itself
@throttle_classes([SearchThrottle])
def model_imports_view(request: Request) -> HttpResponse:
    """List imports, or bring in a model."""
    if request.method == "POST":
        return _create(request)
    found = filtered(ImportFilters, request, model_imports())
    if isinstance(found, HttpResponse):
        return found
    return paged(request, found, shown)


@idempotent
def _create(request: Request) -> HttpResponse:
    body: Any = request.data
    errors = body_errors(body)
    given = errors or offered(body)
    if isinstance(given, list):
        return invalid(given)
    catalog = current_catalog()
    looked = look(given, catalog)
    if isinstance(looked, list):
        return invalid(errors_of(looked))
    key = body.get("id") or looked.name
    if body.get("keep") is False:
        return Response(answer(looked, catalog, key=key, outcome="looked", revision=None))
    wrong = name_problem(key, catalog, own=own_model(key) is not None)
    if wrong is not None:
        return invalid(errors_of([wrong]))
    return _keep(request, looked, catalog, key=key, revision=body.get("revision"))


def _keep(
    request: Request, looked: Looked, catalog: Catalog, *, key: str, revision: int | None
) -> HttpResponse:
    try:
        entry, done = keep_import(
            looked.named(key),
            sources=looked.sources,
            given=looked.given(),
            actor=actor_of(request),
            revision=revision,
        )
    except EntryExistsError as exists:
        text = _(
            "The team has a model of this id with other figures, at revision %s. Send it to replace that."
        )
        detail = text % exists.entry.revision
        return problem("exists_already", status=409, title=_("This id is taken."), detail=detail)
    except ConflictError as conflict:
        return changed_meanwhile(conflict.current.revision)  # type: ignore[attr-defined]
    except CatalogFaultsError as faults:
        return invalid([error("id", "unsound", str(faults))])
    found = answer(looked, catalog, key=key, outcome=done, revision=entry.revision)
    status = 201 if done == "created" else 200
    return Response(found, status=status, headers={"ETag": etag(entry.revision)})
