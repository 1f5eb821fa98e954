"""Work of the planner that the tick wakes up."""

from datetime import timedelta

from celery import shared_task

from access.counters import allow
from planner.plans.evaluating import evaluate_due
from planner.queries.evaluations import are_due

# Twice the time that one task takes, so that one worker is at it at a time and others wait half of its time at most.
EVALUATE_EVERY = timedelta(seconds=10)


@shared_task
def evaluate_plans() -> None:
    """Judge saved plans again whose catalog, engines, calibration or prices changed."""
    evaluate_due()


def wake() -> None:
    """Called with each tick: queue what is due."""
    if are_due() and allow("evaluate-plans", limit=1, window=EVALUATE_EVERY):
        evaluate_plans.delay()
