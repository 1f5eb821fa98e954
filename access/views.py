"""Signing in and out, and the pages of the person who is signed in."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from access.actions import record_audit, set_language, set_password, use_sign_in_link
from access.declare import PersonRequest, public, require_role
from access.forms import AccountForm, PasswordForm, SignInForm, SignInLinkForm
from access.queries import link_of
from access.roles import Role

PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"  # noqa: S105  # a class, not a password


def next_address(request: HttpRequest) -> str:
    """Where the person wanted to go, if that is a page of ours."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if ours else resolve_url(settings.LOGIN_REDIRECT_URL)


@public
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in by name and password."""
    if request.user.is_authenticated:
        return redirect(next_address(request))
    form = SignInForm(request, request.POST if request.method == "POST" else None)
    if form.is_valid():
        login(request, form.get_user())
        record_audit("sign_in", actor=form.get_user())
        return redirect(next_address(request))
    status = 429 if form.is_bound and form.is_locked_out() else 200
    return render(
        request, "access/sign_in.html", {"form": form, "next": next_address(request)}, status=status
    )


@public
@never_cache
@sensitive_post_parameters("password", "repeated")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Sign in by a one-time link. Opening it only shows a button: previews of links open them too."""
    link = link_of(secret)
    if link is None or not link.is_live:
        return render(request, "access/sign_in_link_dead.html", status=410)
    form = SignInLinkForm(link.user, request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return render(request, "access/sign_in_link.html", {"form": form, "link": link})
    if not use_sign_in_link(link, password=form.cleaned_data["password"]):
        return render(request, "access/sign_in_link_dead.html", status=410)
    login(request, link.user, backend=PASSWORD_BACKEND)
    return redirect(next_address(request))


@require_role(Role.VIEWER)
@require_POST
def sign_out(request: PersonRequest) -> HttpResponse:
    """End this session."""
    logout(request)
    return redirect("access:sign_in")


@require_role(Role.VIEWER)
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: PersonRequest) -> HttpResponse:
    """Mail address, language and time zone."""
    form = AccountForm(request.POST if request.method == "POST" else None, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, _("Your settings are saved."))
        return redirect("access:account")
    return render(request, "access/account.html", {"form": form})


@require_role(Role.VIEWER)
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: PersonRequest) -> HttpResponse:
    """Change one's own password."""
    form = PasswordForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        set_password(request.user, password=form.cleaned_data["new_password1"], actor=request.user)
        update_session_auth_hash(request, request.user)
        messages.success(request, _("Your password is changed. Other sessions of yours have ended."))
        return redirect("access:account")
    return render(request, "access/password.html", {"form": form})


@public
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Speak another language from now on: in this browser, and for a person signed in everywhere."""
    language = request.POST.get("language", "")
    response = redirect(next_address(request))
    if not translation.check_for_language(language) or language not in dict(settings.LANGUAGES):
        return response
    if request.user.is_authenticated:
        set_language(request.user, language=language)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response
