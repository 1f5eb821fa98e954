"""What Prometheus may scrape: counted in each web process and summed over all, or read from the database."""

import math
import os
from collections.abc import Iterator

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from access.declare import require_scope
from access.models import OutboxMessage
from access.scopes import Scope
from config.celery import app

BROKER_TIMEOUT_S = 2
REQUESTS = Counter("decodeck_requests", "Answers by view, method and status.", ["view", "method", "status"])
REQUEST_SECONDS = Histogram(
    "decodeck_request_seconds",
    "Time to answer, by view.",
    ["view"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10),
)


@require_scope(Scope.METRICS_READ)
@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer in Prometheus's text format."""
    scraped = CollectorRegistry()
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(scraped)
    else:
        scraped.register(REGISTRY)
    scraped.register(StateCollector())
    return HttpResponse(generate_latest(scraped), content_type=CONTENT_TYPE_LATEST)


class StateCollector(Collector):
    """What stands in the database and in the queue at the moment of the scrape."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield a family per kind of state."""
        outbox = GaugeMetricFamily("decodeck_outbox_rows", "Mail and webhooks by state.", labels=["state"])
        counted = dict(OutboxMessage.objects.values_list("state").annotate(Count("pk")))
        for state in OutboxMessage.State.values:
            outbox.add_metric([state], counted.get(state, 0))
        yield outbox
        yield GaugeMetricFamily(
            "decodeck_queue_messages", "Messages that no worker has taken.", value=_queued()
        )


def _queued() -> float:
    """Count the messages that wait; NaN while the broker doesn't answer."""
    with app.connection_for_read() as broker:
        try:
            broker.ensure_connection(max_retries=0, timeout=BROKER_TIMEOUT_S)
            return float(
                broker.default_channel.queue_declare(app.conf.task_default_queue, passive=True).message_count
            )
        except broker.channel_errors:
            return 0.0  # Redis forgets a queue that is empty
        except OperationalError:
            return math.nan
