"""Signing in: by password within limits, and by a link that works once."""

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from access.actions import change_user, create_sign_in_link, set_password
from access.counters import FAILED_SIGN_INS_PER_ADDRESS, FAILED_SIGN_INS_PER_NAME
from access.models import AuditEvent, Counter, SignInLink, User
from access.roles import Role
from tests.access.people import person, signed_in

pytestmark = pytest.mark.django_db
PASSWORD = "four words of mine"


@pytest.fixture(autouse=True)
def _fast_hashing(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("Ada", password=PASSWORD)


def sign_in(client: Client, name: str, password: str, **extra: Any) -> Any:
    return client.post("/sign-in/", {"username": name, "password": password, **extra})


def is_signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_password_signs_in_whatever_the_case_of_the_name(ada: User, client: Client) -> None:
    assert sign_in(client, "aDA", PASSWORD, next="/account/")["Location"] == "/account/"
    assert is_signed_in(client)
    assert list(AuditEvent.objects.values_list("action", "actor")) == [("sign_in", ada.pk)]


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example", "//evil.example", "javascript:alert(1)", "/\\evil"]
)
def test_sign_in_leads_to_our_own_pages_only(ada: User, client: Client, elsewhere: str) -> None:
    assert sign_in(client, "ada", PASSWORD, next=elsewhere)["Location"] == "/"


def test_blank_password_does_not_start_the_count_of_wrong_ones_anew(ada: User, client: Client) -> None:
    for _ in range(FAILED_SIGN_INS_PER_NAME):
        sign_in(client, "ada", "wrong")
        sign_in(client, "ada", "")
    assert sign_in(client, "ada", PASSWORD).status_code == 429


def test_name_longer_than_a_name_can_be_is_refused(client: Client) -> None:
    page = sign_in(client, "x" * 100_000, PASSWORD)
    assert page.status_code == 200
    assert list(page.context["form"].errors) == ["username"]


def test_wrong_password_and_unknown_name_get_the_same_answer(ada: User) -> None:
    def text(name: str) -> str:
        page = sign_in(Client(), name, "wrong").content.decode()
        return re.sub(r'(csrfmiddlewaretoken" value|name="username" value)="[^"]*"', "", page)

    assert text("ada") == text("nobody")


def test_barred_user_gets_the_same_answer_as_a_wrong_password(ada: User, client: Client) -> None:
    User.objects.update(is_active=False)
    answer = sign_in(client, "ada", PASSWORD)
    assert answer.context["form"].has_error("__all__", code="invalid_login")


def test_too_many_tries_lock_this_name_from_this_address_only(ada: User) -> None:
    tries = [sign_in(Client(), "ada", "wrong").status_code for _ in range(FAILED_SIGN_INS_PER_NAME)]
    assert tries == [200] * FAILED_SIGN_INS_PER_NAME
    assert sign_in(Client(), "ADA", PASSWORD).status_code == 429
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert sign_in(elsewhere, "ada", PASSWORD).status_code == 302


def test_lock_ends_with_its_window(ada: User, client: Client) -> None:
    for _ in range(FAILED_SIGN_INS_PER_NAME + 1):
        sign_in(client, "ada", "wrong")
    Counter.objects.update(expires_at=timezone.now())
    assert sign_in(client, "ada", PASSWORD).status_code == 302


def test_success_starts_the_count_anew(ada: User) -> None:
    for _ in range(3):
        for _ in range(FAILED_SIGN_INS_PER_NAME - 1):
            sign_in(Client(), "ada", "wrong")
        assert sign_in(Client(), "ada", PASSWORD).status_code == 302


def test_one_address_that_tries_many_names_is_locked(ada: User, client: Client) -> None:
    for number in range(FAILED_SIGN_INS_PER_ADDRESS):
        sign_in(client, f"name{number}", "wrong")
    assert sign_in(client, "ada", PASSWORD).status_code == 429


@pytest.mark.parametrize("name", ["", "x" * 10_000, "\x00", "<script>", "名" * 100])
def test_odd_name_is_answered(client: Client, name: str) -> None:
    assert sign_in(client, name, "wrong").status_code == 200


def test_forwarded_address_counts_only_behind_our_own_proxy(ada: User, settings: Any) -> None:
    def locked(number: int) -> bool:
        client = Client(headers={"X-Forwarded-For": f"198.51.100.{number}"})
        return bool(sign_in(client, "ada", "wrong").status_code == 429)

    settings.TRUSTED_PROXIES = 0
    assert [locked(number) for number in range(FAILED_SIGN_INS_PER_NAME + 1)][-1]
    settings.TRUSTED_PROXIES = 1
    assert not locked(200)


def test_signing_out_takes_a_post(ada: User) -> None:
    client = signed_in(ada)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").status_code == 302
    assert not is_signed_in(client)


def test_password_change_ends_the_other_sessions(ada: User) -> None:
    here, there = signed_in(ada), signed_in(ada)
    new = {"old_password": PASSWORD, "new_password1": "five other words", "new_password2": "five other words"}
    assert here.post("/account/password/", new).status_code == 302
    assert (is_signed_in(here), is_signed_in(there)) == (True, False)
    assert AuditEvent.objects.filter(action="user.password", actor=ada).count() == 1


def link_for(user: User) -> str:
    _link, secret = create_sign_in_link(user, actor=None)
    return f"/sign-in/{secret}/"


def test_opening_a_link_does_not_use_it_up() -> None:
    address = link_for(person())
    assert [Client().get(address).status_code for _ in range(3)] == [200, 200, 200]
    assert SignInLink.objects.get().used_at is None


def test_link_signs_in_once() -> None:
    address, client = link_for(person()), Client()
    assert client.post(address).status_code == 302
    assert is_signed_in(client)
    assert Client().post(address).status_code == 410
    assert Client().get(address).status_code == 410


def test_newer_link_ends_the_older_one() -> None:
    user = person()
    older, newer, other = link_for(user), link_for(user), link_for(person(name="bob"))
    assert [Client().get(address).status_code for address in (older, newer, other)] == [410, 200, 200]


def test_link_in_wrong_hands_does_not_outlive_a_new_password_or_a_bar(ada: User) -> None:
    address = link_for(ada)
    set_password(ada, password="five other words", actor=ada)
    assert Client().get(address).status_code == 410
    address = link_for(ada)
    for active in (False, True):
        ada.is_active = active
        change_user(ada, fields=["is_active"], actor=person(Role.ADMIN, name=f"admin-{active}"))
    assert Client().get(address).status_code == 410


def test_link_sets_a_password_that_is_good_enough() -> None:
    user = person()
    address, client = link_for(user), Client()
    weak = client.post(address, {"password": "1234", "repeated": "1234"})
    assert weak.context["form"].has_error("password", code="password_too_short")
    differing = client.post(address, {"password": PASSWORD, "repeated": "other"})
    assert differing.context["form"].has_error("repeated")
    assert client.post(address, {"password": PASSWORD, "repeated": PASSWORD}).status_code == 302
    user.refresh_from_db()
    assert user.check_password(PASSWORD)


@pytest.mark.parametrize("change", ["expired", "barred"])
def test_link_of_the_past_or_of_someone_barred_is_dead(change: str) -> None:
    user = person()
    address = link_for(user)
    if change == "expired":
        SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    else:
        User.objects.update(is_active=False)
    assert Client().post(address).status_code == 410
    assert not User.objects.filter(last_login__isnull=False).exists()


def test_command_makes_the_first_administrator_once() -> None:
    def run(**options: Any) -> str:
        out = StringIO()
        call_command("sign_in_link", stdout=out, stderr=StringIO(), **options)
        return out.getvalue().strip()

    first, second = run(), run(address="https://deck.example/")
    assert first.startswith("http://localhost:8000/sign-in/")
    assert second.startswith("https://deck.example/sign-in/")
    assert list(User.objects.values_list("username", "role")) == [("admin", Role.ADMIN)]
    client = Client()
    assert client.post(second.removeprefix("https://deck.example")).status_code == 302
    assert is_signed_in(client)


def test_command_for_an_unknown_user_fails() -> None:
    with pytest.raises(CommandError, match="no user 'eve'"):
        call_command("sign_in_link", username="eve")


def test_command_says_when_the_first_administrators_name_is_taken() -> None:
    person(Role.VIEWER, name="admin")
    with pytest.raises(CommandError, match="'admin' is taken"):
        call_command("sign_in_link")
