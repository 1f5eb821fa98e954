"""The pages of one's own cards and of the reference sheet in a real browser: access, widths, edits, no script."""

import re
from typing import Any

import pytest

from access.models import User
from tests.browser.conftest import serious

pytestmark = pytest.mark.browser

ADDRESSES = (
    "/fits/",
    "/fits/?n=2&tpot=30&fam=qwen3&sort=users",
    "/fits/?q=nothing-like-this",
    "/fits/?u=abc",
    "/reference/",
)


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_lists_are_accessible_and_nothing_overflows(
    plan: Any, lead: User, width: int, theme: str, language: str
) -> None:
    User.objects.update(language=language)
    plan.set_viewport_size({"width": width, "height": 900})
    plan.emulate_media(color_scheme=theme)
    for address in ADDRESSES:
        plan.goto(address)
        assert (address, serious(plan)) == (address, [])
        assert plan.evaluate("document.documentElement.scrollWidth") <= width


def test_typing_a_name_narrows_the_list_and_the_address(plan: Any) -> None:
    plan.goto("/fits/")
    with plan.expect_response(re.compile(r"[?&]q=gpt-oss(&|$)")):
        plan.type("#in-q", "gpt-oss", delay=20)
    plan.wait_for_load_state("networkidle")
    plan.wait_for_function("() => document.querySelectorAll('#rest tbody tr').length < 5")
    assert "q=gpt-oss" in plan.url
    assert "openai/gpt-oss-20b" in plan.text_content("#rest")
    plan.go_back()
    plan.wait_for_function("() => document.querySelectorAll('#rest tbody tr').length > 20")


def test_another_card_asks_the_question_anew(plan: Any) -> None:
    plan.goto("/fits/")
    with plan.expect_response(re.compile("a=nvidia-l4(&|$)")):
        plan.select_option("#in-a", "nvidia-l4")
    plan.wait_for_load_state("networkidle")
    plan.wait_for_function("() => document.getElementById('plan-title').textContent.includes('L4')")


def test_row_of_a_list_opens_as_a_plan(plan: Any) -> None:
    plan.goto("/reference/")
    plan.click("#sheet tbody a")
    plan.wait_for_selector("#verdict-title")
    assert plan.url.partition("?")[0].endswith("/plan/")
    plan.wait_for_load_state("networkidle")
