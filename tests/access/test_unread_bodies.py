"""Who may not send a body makes us read none of it: an upload would else be parsed, and kept on disk, before the refusal."""

from typing import Any, NoReturn

import pytest
from django.test import Client

from access.roles import Role
from tests.access.people import person, signed_in

UPLOADS = ("/lengths/new/", "/buy/quotes/import/", "/catalog/models/import/")
pytestmark = pytest.mark.django_db


class Untouchable:
    """A body that fails the test as soon as somebody reads of it."""

    def read(self, *_size: int) -> NoReturn:
        raise AssertionError("the body was read")

    readline = __iter__ = read


def upload(client: Client, path: str) -> Any:
    # With a cookie the token is looked for in the body: that is what read it.
    client.cookies["csrftoken"] = "a" * 32
    environ: Any = {
        "CONTENT_TYPE": "multipart/form-data; boundary=b",
        "CONTENT_LENGTH": "900000",
        "wsgi.input": Untouchable(),
    }
    return client.generic("POST", path, **environ)


@pytest.mark.parametrize("path", UPLOADS)
def test_upload_of_a_stranger_is_not_read(path: str) -> None:
    response = upload(Client(enforce_csrf_checks=True), path)
    assert (response.status_code, response["Location"]) == (302, f"/sign-in/?next={path}")


@pytest.mark.parametrize("path", UPLOADS)
def test_upload_of_somebody_without_the_role_is_not_read(path: str) -> None:
    response = upload(signed_in(person(Role.VIEWER), enforce_csrf_checks=True), path)
    assert response.status_code == 403


@pytest.mark.parametrize("path", UPLOADS)
def test_upload_of_an_operator_is_read(path: str) -> None:
    with pytest.raises(AssertionError, match="the body was read"):
        upload(signed_in(person(Role.OPERATOR), enforce_csrf_checks=True), path)


def test_upload_to_an_address_that_is_not_there_is_not_read() -> None:
    assert upload(Client(enforce_csrf_checks=True), "/lengths/new/nothing/").status_code == 404
