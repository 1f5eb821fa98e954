"""manage.py estimate: one JSON object or JSON Lines in, one JSON object per line out."""

import sys
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from planner.estimates import answer
from planner.lines import read_objects, write_answers
from planner.queries import CatalogNotLoadedError, current_catalog


class Command(BaseCommand):
    """Estimate memory and speed of deployments."""

    help = "Estimate memory and decode speed: one JSON object or JSON Lines in, one JSON object per line out."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", nargs="?", default="-", help="JSON or JSON Lines; default: standard input"
        )
        parser.add_argument(
            "--catalog",
            choices=["database", "shipped"],
            help="default: the database once it is migrated, else the shipped files",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            catalog = current_catalog(options["catalog"])
        except CatalogNotLoadedError:
            raise CommandError(
                "The database holds no catalog yet. Run `manage.py migrate` and `manage.py sync_catalog`, "
                "or ask with --catalog shipped."
            ) from None
        if options["file"] == "-" and sys.stdin is None:
            raise CommandError("Standard input is closed. Pipe requests in, or name a file.")
        if sys.stdout is None:
            raise CommandError("Standard output is closed. The answers would go nowhere.")
        try:
            # Closed by the `with` below.
            stream = sys.stdin.buffer if options["file"] == "-" else Path(options["file"]).open("rb")  # noqa: SIM115
        except OSError as error:
            raise CommandError(
                f"Cannot read {options['file']}: {error.strerror}. Name a file that exists."
            ) from None
        if isinstance(sys.stdout, TextIOWrapper):
            # JSON between programs is UTF-8, whatever the locale says.
            sys.stdout.reconfigure(encoding="utf-8")
        with stream:
            problems = write_answers(
                read_objects(stream),
                lambda objects: answer(objects, catalog=catalog),
                partial(self.stdout.write, ending=""),
            )
        self.stdout.flush()
        if problems:
            sys.exit(2)
