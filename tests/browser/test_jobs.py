"""Four jobs planned as a newcomer would: a preset, a model, the first option, and the command that starts it."""

import re
from typing import Any

import pytest

from planner.answers.command_checks import answer
from planner.queries import shipped_catalog
from tests.browser.conftest import serious
from tests.browser.test_plan import HEADLINE

pytestmark = pytest.mark.browser

JOBS = (
    # preset, model, other changes of the form by key, program that the command calls
    ("Chat", "meta-llama/Llama-3.1-8B-Instruct", {}, "vllm serve"),
    ("Code", "Qwen/Qwen2.5-Coder-32B-Instruct", {}, "vllm serve"),
    ("Long texts", "Qwen/Qwen2.5-14B-Instruct", {"obj": "highest_throughput"}, "vllm serve"),
    ("Edge", "Qwen/Qwen2.5-3B-Instruct", {}, "llama-server"),
)


def fill(page: Any, key: str, value: str) -> None:
    """Put a value into a field of the form and wait until the answer for it stands there."""
    field = page.locator(f"#in-{key}")
    with page.expect_response(lambda response: f"{key}=" in response.url):
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
            field.blur()
    page.wait_for_url(re.compile(rf"[?&]{key}="))
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize(("preset", "model", "changes", "program"), JOBS, ids=[job[0] for job in JOBS])
def test_job_is_planned_from_the_pages_alone(
    plan: Any, preset: str, model: str, changes: dict[str, str], program: str
) -> None:
    plan.goto("/recommend/")
    plan.click(f".chip:text-is('{preset}')")
    plan.wait_for_selector(f".chip[aria-current]:text-is('{preset}')")
    fill(plan, "m", model)
    for key, value in changes.items():
        fill(plan, key, value)
    assert "is-ok" in plan.get_attribute("#answer .verdict", "class")
    assert serious(plan) == []

    plan.click("#options tbody tr:first-child a")
    plan.wait_for_url(re.compile("/plan/"))
    plan.wait_for_load_state("networkidle")
    assert plan.input_value("#in-m") == model
    assert "is-ok" in plan.get_attribute("#answer .verdict", "class"), plan.inner_text(HEADLINE)
    command = plan.locator("#command pre").first.inner_text()
    assert program in command

    (checked,) = answer([{"command": command}], catalog=shipped_catalog())
    assert [item for item in checked["problems"] if item["severity"] == "error"] == []
    plan.said.clear()  # leaving a field and clicking at once abandons a request, which the browser notes
