"""manage.py limits: one estimate request or JSON Lines of them in, the limits of each out."""

from typing import Any

from planner.answers.limits import answer
from planner.core.specs import Catalog
from planner.management.lines_command import LinesCommand


class Command(LinesCommand):
    """Find how far set-ups go."""

    help = (
        "Find the longest context, the most users and the smallest helpful changes of set-ups: one JSON object or "
        "JSON Lines in, one JSON object per line out."
    )
    batch = 20

    def answer(self, objects: list[Any], catalog: Catalog) -> list[dict[str, Any]]:
        return answer(objects, catalog=catalog)
