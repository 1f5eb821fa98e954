"""The pages of access in a real browser: nothing is refused by the policy, and axe finds nothing serious."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from access.actions import create_sign_in_link, create_token, first_admin
from access.models import User
from access.scopes import Scope

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = [
    "/account/",
    "/account/password/",
    "/account/tokens/",
    "/account/users/",
    "/account/audit/",
]


def serious(page: Any) -> list[tuple[str, str]]:
    """What axe finds of serious or critical impact: rule and place."""
    found = Axe().run(page).response["violations"]
    return [
        (violation["id"], node["html"])
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_are_accessible_and_nothing_is_refused(page: Any, language: str, theme: str) -> None:
    admin = first_admin()
    User.objects.update(language=language)
    create_token(admin, name="script", scopes=list(Scope), days=1, actor=admin)
    _link, secret = create_sign_in_link(admin, actor=None)
    said: list[str] = []
    page.on(
        "console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None
    )
    page.emulate_media(color_scheme=theme)
    page.goto("/sign-in/")
    assert serious(page) == []
    page.goto(f"/sign-in/{secret}/?next=/account/")
    assert serious(page) == []
    page.click("main button")
    for path in PAGES:
        page.goto(path)
        assert page.url.endswith(path)
        assert (path, serious(page)) == (path, [])
    # axe itself is put into the page by the driver, past the policy; what the pages load is not.
    assert said == []
