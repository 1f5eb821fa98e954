"""Whether this process lives, and whether the installation can do its work."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from access.declare import public
from config.celery import app
from planner.queries import catalog_is_loaded

log = logging.getLogger("decodeck.health")
BROKER_TIMEOUT_S = 2


@public
@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer as long as the process can: restart it when this fails."""
    return HttpResponse("ok\n", content_type="text/plain")


@public
@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Say of each component whether it's ready, with status 503 while one is not: send no requests then.

    The answer names components and not causes, since anybody may ask; the cause is in the log.
    """
    components = {name: _is_ready(name, check) for name, check in CHECKS.items()}
    ready = all(components.values())
    body = {
        "ready": ready,
        "components": {name: "ok" if ok else "failing" for name, ok in components.items()},
    }
    return JsonResponse(body, status=200 if ready else 503)


def _is_ready(name: str, check: Callable[[], bool]) -> bool:
    try:
        ready = check()
    except Exception as error:  # noqa: BLE001 - whatever it is, the answer is "not ready"
        log.warning("not ready", extra={"component": name, "error": type(error).__name__})
        return False
    if not ready:
        log.warning("not ready", extra={"component": name})
    return ready


def _database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def _migrations() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _broker() -> bool:
    if not settings.REDIS_URL:
        folder = Path(app.conf.broker_transport_options["data_folder_out"])
        return os.access(folder, os.W_OK | os.X_OK)
    with app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=0, timeout=BROKER_TIMEOUT_S)
    return True


CHECKS: dict[str, Callable[[], bool]] = {
    "database": _database,
    "migrations": _migrations,
    "broker": _broker,
    "catalog": catalog_is_loaded,
}
