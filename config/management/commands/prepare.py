"""Bring an installation up to date: its database, its catalog and its work queue."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError as QueueError

from config.celery import app

# Any number that nothing else in the database locks by.
LOCK = 1_684_366_437


class Command(BaseCommand):
    help = "Migrates the database, loads the catalog and declares the work queue. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
        try:
            with _one_at_a_time():
                call_command("migrate", interactive=False, verbosity=0)
                call_command("sync_catalog", verbosity=0)
        except DatabaseError as error:
            raise CommandError(f"the database, {_place()} (DATABASE_URL), cannot be used: {error}") from error
        try:
            # Declared here, by one process, so that worker and web never race to write the same file.
            with app.connection_for_write() as queue:
                app.amqp.queues[app.conf.task_default_queue](queue.default_channel).declare()
        except _queue_errors() as error:
            raise CommandError(f"the work queue, {_queue_place()}, cannot be used: {error}") from error


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Let several machines start on one empty database: the second waits and finds the work done."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def _queue_errors() -> tuple[type[Exception], ...]:
    """What the queue's own library raises when it is out of reach."""
    return (QueueError, OSError, *app.connection_for_write().recoverable_connection_errors)


def _place() -> str:
    database = settings.DATABASES["default"]
    if connection.vendor == "sqlite":
        return f"the file {database['NAME']}"
    return f"{database['NAME']} on {database['HOST'] or 'this machine'}"


def _queue_place() -> str:
    return "Redis (REDIS_URL)" if settings.REDIS_URL else f"the folder {settings.VAR_DIR / 'queue'}"
