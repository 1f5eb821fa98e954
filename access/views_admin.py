"""Tokens of one's own, and the pages of an administrator: users and the audit log."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from access.actions import (
    LastAdminError,
    change_user,
    create_sign_in_link,
    create_token,
    create_user,
    revoke_token,
)
from access.declare import PersonRequest, require_role
from access.forms import TokenForm, UserChangeForm, UserForm
from access.models import User
from access.queries import audit_page, tokens_for
from access.roles import Role
from access.scopes import Scope


@require_role(Role.VIEWER)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: PersonRequest) -> HttpResponse:
    """List tokens and create one. The new one's text stands on the answer and nowhere else, hence no redirect."""
    form = TokenForm(request.user, request.POST if request.method == "POST" else None)
    made = None
    if form.is_valid():
        data = form.cleaned_data
        scopes = [Scope(scope) for scope in data["scopes"]]
        _token, made = create_token(
            request.user, name=data["name"], scopes=scopes, days=data["days"], actor=request.user
        )
        form = TokenForm(request.user)
    context = {"form": form, "made": made, "tokens": tokens_for(request.user)[:500]}
    return render(request, "access/tokens.html", context)


@require_role(Role.VIEWER)
@require_POST
def token_revoke(request: PersonRequest, pk: int) -> HttpResponse:
    """Revoke a token: one's own, or as an administrator anybody's."""
    token = get_object_or_404(tokens_for(request.user), pk=pk)
    revoke_token(token, actor=request.user)
    messages.success(request, _("Token %(name)s is revoked.") % {"name": token.name})
    return redirect("access:tokens")


@require_role(Role.ADMIN)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def users(request: PersonRequest) -> HttpResponse:
    """List users and add one; the answer shows the link by which the new one signs in."""
    form = UserForm(request.POST if request.method == "POST" else None)
    context = {"form": form, "users": User.objects.order_by("username")[:500]}
    if form.is_valid():
        data = form.cleaned_data
        user = create_user(data["username"], role=Role(data["role"]), actor=request.user)
        return _with_link(request, user, {**context, "form": UserForm()})
    return render(request, "access/users.html", context)


@require_role(Role.ADMIN)
@never_cache
@require_POST
def user_link(request: PersonRequest, pk: int) -> HttpResponse:
    """A new sign-in link for a user who has lost the way in."""
    user = get_object_or_404(User, pk=pk, is_active=True)
    return _with_link(request, user, {"form": UserForm(), "users": User.objects.order_by("username")[:500]})


def _with_link(request: PersonRequest, user: User, context: dict[str, object]) -> HttpResponse:
    _link, secret = create_sign_in_link(user, actor=request.user)
    address = request.build_absolute_uri(reverse("access:sign_in_link", args=[secret]))
    return render(request, "access/users.html", {**context, "link_user": user, "link": address})


@require_role(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def user(request: PersonRequest, pk: int) -> HttpResponse:
    """Change a user's role, or bar them from signing in. Not one's own: the last administrator can't leave."""
    found = get_object_or_404(User.objects.exclude(username=request.user.username), pk=pk)
    form = UserChangeForm(request.POST if request.method == "POST" else None, instance=found)
    if form.is_valid():
        try:
            change_user(found, fields=form.changed_data, actor=request.user)
        except LastAdminError:
            form.add_error(None, _("Nobody else is an administrator: this would leave the team without one."))
        else:
            messages.success(request, _("%(name)s is changed.") % {"name": found.username})
            return redirect("access:users")
    return render(request, "access/user.html", {"form": form, "found": found})


@require_role(Role.ADMIN)
@require_safe
def audit(request: PersonRequest) -> HttpResponse:
    """Who did what, newest first."""
    before = request.GET.get("before", "")
    page = audit_page(int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None)
    return render(request, "access/audit.html", {"page": page})
