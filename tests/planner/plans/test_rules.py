"""What holds for every plan of the team, changed by an administrator."""

import pytest
from django.test import Client

from access.models import AuditEvent
from access.roles import Role
from planner.queries.team import team_settings
from tests.access.people import person, signed_in
from tests.planner.plans.reading import text_of

pytestmark = pytest.mark.django_db
RULES = "/plans/rules/"


@pytest.fixture
def admin() -> Client:
    return signed_in(person(Role.ADMIN))


def test_rules_are_changed_and_audited(admin: Client) -> None:
    page = admin.get(RULES).content.decode()
    assert 'name="approver_is_another"' in page
    assert " checked" in page  # nobody approves their own plan until somebody says so
    admin.post(RULES, {"revision": "1", "price_change_percent": "10"})
    team = team_settings()
    assert (team.approver_is_another, team.price_change_percent, team.revision) == (False, 10.0, 2)
    assert AuditEvent.objects.filter(action="team.change").count() == 1


def test_rules_changed_meanwhile_stand_beside_what_was_typed(admin: Client) -> None:
    admin.post(RULES, {"revision": "1", "price_change_percent": "10"})
    response = admin.post(RULES, {"revision": "1", "price_change_percent": "3", "approver_is_another": "on"})
    assert response.status_code == 409
    assert "Price changes are told from (percent): 10.0" in text_of(response)
    assert 'value="3"' in response.content.decode()
    assert team_settings().price_change_percent == 10
    admin.post(RULES, {"revision": "2", "price_change_percent": "3"})
    assert team_settings().price_change_percent == 3


@pytest.mark.parametrize("percent", ["", "-1", "101", "nan", "much"])
def test_percent_is_a_percent(admin: Client, percent: str) -> None:
    assert admin.post(RULES, {"revision": "1", "price_change_percent": percent}).status_code == 422
    assert team_settings().price_change_percent == 5


def test_others_are_refused_and_see_no_way_there(catalog: None) -> None:
    approver = signed_in(person(Role.APPROVER))
    assert approver.get(RULES).status_code == 403
    assert approver.post(RULES, {"revision": "1", "price_change_percent": "1"}).status_code == 403
    assert RULES not in approver.get("/plans/").content.decode()
