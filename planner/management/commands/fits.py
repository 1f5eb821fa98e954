"""manage.py fits: cards, engine, workload and targets in, every model of the catalog out."""

from typing import Any

from planner.answers.fits import answer
from planner.core.specs import Catalog
from planner.management.lines_command import LinesCommand


class Command(LinesCommand):
    """Find the models that fit the cards at hand."""

    help = "Find the models that fit the cards at hand: one JSON object or JSON Lines in, one JSON object per line out."
    batch = 5

    def answer(self, objects: list[Any], catalog: Catalog) -> list[dict[str, Any]]:
        return answer(objects, catalog=catalog)
