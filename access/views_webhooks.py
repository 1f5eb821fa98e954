"""Webhooks: the pages of an administrator."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from access.announce import EVENTS
from access.declare import PersonRequest, require_role
from access.forms import DeleteWebhookForm, WebhookForm
from access.models import OutboxMessage, Webhook
from access.revisions import typed_revision
from access.roles import Role
from access.webhooks import (
    MOST_WEBHOOKS,
    TEST_EVENT,
    ChangedError,
    TooManyError,
    change_webhook,
    create_webhook,
    delete_webhook,
    deliveries,
    renew_secret,
    try_webhook,
    webhooks_with_state,
)
from access.webhooks import webhooks as all_webhooks

DELIVERIES = 50


@require_role(Role.ADMIN)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: PersonRequest) -> HttpResponse:
    """List webhooks and add one. Its secret stands on the answer and nowhere else, hence no redirect."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    made = secret = None
    if form.is_valid():
        try:
            made, secret = create_webhook(actor=request.user, **form.cleaned_data)
            form = WebhookForm()
        except TooManyError:
            form.add_error(None, _("There may be %(most)s webhooks.") % {"most": MOST_WEBHOOKS})
    rows = [(hook, event_names(hook.events)) for hook in webhooks_with_state()]
    context = {"form": form, "made": made, "secret": secret, "rows": rows}
    return render(request, "access/webhooks.html", context, status=422 if form.errors else 200)


def event_names(events: list[str]) -> list[str]:
    """Events in words; one that this version no longer knows as it is stored."""
    return [str(EVENTS.get(event, event)) for event in events]


@require_role(Role.ADMIN)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: PersonRequest, pk: int) -> HttpResponse:
    """One webhook: change it, and see what was sent to it."""
    hook = get_object_or_404(all_webhooks(), pk=pk)
    given = request.POST if request.method == "POST" else None
    start = {"name": hook.name, "url": hook.url, "events": hook.events}
    form = WebhookForm(given, initial=start)
    if not form.is_valid():
        return _page(request, hook, form=form, status=422 if given else 200)
    revision = typed_revision(request.POST.get("revision", ""))
    try:
        change_webhook(hook, revision=revision, actor=request.user, **form.cleaned_data)
    except ChangedError as error:
        return _page(request, error.current, form=form, changed=True, status=409)
    messages.success(request, _("%(name)s is changed.") % {"name": hook.name})
    return redirect("access:webhook", pk=pk)


def _page(request: PersonRequest, hook: Webhook, *, status: int = 200, **more: Any) -> HttpResponse:
    start = {"name": hook.name, "url": hook.url, "events": hook.events}
    context = {
        "hook": hook,
        "form": WebhookForm(initial=start),
        "delete_form": DeleteWebhookForm(hook.name, prefix="delete"),
        **_sent(hook),
        **more,
    }
    return render(request, "access/webhook.html", context, status=status)


def _sent(hook: Webhook) -> dict[str, Any]:
    """What was sent lately, and whether more of it is to be known in a moment."""
    rows = list(deliveries(hook)[:DELIVERIES])
    first_try = any(row.state == OutboxMessage.State.WAITING and not row.last_error for row in rows)
    words = {**EVENTS, TEST_EVENT: _("A test")}
    named = [(row, words.get(row.payload.get("event"), row.payload.get("event"))) for row in rows]
    return {"hook": hook, "sent": named, "first_try": first_try}


@require_role(Role.ADMIN)
@never_cache
@require_safe
def webhook_deliveries(request: PersonRequest, pk: int) -> HttpResponse:
    """What was sent to a webhook: the part of its page that is asked for again while something is on its way."""
    hook = get_object_or_404(all_webhooks(), pk=pk)
    if not request.headers.get("HX-Request"):
        return redirect("access:webhook", pk=pk)
    return render(request, "access/_deliveries.html", _sent(hook))


@require_role(Role.ADMIN)
@require_POST
def webhook_pause(request: PersonRequest, pk: int) -> HttpResponse:
    """Stop telling a webhook of things, or go on."""
    hook = get_object_or_404(all_webhooks(), pk=pk)
    on = request.POST.get("active") == "1"
    try:
        change_webhook(hook, revision=hook.revision, actor=request.user, is_active=on)
    except ChangedError:
        messages.error(request, _("Somebody changed this webhook in this moment. Try again."))
    else:
        said = _("%(name)s is told of events again.") if on else _("%(name)s is paused.")
        messages.success(request, said % {"name": hook.name})
    return redirect("access:webhook", pk=pk)


@require_role(Role.ADMIN)
@require_POST
def webhook_test(request: PersonRequest, pk: int) -> HttpResponse:
    """Send a test the way that events go."""
    hook = get_object_or_404(all_webhooks(), pk=pk)
    if hook.is_active:
        try_webhook(hook, actor=request.user)
        messages.success(request, _("A test is on its way; how it went stands below in a moment."))
    else:
        messages.error(request, _("It is paused: nothing is sent to it."))
    return redirect("access:webhook", pk=pk)


@require_role(Role.ADMIN)
@never_cache
@require_POST
def webhook_secret(request: PersonRequest, pk: int) -> HttpResponse:
    """A new secret, shown on this answer and nowhere else."""
    hook = get_object_or_404(all_webhooks(), pk=pk)
    try:
        secret = renew_secret(hook, revision=hook.revision, actor=request.user)
    except ChangedError:
        messages.error(request, _("Somebody changed this webhook in this moment. Try again."))
        return redirect("access:webhook", pk=pk)
    return _page(request, hook, secret=secret)


@require_role(Role.ADMIN)
@require_POST
def webhook_delete(request: PersonRequest, pk: int) -> HttpResponse:
    """Delete a webhook whose name was typed."""
    hook = get_object_or_404(all_webhooks(), pk=pk)
    form = DeleteWebhookForm(hook.name, request.POST, prefix="delete")
    if not form.is_valid():
        return _page(request, hook, delete_form=form, status=422)
    try:
        delete_webhook(hook, revision=hook.revision, actor=request.user)
    except ChangedError:
        messages.error(request, _("Somebody changed this webhook in this moment. Try again."))
        return redirect("access:webhook", pk=pk)
    messages.success(request, _("%(name)s is deleted.") % {"name": hook.name})
    return redirect("access:webhooks")
