"""REST: webhooks, for the programs that set them up. Their page is access/views_webhooks.py."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.forms import WebhookForm
from access.idempotency import idempotent
from access.models import OutboxMessage, Webhook
from access.paging import paged
from access.permissions import HasScope, actor_of
from access.problems import invalid, problem
from access.revisions import asked_revision, changed_meanwhile, etag
from access.webhooks import (
    FIELDS,
    MOST_WEBHOOKS,
    ChangedError,
    TooManyError,
    change_webhook,
    create_webhook,
    delete_webhook,
    try_webhook,
)
from access.webhooks import deliveries as deliveries_of
from access.webhooks import webhooks as all_webhooks
from planner.api.lists import ETAG, IDEMPOTENCY_KEY, IF_MATCH, filters, page_of, problems
from planner.schemas.webhooks import (
    DELIVERY,
    EXAMPLE_WEBHOOK,
    MADE_WEBHOOK,
    NEW_WEBHOOK,
    WEBHOOK,
    WEBHOOK_CHANGE,
)

WITH_SCOPE = [HasScope("webhooks:write")]


@extend_schema(
    methods=["GET"],
    operation_id="list_webhooks",
    summary="List webhooks",
    parameters=filters(),
    responses={200: page_of(WEBHOOK), **problems(404)},
    tags=["webhooks"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_webhook",
    summary="Add a webhook",
    description="The answer holds its secret, this once. A receiver checks the `Decodeck-Signature` of a call with it.",
    parameters=[IDEMPOTENCY_KEY],
    request={"application/json": NEW_WEBHOOK},
    responses={201: MADE_WEBHOOK, **problems(400, 409, 413, 422)},
    examples=[OpenApiExample("Procurement", value=EXAMPLE_WEBHOOK, request_only=True)],
    tags=["webhooks"],
)
@api_view(["GET", "POST"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]  # an instance makes itself
def webhooks(request: Request) -> HttpResponse:
    """List webhooks, or add one."""
    if request.method == "GET":
        return paged(request, all_webhooks(), shown)
    response: Any = _create(request)
    # Added after the answer was kept for repeats, so that no secret lies in the database in the open
    secret = getattr(response, "secret_once", None)
    if secret is not None:
        response.data = {**response.data, "secret": secret}
        response["Cache-Control"] = "no-store"
    return response


@idempotent
def _create(request: Request) -> HttpResponse:
    values, errors = _values(request.data, {"is_active": True}, required=("name", "url", "events"))
    if errors:
        return invalid(errors)
    try:
        made, secret = create_webhook(actor=actor_of(request), **values)
    except TooManyError:
        text = _("There may be %(most)s webhooks.") % {"most": MOST_WEBHOOKS}
        return invalid([{"field": None, "code": "too_many", "message": text}])
    response: Any = Response(
        {**shown(made), "secret": None}, status=201, headers={"ETag": etag(made.revision)}
    )
    response.secret_once = secret
    return response


def shown(hook: Webhook) -> dict[str, Any]:
    """A webhook without its secret."""
    return {
        "id": hook.pk,
        "name": hook.name,
        "url": hook.url,
        "events": hook.events,
        "is_active": hook.is_active,
        "created_by": hook.created_by.username if hook.created_by else None,
        "created_at": hook.created_at,
        "revision": hook.revision,
    }


def _values(
    body: Any, start: dict[str, Any], *, required: tuple[str, ...] = ()
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(clean values, errors) of a body over what holds already."""
    if not isinstance(body, dict):
        text = _("Send an object with name, url and events.")
        return {}, [{"field": None, "code": "wrong_type", "message": text}]
    errors = [
        {
            "field": name,
            "code": "unknown_field",
            "message": _("No such field. Known here: %s.") % ", ".join(FIELDS),
        }
        for name in body
        if name not in FIELDS
    ]
    errors += [
        {"field": name, "code": "required", "message": _("This field is required.")}
        for name in required
        if body.get(name) in (None, "", [])
    ]
    given = {**start, **body}
    errors += [
        {"field": name, "code": "wrong_type", "message": _("This has another type than it should.")}
        for name in FIELDS
        if name in given and not _has_type(name, given[name]) and name not in [e["field"] for e in errors]
    ]
    if errors:
        return {}, errors
    form = WebhookForm({name: given[name] for name in ("name", "url", "events")})
    if form.is_valid():
        return {**form.cleaned_data, "is_active": given["is_active"]}, []
    return {}, [
        {"field": name, "code": item["code"] or "invalid", "message": item["message"]}
        for name, items in form.errors.get_json_data().items()
        for item in items
    ]


def _has_type(name: str, value: Any) -> bool:
    if name == "events":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, bool if name == "is_active" else str)


@extend_schema(
    methods=["GET"],
    operation_id="get_webhook",
    summary="One webhook",
    parameters=[ETAG],
    responses={200: WEBHOOK, **problems(404)},
    tags=["webhooks"],
)
@extend_schema(
    methods=["PATCH"],
    operation_id="change_webhook",
    summary="Change or pause a webhook",
    parameters=[IF_MATCH, ETAG],
    request={"application/json": WEBHOOK_CHANGE},
    responses={200: WEBHOOK, **problems(400, 404, 412, 413, 422, 428)},
    examples=[OpenApiExample("Pause it", value={"is_active": False}, request_only=True)],
    tags=["webhooks"],
)
@extend_schema(
    methods=["DELETE"],
    operation_id="delete_webhook",
    summary="Delete a webhook",
    parameters=[IF_MATCH],
    responses={204: None, **problems(404, 412, 428)},
    tags=["webhooks"],
)
@api_view(["GET", "PATCH", "DELETE"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
def webhook(request: Request, pk: int) -> HttpResponse:
    """Read, change or delete one webhook."""
    hook = get_object_or_404(all_webhooks(), pk=pk)
    if request.method == "GET":
        return _one(hook)
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    try:
        if request.method == "DELETE":
            delete_webhook(hook, revision=revision, actor=actor_of(request))
            return Response(status=204)
        return _change(request, hook, revision)
    except ChangedError as error:
        return changed_meanwhile(error.current.revision)


def _change(request: Request, hook: Webhook, revision: int) -> HttpResponse:
    values, errors = _values(request.data, {name: getattr(hook, name) for name in FIELDS})
    if errors:
        return invalid(errors)
    return _one(change_webhook(hook, revision=revision, actor=actor_of(request), **values))


def _one(hook: Webhook) -> Response:
    return Response(shown(hook), headers={"ETag": etag(hook.revision)})


@extend_schema(
    operation_id="test_webhook",
    summary="Send a test",
    description="The event is `webhook.test`; it goes the way that all events go, and stands among the deliveries.",
    parameters=[IDEMPOTENCY_KEY],
    request=None,
    responses={201: DELIVERY, **problems(404, 409)},
    tags=["webhooks"],
)
@api_view(["POST"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
@idempotent
def send_test(request: Request, pk: int) -> HttpResponse:
    """Send a test to one webhook."""
    hook = get_object_or_404(all_webhooks(), pk=pk)
    if not hook.is_active:
        detail = _("Use it again first: is_active true.")
        return problem("paused", status=409, title=_("This webhook is paused."), detail=detail)
    return Response(_delivery(try_webhook(hook, actor=actor_of(request))), status=201)


@extend_schema(
    operation_id="list_webhook_deliveries",
    summary="What was sent to a webhook",
    parameters=filters(),
    responses={200: page_of(DELIVERY), **problems(404)},
    tags=["webhooks"],
)
@api_view(["GET"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
def deliveries(request: Request, pk: int) -> Response:
    """What was sent to one webhook or waits for it, newest first."""
    hook = get_object_or_404(all_webhooks(), pk=pk)
    return paged(request, deliveries_of(hook), _delivery)


def _delivery(message: OutboxMessage) -> dict[str, Any]:
    waits = message.state == OutboxMessage.State.WAITING
    return {
        "id": message.pk,
        "event": message.payload.get("event", ""),
        "state": message.state,
        "attempts": message.attempts,
        "created_at": message.created_at,
        "next_attempt_at": message.next_attempt_at if waits else None,
        "finished_at": message.finished_at,
        "error": message.last_error,
        "payload": message.payload,
    }
