"""manage.py estimate: one JSON object or JSON Lines in, one JSON object per line out."""

from typing import Any

from planner.answers.estimates import answer
from planner.core.specs import Catalog
from planner.management.lines_command import LinesCommand


class Command(LinesCommand):
    """Estimate memory and speed of deployments."""

    help = "Estimate memory and decode speed: one JSON object or JSON Lines in, one JSON object per line out."

    def answer(self, objects: list[Any], catalog: Catalog) -> list[dict[str, Any]]:
        return answer(objects, catalog=catalog)
