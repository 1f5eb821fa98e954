"""Two people at one plan at the same time, each in a browser of their own: no change is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from access.models import User
from access.roles import Role
from planner.models import SavedPlan
from tests.access.people import person
from tests.browser.conftest import serious, session_of
from tests.planner.browse.small import CARD, small_catalog
from tests.planner.evaluations.plans import kept_plan

SAVE = "main button[type=submit].is-primary"
CONFLICT = "the server responded with a status of 409"


@pytest.fixture
def plan(transactional_db: None, tmp_path: Path) -> SavedPlan:
    """Eight users of Qwen2.5 7B on one L4."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    small_catalog(folder)
    return kept_plan(person(Role.OPERATOR, name="ada"))


@pytest.fixture
def editors(browser: Any, live_server: Any, plan: SavedPlan) -> Iterator[tuple[Any, Any]]:
    """Ada and Grace, each in a browser of their own. What a console complains about fails the test."""
    said: list[str] = []
    contexts = []
    for user in (User.objects.get(username="ada"), person(Role.APPROVER, name="grace")):
        context = browser.new_context(base_url=live_server.url)
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session_of(user), "url": live_server.url}
        context.add_cookies([cookie])
        contexts.append(context)
    pages = [context.new_page() for context in contexts]
    for page in pages:
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
    yield pages[0], pages[1]
    for context in contexts:
        context.close()
    assert [text for text in said if CONFLICT not in text] == []


def edit(page: Any, plan: SavedPlan, key: str, value: str) -> None:
    """Open the set-up of a plan on the plan page and type another value there."""
    page.goto(f"/plans/{plan.uid}/")
    page.get_by_role("link", name="Change the set-up").click()
    page.locator(f"#in-{key}").fill(value)
    page.wait_for_url(f"**{key}={value}*")
    link = page.get_by_role("link", name="Save as another version")
    page.wait_for_function(
        "part => document.querySelector('#plan-actions a.is-primary').href.includes(part)",
        arg=f"{key}={value}",
    )
    link.click()
    page.wait_for_url("**/change/**")


def save(page: Any, note: str) -> None:
    page.locator("#id_note").fill(note)
    page.locator(SAVE).click()
    page.wait_for_load_state()


def request_of(plan: SavedPlan) -> dict[str, Any]:
    newest = plan.versions.order_by("-number")[0]
    request: dict[str, Any] = newest.content["request"]
    return request


def test_changes_of_two_editors_are_both_in_the_newest_version(
    editors: tuple[Any, Any], plan: SavedPlan
) -> None:
    ada, grace = editors
    edit(ada, plan, "u", "12")
    edit(grace, plan, "i", "1500")
    save(ada, "more users")
    save(grace, "longer prompts")
    told = grace.get_by_text("Version 3 is kept. Somebody else had changed Users at the same time meanwhile")
    assert told.is_visible()
    assert request_of(plan) == {
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "accelerator": CARD,
        "workload": {"input_tokens": 1500, "output_tokens": 250, "concurrency": 12},
    }


def test_one_field_changed_by_two_editors_stands_side_by_side(
    editors: tuple[Any, Any], plan: SavedPlan
) -> None:
    ada, grace = editors
    edit(ada, plan, "u", "12")
    edit(grace, plan, "u", "20")
    save(ada, "twelve")
    save(grace, "twenty")
    row = grace.locator("table.choices tbody tr")
    assert row.locator("th, td").all_inner_texts() == ["Users at the same time", "8", "12", "20"]
    assert grace.locator("#id_note").input_value() == "twenty"
    assert serious(grace) == []
    assert request_of(plan)["workload"]["concurrency"] == 12
    row.get_by_role("radio").nth(1).check()
    grace.locator(SAVE).click()
    grace.wait_for_url(f"**/plans/{plan.uid}/")
    assert request_of(plan)["workload"]["concurrency"] == 20
    assert [version.note for version in plan.versions.all()] == ["twenty", "twelve", ""]


def test_notes_of_two_editors_stand_side_by_side(editors: tuple[Any, Any], plan: SavedPlan) -> None:
    ada, grace = editors
    for page in editors:
        page.goto(f"/plans/{plan.uid}/edit/")
    ada.locator("#id_notes").fill("from Ada")
    ada.locator(SAVE).click()
    grace.locator("#id_notes").fill("from Grace")
    grace.locator("#id_name").fill("chat, second quarter")
    grace.locator(SAVE).click()
    grace.get_by_text("from Ada").wait_for()
    assert grace.locator("#id_notes").input_value() == "from Grace"
    grace.locator(SAVE).click()
    grace.wait_for_url(f"**/plans/{plan.uid}/")
    kept = SavedPlan.objects.get()
    assert (kept.name, kept.notes) == ("chat, second quarter", "from Grace")
