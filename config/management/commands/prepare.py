"""Bring an installation up to date: its database, its catalog and its work queue."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from config.celery import app


class Command(BaseCommand):
    help = "Migrates the database, loads the catalog and declares the work queue. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
        call_command("migrate", interactive=False, verbosity=0)
        call_command("sync_catalog", verbosity=0)
        # Declared here, by one process, so that worker and web never race to write the same file.
        with app.connection_for_write() as connection:
            app.amqp.queues[app.conf.task_default_queue](connection.default_channel).declare()
