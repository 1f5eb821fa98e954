"""What each answer tells the browser to refuse."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from access.actions import create_sign_in_link
from access.roles import Role
from config.security import address_settings
from tests.access.people import person, signed_in
from tests.test_every_url import ADDRESSES, PUBLIC

pytestmark = pytest.mark.django_db

PAGES = [
    name for name, address in ADDRESSES.items() if address.method == "GET" and address.access.scope is None
]


def policy(response: Any) -> dict[str, str]:
    """The content security policy, by directive."""
    parts = [part.strip().partition(" ") for part in response["Content-Security-Policy"].split(";")]
    return {name: value for name, _space, value in parts}


STRICT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_the_strict_headers(name: str) -> None:
    client = signed_in(person(Role.ADMIN)) if ADDRESSES[name].access != PUBLIC else Client()
    response = client.get(reverse(name, kwargs=ADDRESSES[name].args))
    expected = {**STRICT, "img-src": "'self' data:"} if name == "api_docs" else STRICT
    assert policy(response) == expected
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in response["Permissions-Policy"]


@pytest.mark.parametrize("path", ["/nothing", "/api/nothing", "/static/css/base.css"])
def test_errors_and_files_have_them_too(path: str) -> None:
    response = Client().get(path)
    assert policy(response) == STRICT
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_code_or_style_in_it(name: str) -> None:
    client = signed_in(person(Role.ADMIN)) if ADDRESSES[name].access != PUBLIC else Client()
    response = client.get(reverse(name, kwargs=ADDRESSES[name].args))
    if not response["Content-Type"].startswith("text/html"):
        return
    page = response.content.decode()
    assert [word for word in (" style=", "<style", " onclick=", "javascript:") if word in page] == []
    assert page.count("<script") == page.count("<script src=")


def test_session_cookie_is_kept_from_scripts_and_other_sites() -> None:
    _link, secret = create_sign_in_link(person(), actor=None)
    cookie = Client().post(f"/sign-in/{secret}/").cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_site_with_tls_redirects_plain_requests_and_not_its_probes(settings: Any) -> None:
    tls = address_settings("https://deck.example", hosts=[], plain_http=False, trusted_proxies=1)
    for name, value in tls.items():
        setattr(settings, name, value)
    plain = Client(headers={"Host": "deck.example"})
    behind = Client(headers={"Host": "deck.example", "X-Forwarded-Proto": "https"})
    assert plain.get("/sign-in/")["Location"] == "https://deck.example/sign-in/"
    assert plain.get("/healthz").status_code == 200
    answer = behind.get("/sign-in/")
    assert answer.status_code == 200
    assert answer["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    assert answer.cookies["csrftoken"]["secure"] is True
