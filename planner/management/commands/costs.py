"""manage.py costs: set-ups with prices and load in, what they cost to own, to run and to rent out."""

from typing import Any

from planner.answers.costs import answer
from planner.clock import today
from planner.core.specs import Catalog
from planner.management.lines_command import LinesCommand
from planner.models import TeamSettings
from planner.queries.prices import Books
from planner.queries.team import team_settings


class Command(LinesCommand):
    """Work out what set-ups cost."""

    help = "What set-ups cost to own, to run and to rent: one JSON object or JSON Lines in, one JSON object per line out."

    def answer(self, objects: list[Any], catalog: Catalog) -> list[dict[str, Any]]:
        stored = self.from_database
        team = team_settings() if stored else TeamSettings()
        return answer(objects, catalog=catalog, books=Books(on=today(), stored=stored), team=team)
