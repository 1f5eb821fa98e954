"""What the probes and Prometheus are told."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from access.actions import create_token, create_user
from access.roles import Role
from access.scopes import Scope
from config.celery import app


@pytest.fixture
def broker(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """A folder queue of this test alone."""
    folder = tmp_path / "queue"
    folder.mkdir()
    settings.REDIS_URL = ""
    names = ("data_folder_in", "data_folder_out", "control_folder")
    before = app.conf.broker_url, app.conf.broker_transport_options
    app.conf.update(
        broker_url="folder://localhost", broker_transport_options=dict.fromkeys(names, str(folder))
    )
    yield folder
    app.conf.update(broker_url=before[0], broker_transport_options=before[1])


def token_with(*scopes: Scope, role: Role) -> str:
    user = create_user("prometheus", role=role, actor=None)
    return create_token(user, name="scrape", scopes=list(scopes), days=1, actor=user)[1]


def test_process_that_answers_is_alive(client: Client) -> None:
    answer = client.get("/healthz")

    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_installation_is_ready_once_the_catalog_is_loaded(client: Client, broker: Path) -> None:
    before = client.get("/readyz")
    call_command("sync_catalog", verbosity=0)
    after = client.get("/readyz")

    assert (before.status_code, before.json()["components"]["catalog"]) == (503, "failing")
    assert (after.status_code, after.json()) == (
        200,
        {"ready": True, "components": dict.fromkeys(("database", "migrations", "broker", "catalog"), "ok")},
    )


@pytest.mark.django_db
def test_missing_migration_is_reported(client: Client, broker: Path) -> None:
    MigrationRecorder(connection).migration_qs.filter(app="access").last().delete()

    assert client.get("/readyz").json()["components"]["migrations"] == "failing"


@pytest.mark.django_db
def test_lost_queue_is_reported_and_nothing_else(client: Client, broker: Path) -> None:
    broker.rmdir()

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert {name for name, state in answer.json()["components"].items() if state == "failing"} >= {"broker"}
    assert answer.json()["components"]["database"] == "ok"


@pytest.mark.django_db
def test_metrics_are_for_tokens_with_their_scope(client: Client, broker: Path) -> None:
    wrong = token_with(Scope.ESTIMATES_READ, role=Role.OPERATOR)
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers={"Authorization": f"Bearer {wrong}"}).status_code == 403


@pytest.mark.django_db
def test_metrics_count_answers_by_view_and_what_waits(client: Client, broker: Path) -> None:
    token = token_with(Scope.METRICS_READ, role=Role.OPERATOR)
    (broker / "00000000000000000001_id.celery.msg").write_text("{}")

    before = scrape(client, token)
    client.get("/no-such-page/very-secret")
    after = scrape(client, token)

    counted = 'decodeck_requests_total{method="GET",status="404",view="none"}'
    assert after[counted] - before.get(counted, 0.0) == 1.0
    assert after["decodeck_queue_messages"] == 1.0
    assert after['decodeck_outbox_rows{state="waiting"}'] == 0.0
    assert [name for name in after if "very-secret" in name] == []


def scrape(client: Client, token: str) -> dict[str, float]:
    """Return every sample by its name and labels."""
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200
    lines = [line for line in answer.content.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


@pytest.mark.django_db
def test_metrics_answer_without_the_broker(client: Client, broker: Path) -> None:
    token = token_with(Scope.METRICS_READ, role=Role.OPERATOR)
    # Nothing listens on port 1; the fixture puts the former address back.
    app.conf.update(broker_url="redis://127.0.0.1:1/0", broker_transport_options={})

    assert math.isnan(scrape(client, token)["decodeck_queue_messages"])
