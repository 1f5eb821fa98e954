"""The page of the REST interface works under the strict policy, in a real browser."""

from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_docs_are_drawn_and_nothing_is_refused(page: Any) -> None:
    said: list[str] = []
    page.on(
        "console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto("/api/docs/")
    page.wait_for_selector(".swagger-ui .info .title")
    assert "Decodeck" in page.inner_text(".swagger-ui .info .title")
    assert said == []
