"""Pages that stand when other things have failed: without request, user, session or database."""

import pytest
from django.template.loader import get_template
from django.utils import translation

PAGES = ["400.html", "403_csrf.html", "413.html", "500.html"]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("name", PAGES)
def test_page_of_failure_needs_nothing(name: str, language: str) -> None:
    with translation.override(language):
        html = get_template(name).render()
    assert "<h1>" in html
    assert f'lang="{"zh-Hans" if language == "zh-hans" else "en"}"' in html
    assert 'href="/static/css/base.css"' in html


@pytest.mark.parametrize("name", ["403.html", "404.html", "keyboard.html"])
def test_page_in_the_frame_renders_without_a_request(name: str) -> None:
    assert "<h1>" in get_template(name).render()
