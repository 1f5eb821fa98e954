"""Lists ask the database as often for fifty rows as for five, on pages, in pieces of pages and in the API."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from access.models import User
from access.roles import Role
from planner.answers.length_files import Question, Read, read_log
from planner.core.traffic.asked import Asked
from planner.models import Accelerator, AcceleratorMapping, LengthLog, ModelShape, Platform, Quote, SavedPlan
from tests.access.people import person, signed_in
from tests.planner.browse.conftest import catalog  # noqa: F401  # the small catalog, synced

FEW, MANY = 5, 50
Make = Callable[[int, User], Any]


def quote(number: int, owner: User) -> Quote:
    return Quote(
        subject=f"card-{number}",
        unit_price=number + 1,
        currency="EUR" if number % 2 else "CNY",
        supplier=f"supplier {number}",
        source="offer",
        quoted_on=date(2026, 11, 1),
        created_by=owner,
    )


def plan(number: int, owner: User) -> SavedPlan:
    return SavedPlan(
        name=f"plan {number}",
        owner=owner,
        model="acme/model",
        accelerator="nvidia-l4",
        count=1,
        engine="vllm",
        verdict="fits",
        purchase=number,
        currency="USD",
        flipped="verdict" if number % 2 else "",
    )


def length_log(number: int, owner: User) -> LengthLog:
    rows = b"input_tokens,output_tokens\n100,20\n300,40\n"
    read = read_log([rows], Question(asked=Asked(columns={}, unit_s=None)))
    assert isinstance(read, Read)
    return LengthLog(
        name=f"log {number}",
        origin="csv",
        requests=number,
        summary=read.found.summary,
        histograms=read.found.histograms,
        owner=owner,
    )


def copy_of(table: Any, number: int) -> Any:
    """A record like the first shipped one, under a name of its own."""
    entry = table.objects.order_by("pk")[0]
    entry.pk, entry.key = None, f"copy-{number}"
    return entry


def mapping(number: int, owner: User) -> AcceleratorMapping:
    card = Accelerator.objects.order_by("pk")[number % FEW]
    return AcceleratorMapping(reported_name=f"board {number}", accelerator=card, mapped_by=owner)


LISTS: dict[str, tuple[Any, Make]] = {
    "/buy/quotes/": (Quote, quote),
    "/buy/quotes/?q=supplier&state=valid&sort=-price": (Quote, quote),
    "/plans/": (SavedPlan, plan),
    "/plans/?q=plan&verdict=fits&sort=owner": (SavedPlan, plan),
    "/lengths/": (LengthLog, length_log),
    "/catalog/accelerators/?sort=name": (Accelerator, lambda number, _owner: copy_of(Accelerator, number)),
    "/catalog/platforms/?sort=-cards": (Platform, lambda number, _owner: copy_of(Platform, number)),
    "/catalog/models/?sort=family": (ModelShape, lambda number, _owner: copy_of(ModelShape, number)),
    "/catalog/names/": (AcceleratorMapping, mapping),
    "/api/v1/quotes": (Quote, quote),
    "/api/v1/plans": (SavedPlan, plan),
    "/api/v1/length-logs": (LengthLog, length_log),
    "/api/v1/accelerators": (Accelerator, lambda number, _owner: copy_of(Accelerator, number)),
    "/api/v1/platforms": (Platform, lambda number, _owner: copy_of(Platform, number)),
    "/api/v1/models": (ModelShape, lambda number, _owner: copy_of(ModelShape, number)),
    "/api/v1/accelerator-names": (AcceleratorMapping, mapping),
}


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["whole", "piece"])
@pytest.mark.parametrize("address", LISTS)
def test_list_asks_as_often_for_fifty_rows_as_for_five(address: str, headers: dict[str, str]) -> None:
    table, make = LISTS[address]
    owners = [person(Role.OPERATOR, name=f"owner-{number}") for number in range(MANY)]
    client = signed_in(owners[0])
    table.objects.bulk_create([make(number, owners[number]) for number in range(FEW)])
    few = queries_of(client, address, headers)
    table.objects.bulk_create([make(number, owners[number]) for number in range(FEW, MANY)])
    assert queries_of(client, address, headers) == few


def queries_of(client: Client, address: str, headers: dict[str, str]) -> int:
    """Queries of a second load: the first one may build the catalog."""
    client.get(address, headers=headers)
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address, headers=headers).status_code == 200
    return len(asked)
