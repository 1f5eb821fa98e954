"""manage.py recommend: model, workload, targets and limits in, ranked set-ups out."""

from typing import Any

from planner.answers.recommendations import answer
from planner.clock import today
from planner.core.specs import Catalog
from planner.management.lines_command import LinesCommand
from planner.queries.prices import Books


class Command(LinesCommand):
    """Rank the set-ups of the catalog for a model and a load."""

    help = (
        "Rank set-ups for a model and a load: one JSON object or JSON Lines in, one JSON object per line out."
    )
    # A search is as much work as hundreds of estimates: each is written as soon as it is done.
    batch = 1

    def answer(self, objects: list[Any], catalog: Catalog) -> list[dict[str, Any]]:
        return answer(objects, catalog=catalog, books=Books(on=today(), stored=self.from_database))
