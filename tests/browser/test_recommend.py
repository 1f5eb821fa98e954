"""The recommend page in a real browser: edits, order, differences, the way to one set-up, widths, themes, no script."""

import re
from typing import Any

import pytest
from django.conf import settings

from access.models import User
from tests.browser.conftest import serious, session_of
from tests.browser.test_plan import HEADLINE, query_of, type_into

pytestmark = pytest.mark.browser

# Two kinds of cards of one's own: a small search.
MINE = "/recommend/?oa=nvidia-l4&oa=nvidia-rtx-4090&on=4&on=2"
STATES = (MINE, f"{MINE}&tpot=1", f"{MINE}&u=abc", f"{MINE}&diff=1&sort=power&pa=nvidia-l4&pn=2500&bud=9000")


def ask(page: Any, key: str, text: str) -> None:
    """Type as a person does, and wait until the answer stands there."""
    type_into(page, key, text)
    page.wait_for_url(re.compile(rf"[?&]{key}={text}(&|$)"))


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_recommend_is_accessible_and_nothing_overflows(plan: Any, width: int, theme: str) -> None:
    plan.set_viewport_size({"width": width, "height": 900})
    plan.emulate_media(color_scheme=theme)
    for address in STATES:
        plan.goto(address)
        assert (address, serious(plan)) == (address, [])
        assert plan.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


def test_recommend_leads_from_a_question_to_one_set_up(plan: Any) -> None:
    plan.goto(MINE)
    before = plan.inner_text(HEADLINE)
    ask(plan, "tpot", "20")
    assert plan.inner_text(HEADLINE) != before
    assert plan.inner_text("#live") == plan.inner_text(HEADLINE)
    plan.click("#toggle-diff")
    plan.wait_for_url(re.compile("diff=1"))
    plan.wait_for_selector("#compare tr.is-same", state="detached")
    plan.click("#sort-power")
    plan.wait_for_url(re.compile("sort=power"))
    plan.wait_for_selector("[aria-sort=ascending] #sort-power")
    ask(plan, "u", "8")  # what is shown stays while the question changes
    assert {"sort=power", "diff=1", "u=8"} <= set(query_of(plan).split("&"))
    name = plan.inner_text("#options tbody tr:first-child a")
    plan.click("#options tbody tr:first-child a")
    plan.wait_for_url(re.compile("/plan/"))
    assert name in plan.inner_text("h1")
    assert plan.input_value("#in-u") == "8"
    plan.wait_for_selector("#winners")
    plan.said.clear()  # the browser notes that leaving a field and clicking at once abandons the first request


def test_recommend_shows_what_would_let_a_set_up_in(plan: Any) -> None:
    plan.goto(f"{MINE}&tpot=1")
    assert "is-warn" in plan.get_attribute("#answer .verdict", "class")
    plan.click("#nearest .actions a >> nth=0")
    plan.wait_for_load_state()
    assert "is-ok" in plan.get_attribute("#answer .verdict", "class")


def test_recommend_back_undoes_one_field_at_a_time(plan: Any) -> None:
    plan.goto(MINE)
    ask(plan, "u", "8")
    plan.select_option("#in-obj", "lowest_power")
    plan.wait_for_url(re.compile("obj=lowest_power"))
    plan.go_back()
    plan.wait_for_function("() => document.getElementById('in-obj')?.value === 'balanced'")
    assert plan.input_value("#in-u") == "8"


def test_recommend_says_what_is_wrong_beside_the_field_and_keeps_the_text(plan: Any) -> None:
    plan.goto(MINE)
    plan.click("#more-money > summary")
    type_into(plan, "bud", "much")
    plan.wait_for_selector("#in-bud[aria-invalid=true]")
    assert plan.inner_text("#error-bud") != ""
    assert plan.is_visible("#compare")  # the last answer stays
    type_into(plan, "bud", "9000")
    plan.wait_for_selector("#in-bud:not([aria-invalid])")


def test_recommend_without_script(browser: Any, lead: User, live_server: Any) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session_of(lead), "url": live_server.url}]
    )
    page = context.new_page()
    page.goto(MINE)
    page.fill("#in-u", "4")
    page.click(".form-foot button")
    assert "u=4" in query_of(page)
    assert "oa=nvidia-l4" in query_of(page)
    page.click("#toggle-diff")
    assert "diff=1" in query_of(page)
    page.click("#sort-power")
    assert {"sort=power", "diff=1", "u=4"} <= set(query_of(page).split("&"))
    context.close()
