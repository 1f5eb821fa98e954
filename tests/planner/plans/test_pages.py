"""The pages of saved plans: the list, a new one, one plan, and who may do what with it."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext

from access.models import User
from access.roles import Role
from planner.actions.plans import comment, share, take_step
from planner.models import PlanVersion, SavedPlan
from tests.access.people import person, signed_in
from tests.planner.browse.small import CARD
from tests.planner.evaluations.plans import kept_plan
from tests.planner.plans.reading import address, text_of

pytestmark = pytest.mark.django_db
PLANS = "/plans/"
HX = {"HX-Request": "true"}
SET_UP = f"a={CARD}&u=8&i=1000&o=250"


def names(response: Any) -> list[str]:
    return re.findall(r'/plans/[a-z0-9]+/">([^<]*)</a>', response.content.decode())


def test_list_without_plans_offers_the_first_step(client: Client) -> None:
    text = text_of(client.get(PLANS))
    assert "What did we plan, and does it still hold?" in text
    assert "None yet" in text
    assert 'href="/plan/"' in client.get(PLANS).content.decode()


def test_list_is_searched_filtered_and_sorted_by_its_address(client: Client, operator: User) -> None:
    for name in ("alpha", "beta", "gamma"):
        kept_plan(operator, name=name)
    grace = person(Role.APPROVER, name="grace")
    beta = SavedPlan.objects.get(name="beta")
    take_step(beta, "propose", revision=1, reason="", actor=operator)
    SavedPlan.objects.filter(name="gamma").update(owner=grace)
    assert names(client.get(PLANS)) == ["beta", "gamma", "alpha"]  # newest change first
    assert names(client.get(PLANS, {"sort": "name"})) == ["alpha", "beta", "gamma"]
    assert names(client.get(PLANS, {"q": "alph"})) == ["alpha"]
    assert names(client.get(PLANS, {"state": "proposed"})) == ["beta"]
    assert names(client.get(PLANS, {"owner": "Grace"})) == ["gamma"]
    assert names(client.get(PLANS, {"accelerator": "l4", "sort": "-name"})) == ["gamma", "beta", "alpha"]
    assert "None match" in text_of(client.get(PLANS, {"model": "llama"}))


def test_list_loaded_by_htmx_is_the_list_alone(client: Client, plan: SavedPlan) -> None:
    response = client.get(PLANS, headers=HX)
    assert "<html" not in response.content.decode()
    assert names(response) == ["chat"]


def queries_of(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as caught:
        assert client.get(path).status_code == 200
    return len(caught)


def many(plan: SavedPlan, places: range) -> None:
    """More of a plan, as rows."""
    version = PlanVersion.objects.get(plan=plan)
    for place in places:
        copy = SavedPlan.objects.get(pk=plan.pk)
        copy.pk, copy.uid, copy.name = None, f"copy{place:04}", f"copy {place}"
        copy.save()
        PlanVersion.objects.create(
            plan=copy,
            number=1,
            content=version.content,
            answer=version.answer,
            basis=version.basis,
            author=version.author,
        )


def test_list_costs_as_many_queries_with_50_plans_as_with_5(client: Client, plan: SavedPlan) -> None:
    many(plan, range(4))
    few = queries_of(client, PLANS)
    many(plan, range(4, 49))
    assert SavedPlan.objects.count() == 50
    assert queries_of(client, PLANS) == few


def test_set_up_of_an_address_is_kept_under_a_name(client: Client, operator: User) -> None:
    page = client.get(f"/plans/new/?{SET_UP}")
    assert "Qwen2.5-7B-Instruct · 1 × L4 · vLLM" in text_of(page)
    form = {"query": SET_UP, "name": "chat", "note": "cheapest", "notes": "for chat\r\nsecond line"}
    response = client.post("/plans/new/", form)
    plan = SavedPlan.objects.get()
    assert response["Location"] == address(plan)
    assert (plan.name, plan.notes, plan.owner, plan.accelerator) == (
        "chat",
        "for chat\nsecond line",
        operator,
        CARD,
    )
    version = PlanVersion.objects.get()
    assert version.note == "cheapest"
    assert version.content["request"]["workload"] == {
        "input_tokens": 1000,
        "output_tokens": 250,
        "concurrency": 8,
    }


def test_currency_prices_and_length_log_of_an_address_are_kept(client: Client) -> None:
    query = f"{SET_UP}&cur=cny&ps=public&ll=abcdefghij"
    client.post("/plans/new/", {"query": query, "name": "chat"})
    content = PlanVersion.objects.get().content
    assert content["bill"] == {"currency": "CNY"}
    assert content["price_source"] == "public"
    assert content["length_log"] == "abcdefghij"
    plan = SavedPlan.objects.get()
    assert "&amp;ll=abcdefghij" in client.get(address(plan)).content.decode()


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"query": SET_UP, "name": ""}, "This field is required."),
        ({"query": SET_UP, "name": "x" * 121}, "at most 120 characters"),
        ({"query": "a=no-such-card", "name": "chat"}, "no-such-card"),
        ({"query": "n=2&tp=4", "name": "chat"}, "This set-up cannot be kept as it is"),
        ({"query": "cur=xxx", "name": "chat"}, "XXX"),
    ],
)
def test_what_cannot_be_kept_says_why_and_keeps_nothing(
    client: Client, form: dict[str, str], said: str
) -> None:
    response = client.post("/plans/new/", form)
    assert response.status_code == 422
    assert said in text_of(response)
    assert not SavedPlan.objects.exists()


def test_plan_page_says_what_was_answered_and_by_whom(client: Client, plan: SavedPlan) -> None:
    text = text_of(client.get(address(plan)))
    assert "chat draft" in text
    assert "version 1, owner ada" in text
    assert "Fits: all 8 users decode at once." in text
    assert "Nobody has stated a price for L4, so there is no total." in text
    for question in (
        "Where does the time of a token go?",
        "What fills the memory of a card?",
        "What is ordered?",
        "What does it cost to run?",
        "How is it started?",
        "Who decided what?",
    ):
        assert question in text


def test_plan_page_costs_as_many_queries_with_much_history_as_with_little(
    client: Client, plan: SavedPlan, operator: User
) -> None:
    comment(plan, "one", actor=operator)
    share(plan, days=7, with_prices=False, actor=operator)
    few = queries_of(client, address(plan))
    for place in range(20):
        comment(plan, f"said {place}", actor=operator)
        share(plan, days=7, with_prices=False, actor=operator)
    assert queries_of(client, address(plan)) == few


def test_viewer_reads_and_is_refused_every_write(plan: SavedPlan) -> None:
    viewer = signed_in(person(Role.VIEWER))
    text = viewer.get(address(plan)).content.decode()
    assert "You read here" in text
    for word in ("Change the set-up", 'id="share"', 'id="archive"', 'name="text"'):
        assert word not in text
    for path in ("edit/", "change/", "order/"):
        assert viewer.get(address(plan, path)).status_code == 403
    for path in ("comment/", "step/propose/", "archive/", "share/"):
        assert viewer.post(address(plan, path)).status_code == 403
    assert viewer.get("/plans/new/").status_code == 403
    assert SavedPlan.objects.get().revision == 1


def test_comment_is_kept_and_an_empty_one_is_refused_in_its_place(client: Client, plan: SavedPlan) -> None:
    response = client.post(address(plan, "comment/"), {"text": "Enough?\r\nReally?"})
    assert response["Location"] == address(plan) + "#comments"
    assert plan.comments.get().text == "Enough?\nReally?"
    refused = client.post(address(plan, "comment/"), {"text": " "})
    assert refused.status_code == 422
    assert plan.comments.count() == 1


def test_plan_goes_from_draft_to_approved_by_two_people(
    client: Client, plan: SavedPlan, approver: User
) -> None:
    page = text_of(client.get(address(plan)))
    assert "Propose" in page
    done = client.post(address(plan, "step/propose/"), {"revision": 1, "reason": ""}, follow=True)
    assert "The plan is proposed: an approver decides on it now." in text_of(done)
    assert "Only an approver decides on a plan." in text_of(done)
    deciding = signed_in(approver)
    refused = deciding.post(address(plan, "step/reject/"), {"revision": 2, "reason": ""})
    assert refused.status_code == 422
    assert "Say why: the reason is kept with the decision." in text_of(refused)
    done = deciding.post(address(plan, "step/approve/"), {"revision": 2, "reason": "go"}, follow=True)
    assert "The plan is approved." in text_of(done)
    assert "Proposed → Approved" in text_of(done)
    assert SavedPlan.objects.get().state == "approved"


def test_own_proposal_says_that_somebody_else_decides(plan: SavedPlan, approver: User) -> None:
    proposing = signed_in(approver)
    page = proposing.post(address(plan, "step/propose/"), {"revision": 1}, follow=True)
    assert "You made or proposed this version: somebody else decides on it." in text_of(page)
    assert "/step/approve/" not in page.content.decode()


def test_step_on_an_older_state_decides_nothing_and_keeps_the_reason(client: Client, plan: SavedPlan) -> None:
    form = {"revision": 1, "reason": "as agreed on Monday"}
    client.post(address(plan, "edit/"), details(plan, name="renamed"))
    response = client.post(address(plan, "step/propose/"), form)
    assert response.status_code == 409
    assert "Nothing was decided: look at it again." in text_of(response)
    assert 'value="as agreed on Monday"' in response.content.decode()
    assert SavedPlan.objects.get().state == "draft"


def test_archived_plan_is_in_its_own_list_and_comes_back(client: Client, plan: SavedPlan) -> None:
    done = client.post(address(plan, "archive/"), {"revision": 1}, follow=True)
    assert "chat is archived." in text_of(done)
    assert "Change the set-up" not in text_of(done)
    assert names(client.get(PLANS)) == []
    assert names(client.get(PLANS, {"show": "archived"})) == ["chat"]
    refused = client.post(address(plan, "step/propose/"), {"revision": 2})
    assert refused.status_code == 422
    assert "This plan is archived. Bring it back first." in text_of(refused)
    client.post(address(plan, "archive/"), {"revision": 2, "back": "1"})
    assert names(client.get(PLANS)) == ["chat"]


def test_archiving_what_changed_meanwhile_is_told(client: Client, plan: SavedPlan) -> None:
    client.post(address(plan, "edit/"), details(plan, name="renamed"))
    page = client.post(address(plan, "archive/"), {"revision": 1}, follow=True)
    assert "Somebody changed this plan since you saw it." in text_of(page)
    assert SavedPlan.objects.get().archived_at is None


def details(plan: SavedPlan, **typed: str) -> dict[str, str]:
    """The form of name, owner and notes as it opened, with something typed over it."""
    there = {"name": plan.name, "owner": plan.owner.username, "notes": plan.notes}
    return {**there, **{f"base_{name}": value for name, value in there.items()}, **typed}


def test_details_changed_by_two_in_different_fields_are_both_kept(
    client: Client, plan: SavedPlan, approver: User
) -> None:
    client.post(address(plan, "edit/"), details(plan, name="chat 2"))
    client.post(address(plan, "edit/"), details(plan, notes="for chat", owner="grace"))
    kept = SavedPlan.objects.get()
    assert (kept.name, kept.notes, kept.owner) == ("chat 2", "for chat", approver)


def test_details_changed_by_two_in_one_field_show_both(client: Client, plan: SavedPlan) -> None:
    client.post(address(plan, "edit/"), details(plan, notes="theirs"))
    response = client.post(address(plan, "edit/"), details(plan, notes="ours", name="chat 2"))
    assert response.status_code == 409
    html = response.content.decode()
    assert "<p>theirs</p>" in html
    assert ">\nours</textarea>" in html
    assert 'value="chat 2"' in html
    assert SavedPlan.objects.get().notes == "theirs"
    again = {**details(SavedPlan.objects.get(), notes="ours", name="chat 2")}
    client.post(address(plan, "edit/"), again)
    kept = SavedPlan.objects.get()
    assert (kept.name, kept.notes) == ("chat 2", "ours")


def test_owner_is_somebody_who_may_write(client: Client, plan: SavedPlan) -> None:
    person(Role.VIEWER, name="reader")
    response = client.post(address(plan, "edit/"), details(plan, owner="reader"))
    assert response.status_code == 422
    assert SavedPlan.objects.get().owner.username == "ada"


def test_plan_whose_card_the_catalog_lost_shows_what_was_answered(client: Client, plan: SavedPlan) -> None:
    version = PlanVersion.objects.get()
    content = {**version.content, "request": {**version.content["request"], "accelerator": "gone"}}
    QuerySet(PlanVersion).update(content=content)  # past what keeps versions from being changed
    text = text_of(client.get(address(plan)))
    assert "The catalog no longer takes this set-up; below is what was answered then." in text
    assert "Fits: all 8 users decode at once." in text
    assert "Change the set-up" not in text


def test_texts_of_people_are_text_on_every_page(client: Client, operator: User) -> None:
    nasty = "<script>alert(1)</script>"
    plan = kept_plan(operator, name=nasty)
    comment(plan, nasty, actor=operator)
    for path in (PLANS, address(plan), address(plan, "edit/"), address(plan, "change/"), "/plans/compare/"):
        assert nasty not in client.get(path, {"id": plan.uid} if "compare" in path else {}).content.decode()


def test_recommended_set_ups_can_be_kept_by_those_who_may_write(client: Client) -> None:
    path = "/recommend/?m=Qwen/Qwen2.5-7B-Instruct&cur=CNY"
    html = client.get(path, follow=True).content.decode()
    links = re.findall(r'href="(/plans/new/\?[^"]+)">save<', html)
    assert links

    assert client.get(unescape(links[0])).status_code == 200
    viewer = signed_in(person(Role.VIEWER))
    assert "/plans/new/" not in viewer.get(path, follow=True).content.decode()
