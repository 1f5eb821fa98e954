"""What the list pages cost on PostgreSQL with 10,000 quotes and 5,000 plans: queries, and time in the database.

Each address is asked for several times after a first one; the time is the median of the sums over the queries of one
request, as the web process waits for them. A line over the limit is marked and its slowest query explained.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from scripts.services import postgresql

ROUNDS = 7
LIMIT_MS = 50.0
LISTS = {
    "/buy/quotes/": [
        *("", "q=nvidia+trading", "q=zzz", "q=l4&state=valid&currency=CNY&offer=purchase"),
        *("state=valid", "state=expired", "state=withdrawn", "offer=rent_hour", "subject_kind=accelerator"),
        *("supplier=nord", "currency=CNY", "page=200", "sort=price&page=100", "sort=-price"),
        *("sort=subject", "sort=offer", "sort=quantity", "sort=supplier", "sort=quoted", "sort=until"),
    ],
    "/plans/": [
        *("", "q=chat+llama", "q=zzz", "q=department+12&state=draft&verdict=fits", "state=approved"),
        *(
            "verdict=fits",
            "owner=operator-3",
            "show=archived",
            "show=flipped",
            "page=90",
            "sort=price&page=50",
        ),
        *("sort=name", "sort=state", "sort=model", "sort=accelerator", "sort=verdict", "sort=tpot"),
        *("sort=-rate", "sort=-price", "sort=owner", "sort=updated"),
    ],
    "/catalog/accelerators/": [
        *("", "q=nvidia+80gb", "vendor=NVIDIA", "accelerator_class=consumer", "origin=shipped"),
        *("min_memory=80", "min_bandwidth=1000&max_power=700", "page=3", "sort=name", "sort=class"),
        *("sort=-memory", "sort=bandwidth", "sort=power"),
    ],
    "/catalog/platforms/": ["", "q=dgx", "min_cards=8", "sort=kind", "sort=-cards"],
    "/catalog/models/": [
        *("", "q=qwen", "size=10", "experts=true", "edge=true", "page=2"),
        *("sort=family", "sort=-parameters", "sort=-context"),
    ],
    "/catalog/engines/": ["", "q=vllm", "sort=newest"],
    "/catalog/quantization/": ["", "q=int4", "sort=bits"],
    "/catalog/names/": ["", "q=board", "page=2"],
    "/lengths/": [""],
    "/account/audit/": [""],
    "/account/webhooks/": [""],
    "/api/v1/quotes": ["", "limit=200", "q=nvidia+trading", "state=valid", "currency=CNY&offer=purchase"],
    "/api/v1/plans": ["", "limit=200", "q=chat+llama", "state=approved", "owner=operator-3"],
    "/api/v1/accelerators": ["", "limit=200", "q=nvidia"],
    "/api/v1/platforms": [""],
    "/api/v1/models": [""],
    "/api/v1/engines": [""],
    "/api/v1/schemes": [""],
    "/api/v1/accelerator-names": [""],
    "/api/v1/length-logs": [""],
}
# Lists that come in pieces when somebody scrolls or filters.
WITH_HTMX = ("/buy/quotes/", "/plans/", "/catalog/accelerators/")
# Pages of 200 rows to walk before the one that is measured.
DEEP = {"/api/v1/quotes": 40, "/api/v1/plans": 20}


@dataclass(slots=True)
class Watch:
    """Counts and times what goes to the database."""

    queries: int = 0
    ms: float = 0.0
    slowest: tuple[float, str, Any] = (0.0, "", None)

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        start = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            took = (time.perf_counter() - start) * 1e3
            self.queries, self.ms = self.queries + 1, self.ms + took
            if took > self.slowest[0]:
                self.slowest = (took, sql, params)


def main() -> int:
    """Fill a database, ask for every list, print a line for each; 1 when one takes longer than it may."""
    with database() as client:
        print(f"{'ms':>7s} {'worst':>7s} {'queries':>7s}")
        over = [_measured(client, address, headers) for address, headers in _addresses(client)]
        return int(any(over))


@contextmanager
def database() -> Iterator[Any]:
    """A filled PostgreSQL of our own, and a browser signed in to it."""
    with tempfile.TemporaryDirectory(prefix="decodeck-") as folder, postgresql() as url:
        os.environ |= {
            "DATABASE_URL": url,
            "DECODECK_VAR": folder,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "LOG_LEVEL": "WARNING",
        }
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection
        from django.test import Client

        from benchmarks._seed import fill, people

        call_command("migrate", verbosity=0)
        call_command("sync_catalog", verbosity=0)
        users = people()
        fill(users)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        client = Client(SERVER_NAME="localhost")
        client.force_login(users[0])
        yield client
        connection.close()


def _addresses(client: Any) -> Iterator[tuple[str, dict[str, str]]]:
    for path, queries in LISTS.items():
        for query in queries:
            yield f"{path}?{query}" if query else path, {}
        if path in WITH_HTMX:
            yield f"{path}?{queries[1]}", {"HX-Request": "true"}
        if path in DEEP:
            yield _deep(client, path), {}


def _deep(client: Any, path: str) -> str:
    """The address of a page far down a list that has no numbers of pages."""
    address = f"{path}?limit=200"
    for _page in range(DEEP[path]):
        address = client.get(address).json()["next"]
    return address.partition("localhost")[2]


def _measured(client: Any, address: str, headers: dict[str, str]) -> bool:
    """Print what an address costs; true when it is more than it may be."""
    _asked(client, address, headers)
    watches = [_asked(client, address, headers) for _ in range(ROUNDS)]
    times = sorted(watch.ms for watch in watches)
    counts = sorted({watch.queries for watch in watches})
    over = statistics.median(times) > LIMIT_MS
    shown = "/".join(str(count) for count in counts)
    mark = "  OVER" if over else ""
    print(f"{statistics.median(times):7.1f} {times[-1]:7.1f} {shown:>7s}  {address[:110]}{'  HTMX' if headers else ''}{mark}", flush=True)  # fmt: skip
    if over:
        _explain(max(watches, key=lambda watch: watch.slowest[0]).slowest)
    return over


def _asked(client: Any, address: str, headers: dict[str, str]) -> Watch:
    from django.db import connection

    watch = Watch()
    with connection.execute_wrapper(watch):
        response = client.get(address, headers=headers)
    assert response.status_code == 200, f"{response.status_code} for {address}"
    return watch


def _explain(query: tuple[float, str, Sequence[Any]]) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS) {query[1]}", query[2])
        for (line,) in cursor.fetchall():
            print(f"{'':24s}{line}")


if __name__ == "__main__":
    sys.exit(main())
