"""REST: plans are kept, listed, changed, versioned, decided on, compared and shared; nobody overwrites what they have not seen."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft202012Validator

from access.models import IdempotencyKey, User
from access.roles import Role
from access.scopes import Scope
from planner.models import PlanComment, PlanVersion, SavedPlan
from planner.schemas import PROBLEM
from planner.schemas import plans as schemas
from tests.access.people import bearer, person, signed_in, token_text
from tests.planner.browse.small import CARD, MODEL, small_catalog
from tests.planner.evaluations.plans import content, kept_plan

URL = "/api/v1/plans"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def catalog(db: None, tmp_path: Path) -> None:
    """The small catalog, synced."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    small_catalog(folder)


@pytest.fixture
def ada(catalog: None) -> User:
    return person(Role.OPERATOR, name="ada")


@pytest.fixture
def client(ada: User) -> Client:
    return signed_in(ada)


@pytest.fixture
def approver(catalog: None) -> Client:
    return signed_in(person(Role.APPROVER, name="bo"))


@pytest.fixture
def plan(ada: User) -> SavedPlan:
    return kept_plan(ada)


def send(
    client: Client, method: str, address: str, body: Any = None, *, at: int | None = None, key: str = ""
) -> Any:
    headers = {} if at is None else {"If-Match": f'"{at}"'}
    if key:
        headers["Idempotency-Key"] = key
    return client.generic(
        method,
        address,
        json.dumps({} if body is None else body),
        content_type="application/json",
        headers=headers,
    )


def valid(response: Any, schema: dict[str, Any], status: int = 200) -> Any:
    assert response.status_code == status, response.content
    Draft202012Validator(schema).validate(response.json())
    return response.json()


def refused(response: Any, status: int, code: str) -> dict[str, Any]:
    body: dict[str, Any] = valid(
        response, {**PROBLEM, "required": ["type", "title", "status", "code"]}, status
    )
    assert body["code"] == code, body
    return body


def test_plan_is_kept_and_read_again(client: Client) -> None:
    body = {"name": "Chat", "notes": "line\r\nline", "note": "first", "content": content()}
    made = send(client, "POST", URL, body)
    found = valid(made, schemas.PLAN, 201)
    assert made["ETag"] == '"1"'
    told = {name: found[name] for name in ("name", "notes", "owner", "state", "version", "model", "verdict")}
    assert told == {
        "name": "Chat",
        "notes": "line\nline",
        "owner": "ada",
        "state": "draft",
        "version": 1,
        "model": MODEL,
        "verdict": "fits",
    }
    again = client.get(f"{URL}/{found['uid']}")
    assert (again.json(), again["ETag"]) == (found, '"1"')
    assert found["content"] == content()


def test_examples_are_what_the_schemas_say() -> None:
    Draft202012Validator(schemas.NEW_PLAN).validate(schemas.EXAMPLE_PLAN)
    Draft202012Validator(schemas.NEW_COMPARISON).validate(schemas.EXAMPLE_COMPARISON)


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ([], None, "wrong_type"),
        ({"content": content()}, "name", "required"),
        ({"name": "x"}, "content", "required"),
        ({"name": "x" * 121, "content": content()}, "name", "max_length"),
        ({"name": 7, "content": content()}, "name", "wrong_type"),
        ({"name": "x", "content": content(), "uid": "mine"}, "uid", "unknown_field"),
        ({"name": "x", "content": "text"}, "content.content", "wrong_type"),
        ({"name": "x", "content": {**content(), "other": 1}}, "content.other", "unknown_field"),
    ],
)
def test_body_that_is_no_plan_names_its_field(
    client: Client, body: Any, field: str | None, code: str
) -> None:
    errors = refused(send(client, "POST", URL, body), 422, "invalid_request")["errors"]
    assert (field, code) in [(item["field"], item["code"]) for item in errors]
    assert not SavedPlan.objects.exists()


def test_card_that_nobody_knows_is_named_where_it_stands(client: Client) -> None:
    asked = content()
    asked["request"]["accelerator"] = "acme-none"
    found = refused(send(client, "POST", URL, {"name": "x", "content": asked}), 422, "invalid_request")
    assert [item["field"] for item in found["errors"]] == ["content.request.accelerator"]


def test_repeated_request_keeps_one_plan(client: Client) -> None:
    body = {"name": "Chat", "content": content()}
    first, second = (send(client, "POST", URL, body, key="abc") for _turn in range(2))
    assert (first.json()["uid"], second["Idempotency-Replayed"]) == (second.json()["uid"], "true")
    assert SavedPlan.objects.count() == 1


def test_list_has_the_filters_of_the_page(client: Client, ada: User) -> None:
    kept_plan(ada, name="one")
    other = kept_plan(person(Role.OPERATOR, name="cy"), name="two")
    page = valid(client.get(URL, {"limit": 1}), {"type": "object", "required": ["items", "next", "previous"]})
    assert ([row["name"] for row in page["items"]], page["previous"]) == (["two"], None)
    Draft202012Validator(schemas.PLAN_ROW).validate(page["items"][0])
    assert [row["name"] for row in client.get(page["next"]).json()["items"]] == ["one"]
    assert [row["uid"] for row in client.get(URL, {"owner": "cy"}).json()["items"]] == [other.uid]
    refused(client.get(URL, {"state": "nearly"}), 422, "invalid_request")


def test_list_asks_as_often_for_many_as_for_few(client: Client, ada: User) -> None:
    counts = []
    client.get(URL)  # what a first call alone asks
    for more in (1, 4):
        for number in range(more):
            kept_plan(ada, name=f"{more} {number}")
        with CaptureQueriesContext(connection) as seen:
            client.get(URL)
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_details_change_from_the_revision_that_was_read(client: Client, plan: SavedPlan) -> None:
    address = f"{URL}/{plan.uid}"
    refused(send(client, "PATCH", address, {"name": "New"}), 428, "revision_required")
    changed = send(client, "PATCH", address, {"name": "New"}, at=1)
    assert (valid(changed, schemas.PLAN)["name"], changed["ETag"]) == ("New", '"2"')


def test_slower_change_is_told_what_is_there_now(client: Client, plan: SavedPlan) -> None:
    address = f"{URL}/{plan.uid}"
    send(client, "PATCH", address, {"notes": "of somebody else"}, at=1)
    late = send(client, "PATCH", address, {"notes": "mine"}, at=1)
    body = refused(late, 412, "changed_meanwhile")
    Draft202012Validator(schemas.PLAN).validate(body["current"])
    assert (late["ETag"], body["current"]["revision"], body["current"]["notes"]) == (
        '"2"',
        2,
        "of somebody else",
    )


def test_archived_plan_is_left_alone_until_it_is_brought_back(client: Client, plan: SavedPlan) -> None:
    address = f"{URL}/{plan.uid}"
    assert valid(send(client, "PATCH", address, {"archived": True}, at=1), schemas.PLAN)["archived"] is True
    assert client.get(URL).json()["items"] == []
    assert [row["uid"] for row in client.get(URL, {"show": "archived"}).json()["items"]] == [plan.uid]
    refused(send(client, "PATCH", address, {"name": "New"}, at=2), 409, "archived")
    refused(send(client, "POST", f"{address}/proposal", at=2), 409, "archived")
    back = valid(send(client, "PATCH", address, {"archived": False, "name": "New"}, at=2), schemas.PLAN)
    assert (back["archived"], back["name"]) == (False, "New")


def test_owner_is_somebody_who_may_write(client: Client, plan: SavedPlan) -> None:
    person(Role.VIEWER, name="vi")
    found = refused(send(client, "PATCH", f"{URL}/{plan.uid}", {"owner": "vi"}, at=1), 422, "invalid_request")
    assert [item["field"] for item in found["errors"]] == ["owner"]


def test_another_version_is_kept_and_differs(client: Client, plan: SavedPlan) -> None:
    address = f"{URL}/{plan.uid}/versions"
    other = content(bill={"spares": 2})
    kept = send(client, "POST", address, {"note": "spares", "content": other}, at=1)
    assert (valid(kept, schemas.PLAN, 201)["version"], kept["ETag"]) == (2, '"2"')
    rows = client.get(address).json()["items"]
    assert [(row["number"], row["note"], row["author"]) for row in rows] == [
        (2, "spares", "ada"),
        (1, "", "ada"),
    ]
    Draft202012Validator(schemas.VERSION_ROW).validate(rows[0])
    old = valid(client.get(f"{address}/1"), schemas.VERSION)
    assert old["content"] == content()
    found = valid(client.get(f"{URL}/{plan.uid}/diff"), schemas.DIFFERENCE)
    assert (found["from"], found["to"]) == (1, 2)
    assert [(item["path"], item["before"], item["after"]) for item in found["fields"]] == [
        ("bill.spares", None, 2)
    ]


def test_version_in_which_nothing_differs_is_not_added(client: Client, plan: SavedPlan) -> None:
    same = send(client, "POST", f"{URL}/{plan.uid}/versions", {"note": "again", "content": content()}, at=1)
    assert (same.status_code, same.json()["version"], PlanVersion.objects.count()) == (200, 1, 1)


def test_version_of_a_plan_that_changed_is_refused_whole(client: Client, plan: SavedPlan) -> None:
    address = f"{URL}/{plan.uid}/versions"
    send(client, "POST", address, {"note": "spares", "content": content(bill={"spares": 2})}, at=1)
    late = send(client, "POST", address, {"note": "mine", "content": content(bill={"spares": 5})}, at=1)
    body = refused(late, 412, "changed_meanwhile")
    assert body["current"]["content"] == content(bill={"spares": 2})
    assert PlanVersion.objects.count() == 2


@pytest.mark.parametrize(
    "path", ["versions/0", "versions/9", "versions/99999999999", "diff?to=7", "diff?from=9"]
)
def test_version_that_is_not_there_is_not_found(client: Client, plan: SavedPlan, path: str) -> None:
    assert client.get(f"{URL}/{plan.uid}/{path}").status_code == 404


def test_comment_is_kept_once_however_often_it_is_sent(client: Client, plan: SavedPlan) -> None:
    address = f"{URL}/{plan.uid}/comments"
    for _turn in range(2):
        made = send(client, "POST", address, {"text": "Enough?"}, key="c1")
        assert valid(made, schemas.COMMENT, 201)["text"] == "Enough?"
    assert [row["text"] for row in client.get(address).json()["items"]] == ["Enough?"]
    refused(send(client, "POST", address, {"text": " "}), 422, "invalid_request")
    assert PlanComment.objects.count() == 1


def test_plan_is_proposed_and_approved_by_somebody_else(
    client: Client, approver: Client, plan: SavedPlan
) -> None:
    address = f"{URL}/{plan.uid}"
    refused(send(approver, "POST", f"{address}/approval", at=1), 409, "illegal_step")
    assert valid(send(client, "POST", f"{address}/proposal", at=1), schemas.PLAN)["state"] == "proposed"
    refused(send(client, "POST", f"{address}/approval", at=2), 403, "permission_denied")
    refused(send(approver, "POST", f"{address}/rejection", at=2), 422, "invalid_request")
    refused(send(approver, "POST", f"{address}/approval", at=1), 412, "changed_meanwhile")
    approved = valid(
        send(approver, "POST", f"{address}/approval", {"reason": "yes"}, at=2, key="k"), schemas.PLAN
    )
    assert (approved["state"], approved["revision"]) == ("approved", 3)
    again = send(approver, "POST", f"{address}/approval", {"reason": "yes"}, at=2, key="k")
    assert (again.status_code, again.json()["revision"]) == (200, 3)
    reopened = send(client, "POST", f"{address}/reopening", {"reason": "cheaper offer"}, at=3)
    assert valid(reopened, schemas.PLAN)["state"] == "draft"


def test_approver_does_not_approve_what_they_made(approver: Client) -> None:
    made = kept_plan(User.objects.get(username="bo"))
    send(approver, "POST", f"{URL}/{made.uid}/proposal", at=1)
    refused(send(approver, "POST", f"{URL}/{made.uid}/approval", at=2), 403, "own_plan")
    assert (
        valid(send(approver, "POST", f"{URL}/{made.uid}/withdrawal", at=2), schemas.PLAN)["state"] == "draft"
    )


def test_link_is_told_once_opens_the_plan_and_ends(client: Client, plan: SavedPlan) -> None:
    address = f"{URL}/{plan.uid}/shares"
    made, again = (send(client, "POST", address, {"days": 30}, key="s") for _turn in range(2))
    link = valid(made, schemas.MADE_SHARE, 201)
    assert (again.json()["url"], again.json()["id"]) == (None, link["id"])
    secret = link["url"].rstrip("/").rpartition("/")[2]
    assert secret not in str(IdempotencyKey.objects.values_list("answer", flat=True))
    assert Client().get(link["url"]).status_code == 200
    assert [row["is_live"] for row in client.get(address).json()["items"]] == [True]
    assert send(client, "DELETE", f"{address}/{link['id']}").status_code == 204
    assert Client().get(link["url"]).status_code == 404
    refused(send(client, "POST", address, {"days": 0}), 422, "invalid_request")
    refused(send(client, "POST", address, {"days": True}), 422, "invalid_request")


def test_plans_are_laid_side_by_side(client: Client, ada: User) -> None:
    first, second = kept_plan(ada, name="one"), kept_plan(ada, name="two", bill={"spares": 1})
    found = valid(
        send(client, "POST", "/api/v1/plan-comparisons", {"plans": [first.uid, second.uid]}),
        schemas.COMPARISON,
    )
    assert [item["name"] for item in found["plans"]] == ["one", "two"]
    rows = {item["path"]: item["values"] for item in found["inputs"]}
    assert (rows["bill.spares"], rows["request.accelerator"]) == ([None, 1], [CARD, CARD])
    lost = send(client, "POST", "/api/v1/plan-comparisons", {"plans": [first.uid, "none"]})
    assert [item["field"] for item in refused(lost, 422, "invalid_request")["errors"]] == ["plans.1"]
    for wrong in ([first.uid], [first.uid] * 2, "text", [1, 2], ["a", "b", "c", "d", "e", "f", "g"]):
        refused(send(client, "POST", "/api/v1/plan-comparisons", {"plans": wrong}), 422, "invalid_request")


def test_viewer_reads_and_writes_nothing(plan: SavedPlan) -> None:
    viewer = signed_in(person(Role.VIEWER))
    assert viewer.get(f"{URL}/{plan.uid}").status_code == 200
    for method, path in (
        ("POST", ""),
        ("PATCH", f"/{plan.uid}"),
        ("POST", f"/{plan.uid}/versions"),
        ("POST", f"/{plan.uid}/comments"),
        ("POST", f"/{plan.uid}/proposal"),
        ("POST", f"/{plan.uid}/approval"),
        ("GET", f"/{plan.uid}/shares"),
    ):
        refused(send(viewer, method, f"{URL}{path}", at=1), 403, "permission_denied")


def test_token_does_what_its_scopes_say(plan: SavedPlan) -> None:
    bo = person(Role.APPROVER, name="bo")
    reading, writing = bearer(token_text(bo, Scope.PLANS_READ)), bearer(token_text(bo, Scope.PLANS_WRITE))
    approving = bearer(token_text(bo, Scope.PLANS_APPROVE))
    address = f"{URL}/{plan.uid}"
    assert reading.get(address).status_code == 200
    refused(send(reading, "POST", f"{address}/proposal", at=1), 403, "permission_denied")
    proposing = bearer(token_text(plan.owner, Scope.PLANS_WRITE))
    assert send(proposing, "POST", f"{address}/proposal", at=1).status_code == 200
    refused(send(writing, "POST", f"{address}/approval", at=2), 403, "permission_denied")
    refused(approving.get(address), 403, "permission_denied")
    assert send(approving, "POST", f"{address}/approval", at=2).json()["state"] == "approved"
