"""What a set-up costs and what a budget buys, in a real browser: widths, themes, an edit, a sort, the way to the sum."""

import re
from typing import Any

import pytest

from tests.browser.conftest import serious
from tests.browser.test_plan import HEADLINE, type_into

pytestmark = pytest.mark.browser

STATES = (
    "/buy/costs/",
    "/buy/costs/?ps=public&rent=0.5",
    "/buy/costs/?pue=9",
    "/buy/budget/",
    "/buy/budget/?ps=public",
    "/buy/budget/?lo=900000",
)


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_costs_are_accessible_and_nothing_overflows(plan: Any, width: int, theme: str) -> None:
    plan.set_viewport_size({"width": width, "height": 900})
    plan.emulate_media(color_scheme=theme)
    for address in STATES:
        plan.goto(address)
        assert (address, serious(plan)) == (address, [])
        assert plan.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


def test_budget_leads_to_the_cost_of_a_set_up(plan: Any) -> None:
    plan.goto("/buy/budget/")
    plan.check("#in-ps")
    plan.wait_for_url(re.compile("ps=public"))
    plan.wait_for_selector("#set-ups")
    type_into(plan, "hi", "400000")
    plan.wait_for_url(re.compile("hi=400000"))
    assert plan.inner_text("#live") == plan.inner_text(HEADLINE)
    plan.press("#in-hi", "Tab")
    plan.click("#sort-purchase")
    plan.wait_for_url(re.compile("sort=purchase"))
    plan.wait_for_selector("[aria-sort=ascending] #sort-purchase")
    name = plan.inner_text("#set-ups tbody tr:first-child th > a")
    plan.click("#set-ups tbody tr:first-child th > a")
    plan.wait_for_url(re.compile("/buy/costs/"))
    assert name in plan.inner_text("h1")
    plan.click("#term-power summary")
    assert "PUE" in plan.inner_text("#term-power")
    plan.said.clear()  # the browser notes that leaving a field and clicking at once abandons the first request
