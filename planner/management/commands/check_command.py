"""manage.py check_command: launch commands as JSON Lines in, each judged and mended out."""

from typing import Any

from planner.answers.command_checks import answer
from planner.core.specs import Catalog
from planner.management.lines_command import LinesCommand


class Command(LinesCommand):
    """Judge launch commands of serving engines."""

    help = (
        "Judge launch commands of serving engines and mend them: one JSON object or JSON Lines in, one JSON object "
        "per line out. Nothing is executed."
    )
    batch = 50

    def answer(self, objects: list[Any], catalog: Catalog) -> list[dict[str, Any]]:
        return answer(objects, catalog=catalog)
