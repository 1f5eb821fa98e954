"""What the planner counts for Prometheus."""

from collections.abc import Iterable
from typing import Any

from prometheus_client import Counter

ESTIMATES = Counter("decodeck_estimates", "Estimates answered over REST, by verdict.", ["verdict"])
RECOMMENDATIONS = Counter(
    "decodeck_recommendations", "Searches answered over REST, by what was found.", ["found"]
)


def count_estimates(answers: Iterable[dict[str, Any]]) -> None:
    """Count each answer by its verdict, and what was no estimate request as "problem"."""
    for each in answers:
        ESTIMATES.labels(verdict=str(each.get("verdict", "problem"))).inc()


def count_recommendations(answers: Iterable[dict[str, Any]]) -> None:
    """Count each search: "options", "nothing" where none meets what was asked, "problem" for what was no search."""
    for each in answers:
        found = "problem" if "errors" in each else "options" if each["options"] else "nothing"
        RECOMMENDATIONS.labels(found=found).inc()
