"""What Prometheus may scrape: counted in each web process, summed over all of them."""

from prometheus_client import Counter, Histogram

REQUESTS = Counter("decodeck_requests", "Answers by view, method and status.", ["view", "method", "status"])
REQUEST_SECONDS = Histogram(
    "decodeck_request_seconds",
    "Time to answer, by view.",
    ["view"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10),
)
