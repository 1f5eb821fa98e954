"""What the planner counts for Prometheus."""

from collections.abc import Iterable
from typing import Any

from prometheus_client import Counter

ESTIMATES = Counter("decodeck_estimates", "Estimates answered over REST, by verdict.", ["verdict"])


def count_estimates(answers: Iterable[dict[str, Any]]) -> None:
    """Count each answer by its verdict, and what was no estimate request as "problem"."""
    for each in answers:
        ESTIMATES.labels(verdict=str(each.get("verdict", "problem"))).inc()
