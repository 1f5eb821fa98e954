"""manage.py sync_catalog: the shipped catalog into the database, the team's edits kept."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from planner.actions.catalog import CatalogFaultsError, sync_catalog
from planner.catalog import SHIPPED
from planner.catalog.files import CatalogFileError

SHOWN_FAULTS = 10


class Command(BaseCommand):
    """Load or refresh the catalog."""

    help = (
        "Bring the catalog in the database to what the files say. Safe to repeat; the team's edits are kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--dir", type=Path, default=SHIPPED, help="another catalog directory; default: the shipped one"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = sync_catalog(options["dir"])
        except CatalogFaultsError as error:
            lines = [str(fault) for fault in error.faults[:SHOWN_FAULTS]]
            more = len(error.faults) - len(lines)
            rest = [f"and {more} more"] if more else []
            raise CommandError("\n".join(["Nothing was written.", *lines, *rest])) from None
        except CatalogFileError as error:
            raise CommandError(f"Nothing was written. {error}") from None
        for name, found in counts.items():
            self.stdout.write(
                f"{name}: {found.added} added, {found.changed} changed, {found.kept} kept, "
                f"{found.retired} retired, {found.edited} with edits of the team kept"
            )
