"""A browser in which somebody is signed in, and what it complains about."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client

from access.models import User


@pytest.fixture
def lead(transactional_db: None) -> User:
    """Somebody who may see everything."""
    return User.objects.create_superuser("lead", password="correct horse battery")


def session_of(user: User) -> str:
    """The session cookie of a fresh sign-in."""
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


@pytest.fixture
def plan(page: Any, lead: User, live_server: Any) -> Iterator[Any]:
    """A signed-in page. A message of the console fails the test: a refused script or style shows there."""
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session_of(lead), "url": live_server.url}]
    )
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.said = said
    yield page
    assert said == []


def serious(page: Any) -> list[tuple[str, str]]:
    """What axe finds of serious or critical impact: rule and place."""
    violations = Axe().run(page).response["violations"]
    return [
        (violation["id"], node["html"])
        for violation in violations
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
