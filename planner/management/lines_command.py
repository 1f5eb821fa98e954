"""What the commands share that answer JSON Lines: input, catalog, output, exit status."""

import sys
from abc import abstractmethod
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from planner.core.specs import Catalog
from planner.lines import BATCH, read_objects, write_answers
from planner.queries import CatalogNotLoadedError, catalog_is_loaded, current_catalog


class LinesCommand(BaseCommand):
    """One JSON object or JSON Lines in, one JSON object per line out.

    A bad line gives a problem object on its line. Exit 0 if all lines were answered, 2 if any was a problem, 1 if
    nothing could be read.
    """

    requires_system_checks = []
    batch = BATCH  # lines that are answered together
    from_database = False  # whether the team's rows are there to be read

    @abstractmethod
    def answer(self, objects: list[Any], catalog: Catalog) -> list[dict[str, Any]]:
        """One answer or problem object per input, in order."""

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
        catalog = _catalog(options["catalog"])
        self.from_database = options["catalog"] != "shipped" and catalog_is_loaded()
        if sys.stdout is None:
            raise CommandError("Standard output is closed. The answers would go nowhere.")
        stream = _opened(options["file"])
        if isinstance(sys.stdout, TextIOWrapper):
            # JSON between programs is UTF-8, whatever the locale says.
            sys.stdout.reconfigure(encoding="utf-8")
        with stream:
            problems = write_answers(
                read_objects(stream),
                lambda objects: self.answer(objects, catalog),
                partial(self.stdout.write, ending=""),
                batch_size=self.batch,
            )
        self.stdout.flush()
        if problems:
            sys.exit(2)


def _catalog(choice: str | None) -> Catalog:
    try:
        return current_catalog(choice)
    except CatalogNotLoadedError:
        raise CommandError(
            "The database holds no catalog yet. Run `manage.py migrate` and `manage.py sync_catalog`, "
            "or ask with --catalog shipped."
        ) from None


def _opened(name: str) -> BinaryIO:
    if name == "-" and sys.stdin is None:
        raise CommandError("Standard input is closed. Pipe requests in, or name a file.")
    try:
        return sys.stdin.buffer if name == "-" else Path(name).open("rb")
    except OSError as error:
        raise CommandError(f"Cannot read {name}: {error.strerror}. Name a file that exists.") from None
