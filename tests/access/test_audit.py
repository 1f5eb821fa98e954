"""The audit log: complete, append-only, and as cheap on its last page as on its first."""

from typing import Any

import pytest

from access.actions import record_audit
from access.models import AuditEvent
from access.queries import AUDIT_PAGE
from access.request_id import request_id
from access.roles import Role
from tests.access.people import person, signed_in

pytestmark = pytest.mark.django_db


def test_event_says_who_what_why_and_in_which_request() -> None:
    user = person()
    token = request_id.set("request-1")
    event = record_audit("test.do", actor=user, about=user, reason="because", figure=7)
    request_id.reset(token)
    event.refresh_from_db()
    assert (event.actor, event.action, event.reason, event.data) == (
        user,
        "test.do",
        "because",
        {"figure": 7},
    )
    assert (event.object_type, event.object_id, event.request_id) == (
        "access.user",
        str(user.pk),
        "request-1",
    )


def test_events_cannot_be_changed_or_removed() -> None:
    event = record_audit("test.do", actor=None)
    rows = AuditEvent.objects.all()
    attempts = [
        event.save,
        event.delete,
        rows.delete,
        lambda: rows.update(reason="other"),
        lambda: rows.bulk_update([event], ["reason"]),
    ]
    for attempt in attempts:
        with pytest.raises(TypeError, match="append-only"):
            attempt()
    assert AuditEvent.objects.count() == 1


def test_pages_follow_each_other_without_gap_or_repeat(django_assert_num_queries: Any) -> None:
    AuditEvent.objects.bulk_create(
        AuditEvent(action=f"test.{number}") for number in range(2 * AUDIT_PAGE + 5)
    )
    client = signed_in(person(Role.ADMIN))
    seen: list[str] = []
    before: int | str = ""
    while before is not None:
        # The session, its user, the events with their actors.
        with django_assert_num_queries(3):
            page = client.get("/account/audit/", {"before": before}).context["page"]
        seen += [event.action for event in page.events]
        before = page.older_than
    assert seen == [f"test.{number}" for number in reversed(range(2 * AUDIT_PAGE + 5))]


@pytest.mark.parametrize("before", ["x", "-1", "9" * 30, "1.5", "٣"])
def test_odd_page_address_is_answered(before: str) -> None:
    assert signed_in(person(Role.ADMIN)).get("/account/audit/", {"before": before}).status_code == 200


def test_html_in_an_event_is_shown_as_text() -> None:
    record_audit("test.do", actor=None, reason="<script>", note="<img>")
    page = signed_in(person(Role.ADMIN)).get("/account/audit/").content.decode()
    assert "&lt;script&gt;" in page
    assert "<img>" not in page


def test_details_of_an_event_read_as_pairs() -> None:
    event = AuditEvent(data={"tables": {"Accelerator": "2 added"}, "scopes": ["a", "b"], "days": 90})
    assert event.details == [("tables.Accelerator", "2 added"), ("scopes", "a, b"), ("days", "90")]
