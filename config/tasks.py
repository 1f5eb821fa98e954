"""The tick: what the scheduler sends every few seconds, and what it finds due."""

import logging

from access.tasks import wake as wake_access
from config.celery import app
from planner.tasks import wake as wake_planner

log = logging.getLogger("decodeck.tick")


@app.task(name="config.tick")
def tick() -> None:
    """Do what is due. Each piece claims its rows, so that two ticks at once do nothing twice."""
    wake_access()
    wake_planner()
    log.debug("tick")
