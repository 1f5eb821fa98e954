"""Users: the pages of an administrator, and what each person sets for themself."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from access.models import AuditEvent, User
from access.roles import Role
from tests.access.people import person, signed_in

pytestmark = pytest.mark.django_db


def test_roles_include_those_before_them() -> None:
    assert [[role.may(needed) for needed in Role] for role in Role] == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, True, True, True],
    ]


@pytest.mark.parametrize("name", ["Ada", "ADA", "ada"])
def test_two_names_do_not_differ_by_case_only(name: str) -> None:
    person(name="ada")
    with pytest.raises(ValidationError):
        person(name=name)


def test_names_that_only_capitals_make_alike_are_two_people() -> None:
    # The capital of a Turkish dotless i is I, and PostgreSQL compares capitals where it's told to ignore case
    ada, other = person(name="admin"), person(name="adm\u0131n")
    assert [User.objects.get_by_natural_key(name) for name in ("admin", "ADMIN", "adm\u0131n")] == [
        ada,
        ada,
        other,
    ]


def test_new_user_signs_in_by_the_link_that_is_shown() -> None:
    answer = signed_in(person(Role.ADMIN)).post("/account/users/", {"username": "bob", "role": "operator"})
    link = answer.context["link"]
    assert link in answer.content.decode()
    client = Client()
    assert client.post(link.removeprefix("http://testserver")).status_code == 302
    assert User.objects.get(username="bob").role == Role.OPERATOR


@pytest.mark.parametrize("name", ["", "a b", "<script>", "x" * 151, "admin"])
def test_name_that_cannot_be_is_refused_with_its_field(name: str) -> None:
    answer = signed_in(person(Role.ADMIN)).post("/account/users/", {"username": name, "role": "viewer"})
    assert answer.status_code == 200
    assert answer.context["form"].has_error("username")
    assert User.objects.count() == 1


def test_barring_someone_ends_their_session() -> None:
    admin, bob = person(Role.ADMIN), person(name="bob")
    browser = signed_in(bob)
    changed = signed_in(admin).post(f"/account/users/{bob.pk}/", {"role": "viewer"})
    assert changed.status_code == 302
    assert browser.get("/account/").status_code == 302
    event = AuditEvent.objects.first()
    assert event is not None
    assert (event.action, event.data) == ("user.change", {"is_active": False})


def test_nobody_changes_their_own_role() -> None:
    admin = person(Role.ADMIN)
    assert signed_in(admin).post(f"/account/users/{admin.pk}/", {"role": "viewer"}).status_code == 404


@pytest.mark.urls("tests.access.urls")
def test_person_is_answered_in_their_language_and_time_zone() -> None:
    user = person(name="li")
    User.objects.update(language="zh-hans", time_zone="Asia/Shanghai")
    asked = {"Accept-Language": "en"}
    assert signed_in(user).get("/whoami", headers=asked).content == b"li Asia/Shanghai zh-hans"
    assert Client().get("/whoami", headers=asked).content == b"nobody UTC en"
    assert Client().get("/whoami", headers={"Accept-Language": "zh-CN"}).content == b"nobody UTC zh-hans"


def test_switch_of_language_holds_in_the_browser_and_for_the_person() -> None:
    user = person()
    client = signed_in(user)
    answer = client.post("/language/", {"language": "zh-hans", "next": "/account/"})
    assert answer["Location"] == "/account/"
    assert client.cookies["django_language"].value == "zh-hans"
    user.refresh_from_db()
    assert user.language == "zh-hans"


@pytest.mark.parametrize("language", ["", "xx", "de", "../etc", "zh-hans; Secure"])
def test_language_that_we_do_not_speak_changes_nothing(language: str, client: Client) -> None:
    answer = client.post("/language/", {"language": language, "next": "https://evil.example/"})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert "django_language" not in client.cookies


@pytest.mark.parametrize(("name", "field"), [("time_zone", "Mars/Base"), ("language", "xx"), ("email", "x")])
def test_account_refuses_what_it_does_not_know(name: str, field: str) -> None:
    form: dict[str, Any] = {"time_zone": "UTC", "language": "", "email": "", name: field}
    answer = signed_in(person()).post("/account/", form)
    assert answer.context["form"].has_error(name)


def test_account_cannot_raise_its_own_role() -> None:
    user = person()
    signed_in(user).post("/account/", {"time_zone": "UTC", "language": "", "role": "admin"})
    user.refresh_from_db()
    assert user.role == Role.VIEWER
