"""Another version by the pages: what it changes, what others changed meanwhile, and the choice between two sides."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from access.models import User
from planner.actions.plans import archive
from planner.models import PlanVersion, SavedPlan
from tests.planner.browse.small import CARD
from tests.planner.evaluations.plans import kept_plan
from tests.planner.plans.reading import address, text_of

pytestmark = pytest.mark.django_db
# The set-up of the plan as the plan page has it in its address
SET_UP = f"a={CARD}&u=8&i=1000&o=250&len="


def opened(plan: SavedPlan, **changes: str) -> str:
    """The address of the change page of somebody who opened version 1 and edited it on the plan page."""
    edited = {"a": CARD, "u": "8", "i": "1000", "o": "250", "len": "", **changes, "sp": plan.uid, "sv": "1"}
    return address(plan, "change/?" + "&".join(f"{key}={value}" for key, value in edited.items()))


def form_of(response: Any) -> dict[str, str]:
    """The hidden fields of the form on a page."""
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', response.content.decode())
    return {name: unescape(value) for name, value in hidden if name != "csrfmiddlewaretoken"}


def save(client: Client, path: str, note: str = "why", **chosen: str) -> Any:
    """Open the change page of an address and send its form."""
    form = form_of(client.get(path))
    return client.post(path, {**form, "note": note, **{f"take:{key}": side for key, side in chosen.items()}})


def choices(response: Any) -> list[str]:
    """The fields that a page asks to choose."""
    return re.findall(r'name="take:([^"]+)" value="ours"', response.content.decode())


def newest(plan: SavedPlan) -> PlanVersion:
    return plan.versions.order_by("-number")[0]


def workload(plan: SavedPlan) -> dict[str, Any]:
    found: dict[str, Any] = newest(plan).content["request"]["workload"]
    return found


def test_change_is_shown_before_it_is_kept(client: Client, plan: SavedPlan) -> None:
    text = text_of(client.get(opened(plan, u="12")))
    assert "Save another version of chat" in text
    assert "Users at the same time 8 12" in text
    assert "begun as version 1, to be version 2" in text
    assert plan.versions.count() == 1


def test_version_needs_a_reason(client: Client, plan: SavedPlan) -> None:
    assert save(client, opened(plan, u="12"), note=" ").status_code == 422
    assert plan.versions.count() == 1


def test_version_is_kept_with_its_reason_and_differs_in_what_was_changed(
    client: Client, plan: SavedPlan
) -> None:
    done = save(client, opened(plan, u="12"), note="more users")
    assert done["Location"] == address(plan)
    assert newest(plan).note == "more users"
    assert workload(plan) == {"input_tokens": 1000, "output_tokens": 250, "concurrency": 12}
    # What the plan page states by itself (one card, no settings) is not written into the plan
    assert set(newest(plan).content["request"]) == {"model", "accelerator", "workload"}


def test_what_two_people_changed_in_different_fields_is_in_one_version(
    client: Client, plan: SavedPlan
) -> None:
    paths = opened(plan, u="12"), opened(plan, i="1500")  # both opened version 1
    save(client, paths[0])
    done = client.get(save(client, paths[1])["Location"])
    assert "Somebody else had changed Users at the same time meanwhile: that is in it too." in text_of(done)
    assert workload(plan) == {"input_tokens": 1500, "output_tokens": 250, "concurrency": 12}
    assert newest(plan).number == 3


@pytest.mark.parametrize(("side", "users"), [("theirs", 12), ("ours", 16)])
def test_field_that_both_changed_is_chosen_and_the_rest_of_both_stays(
    client: Client, plan: SavedPlan, side: str, users: int
) -> None:
    paths = opened(plan, u="12", o="200"), opened(plan, u="16", i="1500")
    form = form_of(client.get(paths[1]))  # the page of the second, before the first saves
    save(client, paths[0])
    asked = client.post(paths[1], {**form, "note": "ours"})
    assert asked.status_code == 409
    text = text_of(asked)
    assert "Somebody else kept version 2 meanwhile and changed the same." in text
    assert "Users at the same time 8 12 16" in text  # both began with, theirs, ours
    assert 'value="ours"' in asked.content.decode()
    assert plan.versions.count() == 2
    again = {**form_of(asked), "note": "ours", "take:request.workload.concurrency": side}
    assert client.post(paths[1], again)["Location"] == address(plan)
    assert workload(plan) == {"input_tokens": 1500, "output_tokens": 200, "concurrency": users}


def test_choice_made_before_yet_another_version_is_asked_again(client: Client, plan: SavedPlan) -> None:
    path = opened(plan, u="16")
    save(client, opened(plan, u="12"))
    asked = client.get(path)
    save(client, address(plan, "change/?") + opened(plan, u="20").partition("?")[2].replace("sv=1", "sv=2"))
    stale = {**form_of(asked), "note": "ours", "take:request.workload.concurrency": "ours"}
    again = client.post(path, stale)
    assert again.status_code == 409
    assert "Users at the same time 8 20 16" in text_of(again)
    assert workload(plan)["concurrency"] == 20


def test_changes_that_make_no_set_up_together_are_chosen_field_by_field(
    client: Client, operator: User
) -> None:
    plan = kept_plan(operator)
    # Two cards as two replicas by the one, four cards in one pair of pairs by the other
    first, second = opened(plan, n="2", dp="2"), opened(plan, n="4", tp="4")
    form = form_of(client.get(second))
    save(client, first)
    asked = client.post(second, {**form, "note": "four cards"})
    assert choices(asked) == ["request.count"]
    # Four cards with two replicas of four cards: nobody meant that, so the other fields are asked about too
    asked = client.post(second, {**form_of(asked), "note": "four cards", "take:request.count": "ours"})
    assert asked.status_code == 409
    assert "the two changes make no set-up together" in text_of(asked)
    assert choices(asked) == ["request.count", "request.parallelism.data", "request.parallelism.tensor"]
    ours = {f"take:{path}": "ours" for path in choices(asked)}
    assert client.post(second, {**form_of(asked), "note": "four cards", **ours})["Location"] == address(plan)
    request = newest(plan).content["request"]
    assert (request["count"], request["parallelism"]) == (4, {"tensor": 4})


def test_same_set_up_on_the_same_basis_adds_no_version(client: Client, plan: SavedPlan) -> None:
    done = client.get(save(client, opened(plan))["Location"])
    assert "Nothing differs from the newest version, so none was added." in text_of(done)
    assert plan.versions.count() == 1


@pytest.mark.parametrize("content", ["{", "[]", '{"request": {"model": 1}}', '{"request": {}, "bogus": 1}'])
def test_what_is_no_content_is_refused_with_words(client: Client, plan: SavedPlan, content: str) -> None:
    response = client.post(address(plan, "change/"), {"content": content, "sv": "1", "note": "x"})
    assert response.status_code == 422
    assert plan.versions.count() == 1


def test_version_that_does_not_exist_is_not_found(client: Client, plan: SavedPlan) -> None:
    assert client.get(address(plan, "change/?sv=7")).status_code == 404
    assert client.get(address(plan, "versions/7/")).status_code == 404
    assert client.get(address(plan, "diff/?from=7")).status_code == 404


def test_approved_plan_says_that_a_new_version_is_a_draft(client: Client, plan: SavedPlan) -> None:
    SavedPlan.objects.update(state="approved")
    assert "with a new one it is a draft again." in text_of(client.get(opened(plan, u="12")))
    save(client, opened(plan, u="12"))
    assert SavedPlan.objects.get().state == "draft"


def test_archived_plan_takes_no_version(client: Client, plan: SavedPlan, operator: User) -> None:
    form = form_of(client.get(opened(plan, u="12")))
    archive(plan, revision=1, actor=operator)
    response = client.post(opened(plan, u="12"), {**form, "note": "late"})
    assert response.status_code == 422
    assert "This plan is archived. Bring it back first." in text_of(response)
    assert plan.versions.count() == 1


def test_difference_is_named_in_words_for_request_and_answer(client: Client, plan: SavedPlan) -> None:
    save(client, opened(plan, u="12", i="1500"), note="more of both")
    text = text_of(client.get(address(plan, "diff/")))
    assert "What changed from version 1 to 2?" in text
    assert "more of both" in text
    assert "Users at the same time 8 12" in text
    assert "Input 1,000 tokens 1,500 tokens" in text
    assert re.search(r"Time per token [\d.]+ ms [\d.]+ ms", text)
    assert "request." not in text
    same = text_of(client.get(address(plan, "diff/?from=2&to=2")))
    assert "The same is asked." in same
    assert "The figures are the same." in same


def test_old_version_stays_as_it_was_answered(client: Client, plan: SavedPlan) -> None:
    save(client, opened(plan, u="12"))
    text = text_of(client.get(address(plan, "versions/1/")))
    assert "Version 1 of chat" in text
    assert "Fits: all 8 users decode at once." in text


def test_plans_stand_side_by_side_with_the_best_marked(client: Client, operator: User) -> None:
    one = kept_plan(operator, name="one")
    two = kept_plan(operator, name="two")
    save(client, opened(two, u="2"))
    path = f"/plans/compare/?id={one.uid}&id={two.uid}"
    html = client.get(path).content.decode()
    row = re.search(r"<tr><th scope=\"row\">Time per token</th>(.*?)</tr>", html)
    assert row
    # Two users wait less for each token than eight
    assert re.findall(r"<td( class=\"best\")?>", row.group(1)) == ["", ' class="best"']
    assert "Accelerator" in text_of(client.get(path))
    different = text_of(client.get(path + "&only=different"))
    assert "Users at the same time 8 2" in different
    assert "Accelerator" not in different.partition("What came out")[2]


def test_comparison_tells_what_is_missing_and_needs_two(client: Client, plan: SavedPlan) -> None:
    assert "Nothing to compare yet" in text_of(client.get("/plans/compare/"))
    text = text_of(client.get(f"/plans/compare/?id={plan.uid}&id=none"))
    assert "Some of the plans in this address do not exist." in text
    assert "Nothing to compare yet" in text
