"""The plan page in a real browser: edits, addresses, failures, keyboard, widths, themes, languages, no script."""

import re
from typing import Any

import pytest
from django.conf import settings

from access.models import User
from tests.browser.conftest import serious, session_of

pytestmark = pytest.mark.browser

HEADLINE = "#verdict-title"
SHORT_OF_MEMORY = "/plan/?m=Qwen%2FQwen2.5-14B-Instruct"


def query_of(page: Any) -> str:
    return page.url.partition("?")[2]


def type_into(page: Any, key: str, text: str) -> None:
    """Type as a person does, and wait for the answer of the last key."""
    with page.expect_response(re.compile(rf"[?&]{key}={text}(&|$)")):
        page.fill(f"#in-{key}", "")
        page.type(f"#in-{key}", text, delay=20)
    page.wait_for_function("() => !document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')")


def open_and_settle(page: Any, address: str) -> None:
    """Open a page and wait for what it loads after itself: a browser complains of requests that one walks away from."""
    page.goto(address)
    page.wait_for_selector(".others-slot > *", state="attached")


def wait_for_value(page: Any, key: str, value: str) -> None:
    page.wait_for_function(
        "([key, value]) => document.getElementById(`in-${key}`)?.value === value", arg=[key, value]
    )


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_plan_is_accessible_and_nothing_overflows(
    plan: Any, lead: User, width: int, theme: str, language: str
) -> None:
    User.objects.update(language=language)
    plan.set_viewport_size({"width": width, "height": 900})
    plan.emulate_media(color_scheme=theme)
    for address in (
        "/plan/",
        SHORT_OF_MEMORY,
        "/plan/?d=q&by=day&s=ours&tpot=20&ttft=600",
        "/plan/?n=3&tp=2&u=abc",
        "/plan/?a=",
        "/help/keyboard/",
    ):
        plan.goto(address)
        assert (address, serious(plan)) == (address, [])
        assert plan.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


def test_plan_answers_while_typing_and_keeps_the_address(plan: Any) -> None:
    plan.goto("/plan/")
    before = plan.inner_text(HEADLINE)
    assert query_of(plan) == ""
    type_into(plan, "u", "200")
    assert query_of(plan) == "u=200"
    assert plan.inner_text(HEADLINE) != before
    assert plan.inner_text("#live") == plan.inner_text(HEADLINE)
    plan.select_option("#in-kv", "fp8")
    plan.wait_for_url(re.compile("kv=fp8"))
    assert query_of(plan) == "kv=fp8&u=200"


def test_plan_is_held_against_targets(plan: Any) -> None:
    plan.goto("/plan/")
    assert plan.query_selector("#curve-card .region") is None
    type_into(plan, "tpot", "60")
    assert "meets your target" in plan.inner_text(HEADLINE)
    assert "limit 60" in plan.inner_text("#answer .figures")
    assert plan.query_selector("#curve-card .region")
    type_into(plan, "tpot", "5")
    assert "misses your target" in plan.inner_text(HEADLINE)
    assert "is-warn" in plan.get_attribute("#answer .verdict", "class")


def test_plan_preset_fills_fields_and_nothing_else(plan: Any) -> None:
    plan.goto("/plan/?kv=fp8")
    plan.click("#presets a >> text=Code")
    plan.wait_for_url(re.compile("by=day"))
    assert plan.input_value("#in-kv") == "fp8"
    assert (plan.input_value("#in-day"), plan.input_value("#in-o")) == ("5000", "150")
    assert plan.get_attribute("#presets a >> text=Code", "aria-current") == "true"
    assert plan.is_hidden("#in-u")
    assert "requests a day" in plan.inner_text("#answer .verdict")


def test_plan_switches_show_the_inputs_that_count(plan: Any) -> None:
    plan.goto("/plan/")
    assert (plan.is_visible("#in-i"), plan.is_visible("#in-i50")) == (True, False)
    plan.check("input[name=d][value=q]")
    plan.wait_for_url(re.compile("d=q"))
    assert (plan.is_visible("#in-i"), plan.is_visible("#in-i50")) == (False, True)
    assert "log-normal" in plan.inner_text("#hint-d")
    plan.check("input[name=s][value=ours]")
    plan.wait_for_url(re.compile("s=ours"))
    assert plan.is_hidden("#in-len")
    plan.check("input[name=s][value='']")
    plan.wait_for_url(re.compile(r"\?d=q$"))
    assert plan.input_value("#in-len") == "4096"


def test_plan_shows_what_else_would_do_it_without_being_asked(plan: Any) -> None:
    plan.goto("/plan/?tpot=50")
    plan.wait_for_selector(".others-slot .winner")
    type_into(plan, "u", "8")
    plan.wait_for_selector(".others-slot .winner")
    assert plan.query_selector("[aria-busy]") is None


def test_plan_figure_opens_its_working(plan: Any) -> None:
    plan.goto("/plan/")
    plan.click("#answer .figures a >> nth=0")
    plan.wait_for_selector("#term-tpot-ms[open]")
    assert plan.is_visible("#term-tpot-ms code")


def test_plan_keys_lead_to_the_pages_there_are(plan: Any) -> None:
    for key, attribute in (("r", "go-recommend"), ("c", "go-check")):
        open_and_settle(plan, "/plan/?u=4")
        address = plan.get_attribute("body", f"data-{attribute}")
        assert address, attribute
        plan.keyboard.press("g")
        plan.keyboard.press(key)
        plan.wait_for_url(re.compile(re.escape(address) + "$"))


def test_plan_back_undoes_one_field_at_a_time(plan: Any) -> None:
    plan.goto("/plan/")
    type_into(plan, "u", "200")
    plan.select_option("#in-kv", "fp8")
    plan.wait_for_url(re.compile("kv=fp8"))
    plan.go_back()
    wait_for_value(plan, "kv", "")
    assert query_of(plan) == "u=200"
    assert plan.input_value("#in-u") == "200"
    plan.go_back()
    wait_for_value(plan, "u", "16")
    assert query_of(plan) == ""


def test_plan_says_what_is_wrong_beside_the_field_and_keeps_the_text(plan: Any) -> None:
    plan.goto("/plan/")
    type_into(plan, "u", "many")
    assert plan.input_value("#in-u") == "many"
    plan.wait_for_selector("#in-u[aria-invalid=true]")
    assert plan.inner_text("#error-u") != ""
    assert plan.is_visible("#memory")  # the last pictures stay
    type_into(plan, "u", "4")
    plan.wait_for_selector("#in-u:not([aria-invalid])")
    assert plan.inner_text("#error-u") == ""


def test_plan_applies_the_change_that_is_offered(plan: Any) -> None:
    plan.goto(SHORT_OF_MEMORY)
    assert "is-crit" in plan.get_attribute("#answer .verdict", "class")
    plan.click("#changes a >> nth=0")
    plan.wait_for_url(re.compile("w="))
    assert "is-crit" not in plan.get_attribute("#answer .verdict", "class")


def test_plan_keeps_an_opened_sum_open(plan: Any) -> None:
    plan.goto("/plan/")
    plan.click("#term-kv-bytes-per-token > summary")
    type_into(plan, "u", "4")
    assert plan.get_attribute("#term-kv-bytes-per-token", "open") is not None


def test_plan_when_the_server_is_gone(plan: Any) -> None:
    plan.goto("/plan/")
    plan.route("**/plan/?*", lambda route: route.abort())
    plan.fill("#in-u", "8")
    plan.wait_for_selector("[data-swap-failed]")
    assert plan.input_value("#in-u") == "8"
    assert plan.is_visible("[data-retry]")
    plan.unroute("**/plan/?*")
    plan.click("[data-retry]")
    plan.wait_for_url(re.compile(r"\?u=8$"))
    assert plan.query_selector("[data-swap-failed]") is None
    plan.said.clear()  # the browser notes the aborted request


def test_plan_when_the_server_fails(plan: Any) -> None:
    plan.goto("/plan/")
    plan.route("**/plan/?*", lambda route: route.fulfill(status=500, headers={"X-Request-ID": "abcdef12"}))
    plan.fill("#in-u", "8")
    plan.wait_for_selector("[data-swap-failed]")
    assert plan.inner_text("[data-request-id]") == "abcdef12"
    assert plan.is_visible("#memory")
    plan.said.clear()  # the browser notes the failed request


def test_plan_when_signed_out_meanwhile(plan: Any, live_server: Any) -> None:
    plan.goto("/plan/")
    plan.context.clear_cookies()
    plan.fill("#in-u", "8")
    plan.wait_for_selector("[data-sign-in-link]")
    assert "next=%2Fplan%2F%3F" in plan.get_attribute("[data-sign-in-link]", "href")
    plan.said.clear()  # the browser notes the refused request


def test_plan_with_the_keyboard_alone(plan: Any) -> None:
    open_and_settle(plan, "/plan/")
    plan.keyboard.press("Tab")
    assert plan.evaluate("document.activeElement.className") == "skip"
    plan.keyboard.press("Enter")
    assert plan.evaluate("document.activeElement.id") == "main"
    plan.keyboard.press("/")
    assert plan.evaluate("document.activeElement.id") == "in-m"
    with plan.expect_response(re.compile(r"/plan/\?")):
        plan.keyboard.type("?")  # a shortcut is text while one types
    plan.wait_for_selector("#in-m[aria-invalid=true]")
    assert plan.is_hidden("#keys")
    plan.keyboard.press("Escape")
    assert plan.evaluate("document.activeElement.tagName") == "BODY"
    plan.keyboard.press("?")
    assert plan.is_visible("#keys")
    plan.keyboard.press("Escape")
    assert plan.is_hidden("#keys")
    plan.keyboard.press("g")
    with plan.expect_navigation():
        plan.keyboard.press("p")
    assert plan.url.endswith("/plan/")
    assert plan.input_value("#in-m") == "Qwen/Qwen2.5-7B-Instruct"


def test_plan_copies_its_own_address(plan: Any) -> None:
    plan.context.grant_permissions(["clipboard-read", "clipboard-write"])
    plan.goto("/plan/?u=4")
    plan.keyboard.press("c")
    plan.wait_for_selector("[data-copied]")
    assert plan.evaluate("navigator.clipboard.readText()") == plan.url


def test_plan_remembers_the_theme(plan: Any) -> None:
    plan.emulate_media(color_scheme="light")
    plan.goto("/plan/")
    plan.click("[data-theme-switch]")
    plan.reload()
    assert plan.evaluate("document.documentElement.dataset.theme") == "dark"


def test_language_switch_returns_to_the_same_plan(plan: Any) -> None:
    plan.goto("/plan/")
    type_into(plan, "u", "4")
    plan.click("button[lang=zh-Hans]")
    plan.wait_for_load_state()
    assert query_of(plan) == "u=4"
    assert plan.get_attribute("html", "lang") == "zh-Hans"


def test_plan_without_script(browser: Any, lead: User, live_server: Any) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session_of(lead), "url": live_server.url}]
    )
    page = context.new_page()
    page.goto("/plan/")
    page.fill("#in-u", "4")
    page.click(".form-foot button")
    assert query_of(page) == "u=4"
    page.check("input[name=by][value=day]")
    page.fill("#in-day", "900")
    page.click(".form-foot button")
    assert query_of(page) == "day=900&by=day"
    page.check("input[name=by][value='']")
    page.fill("#in-u", "4")
    page.click(".form-foot button")
    assert query_of(page) == "u=4"
    page.click("#more-config > summary")
    page.fill("#in-config", '{"model_type": "nonsense"}')
    page.click("#more-config button")
    assert page.input_value("#in-u") == "4"
    assert page.inner_text("#error-c") != ""
    context.close()
