"""Each file of a plan read back, and the bill in it held against sums made by hand."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft202012Validator
from openpyxl import load_workbook

from access.models import User
from access.roles import Role
from access.scopes import Scope
from planner.core.figures import DASH
from planner.models import SavedPlan
from planner.schemas.plan_files import BILL, DOCUMENT
from tests.access.people import bearer, person, signed_in, token_text
from tests.planner.browse.small import CARD, MODEL, small_catalog
from tests.planner.evaluations.plans import kept_plan
from tests.planner.money.offers import offer

pytestmark = pytest.mark.django_db
FORMULA = '=HYPERLINK("http://x.example","pay")'
RACK = "Rack | *4U*"
# By hand: one L4 at 2,500.50 and two spare ones, two licences at 100, and a rack that nobody priced.
LINES = [
    ("accelerator", "L4", 1, 2500.5, 2500.5),
    ("spare", "L4", 2, 2500.5, 5001.0),
    ("extra", FORMULA, 2, 100.0, 200.0),
    ("extra", RACK, 1, None, None),
]
PRICED = 7701.5
BOARD_W = 72  # NVIDIA L4 datasheet


@pytest.fixture(autouse=True)
def catalog(db: None, tmp_path: Path) -> None:
    """The small catalog, synced."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    small_catalog(folder)


@pytest.fixture
def ada(catalog: None) -> User:
    return person(Role.OPERATOR, name="ada")


def ordered(ada: User, *, rack: float | None = None, **more: Any) -> SavedPlan:
    """The plan of LINES; with a price of the rack its bill is whole."""
    offer(CARD, price="2500.50", currency="USD", supplier="@Supplier", source="-1+2 offer", valid_until=None)
    extra = [
        {"name": FORMULA, "quantity": 2, "unit_price": 100, "source": "+cmd"},
        {"name": RACK, **({} if rack is None else {"unit_price": rack})},
    ]
    return kept_plan(ada, name="=Chat | desk", bill={"currency": "USD", "spares": 2, "extra": extra}, **more)


@pytest.fixture
def plan(ada: User) -> SavedPlan:
    return ordered(ada)


@pytest.fixture
def client(ada: User) -> Client:
    return signed_in(ada)


def exported(client: Client, plan: SavedPlan, ending: str) -> Any:
    response = client.get(f"/plans/{plan.uid}/export.{ending}")
    assert response.status_code == 200
    assert response["Content-Disposition"] == f'attachment; filename="plan-{plan.uid}-v1.{ending}"'
    return response


def test_json_is_the_document_of_its_schema(client: Client, plan: SavedPlan) -> None:
    found = json.loads(exported(client, plan, "json").content)
    Draft202012Validator(DOCUMENT).validate(found)
    items = [
        (item["kind"], item["name"], item["quantity"], item["unit_price"], item["total"])
        for item in found["bill"]["items"]
    ]
    assert items == LINES
    bill = found["bill"]
    assert (bill["total"], bill["priced_total"], bill["unpriced"], bill["power_w"]) == (
        None,
        PRICED,
        [RACK],
        BOARD_W,
    )
    assert [item["power_total_w"] for item in bill["items"]] == [BOARD_W, None, None, None]
    assert [item["lack"] and item["lack"]["code"] for item in bill["items"]] == [None, None, None, "unstated"]
    price = bill["items"][0]["price"]
    assert (price["kind"], price["supplier"], price["source"]) == ("quoted", "@Supplier", "-1+2 offer")


def test_whole_bill_has_a_total(client: Client, ada: User) -> None:
    found = json.loads(exported(client, ordered(ada, rack=298.5), "json").content)
    assert (found["bill"]["total"], found["bill"]["complete"]) == (8000.0, True)


def test_csv_has_one_line_per_item_and_no_formula(client: Client, plan: SavedPlan) -> None:
    text = exported(client, plan, "csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    read = [
        (
            row["kind"],
            row["name"],
            row["quantity"] and int(row["quantity"]),
            float(row["unit_price"]) if row["unit_price"] else None,
            float(row["total"]) if row["total"] else None,
        )
        for row in rows
    ]
    guarded = [(kind, f"'{name}" if name == FORMULA else name, *rest) for kind, name, *rest in LINES]
    assert read == [*guarded, ("total", "", "", None, None)]
    assert {row["currency"] for row in rows} == {"USD"}
    assert [rows[0][name] for name in ("supplier", "source")] == ["'@Supplier", "'-1+2 offer"]
    assert rows[3]["no_price_because"] == "No price was typed for it."
    assert not [cell for row in rows for cell in row.values() if cell and cell[0] in "=+-@"]


def test_workbook_has_numbers_as_numbers_and_text_as_text(client: Client, plan: SavedPlan) -> None:
    book = load_workbook(io.BytesIO(exported(client, plan, "xlsx").content))
    assert book.sheetnames == ["Bill of materials", "Plan", "Cost of a year", "Alternatives"]
    cells = [list(row) for row in book["Bill of materials"].iter_rows(min_row=5, max_row=9)]
    read = [(row[1].value, row[2].value, row[3].value, row[4].value) for row in cells]
    assert read == [line[1:] for line in LINES] + [("In all", None, None, None)]
    assert [row[0].value for row in cells[:4]] == ["Accelerator", "Spare", "Other", "Other"]
    types = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert types == {"s", "n"}
    assert cells[2][1].value == FORMULA
    assert cells[0][4].number_format == "#,##0.00##"
    assert not [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.hyperlink]


def test_markdown_shows_names_as_they_were_typed(client: Client, plan: SavedPlan) -> None:
    text = exported(client, plan, "md").content.decode()
    lines = text.splitlines()
    assert lines[0] == r"# \=Chat \| desk"
    line = next(line for line in lines if line.startswith("| Other") and "4U" in line)
    assert r"Rack \| \*4U\*" in line
    card = next(line for line in lines if line.startswith("| Accelerator"))
    assert "USD\N{NO-BREAK SPACE}2,500.50" in card
    assert [text.count("|") - text.count(r"\|") for text in (card, line)] == [11, 11]  # ten columns
    assert "[" not in text.replace(r"\[", "") and "<" not in text.replace(r"\<", "")


def test_every_file_and_the_page_tell_the_same_amounts(client: Client, ada: User) -> None:
    plan = ordered(ada, rack=298.5)
    files = {ending: exported(client, plan, ending).content for ending in ("csv", "md")}
    page = client.get(f"/plans/{plan.uid}/bill/").content.decode()
    assert "total,,,,,8000.0,USD" in files["csv"].decode()
    total = "USD\N{NO-BREAK SPACE}8,000 in all"
    assert total.replace("\N{NO-BREAK SPACE}", " ") in files["md"].decode().replace("\N{NO-BREAK SPACE}", " ")
    assert total in page.replace("&nbsp;", "\N{NO-BREAK SPACE}")
    book = load_workbook(io.BytesIO(exported(client, plan, "xlsx").content))
    assert [row[4].value for row in book["Bill of materials"].iter_rows(min_row=5, max_row=9)][-1] == 8000


def test_workbook_is_the_same_file_for_the_same_version(client: Client, plan: SavedPlan) -> None:
    first, second = (exported(client, plan, "xlsx").content for _turn in range(2))
    sheets = [
        [
            [cell.value for cell in row]
            for sheet in load_workbook(io.BytesIO(content))
            for row in sheet.iter_rows()
        ]
        for content in (first, second)
    ]
    assert sheets[0] == sheets[1]


def test_older_version_is_exported_as_it_was(client: Client, plan: SavedPlan) -> None:
    assert client.get(f"/plans/{plan.uid}/export.json?version=1").status_code == 200
    for address in ("export.json?version=7", "export.json?version=x", "export.pdf", "bill/?version=0"):
        assert client.get(f"/plans/{plan.uid}/{address}").status_code == 404


def test_call_gives_the_bill_and_its_alternatives(client: Client, plan: SavedPlan) -> None:
    found = client.get(f"/api/v1/plans/{plan.uid}/bill").json()
    Draft202012Validator(BILL).validate(found)
    assert (found["plan"]["uid"], found["priced_total"], len(found["items"])) == (plan.uid, PRICED, 4)
    others = {item["accelerator"] for item in found["alternatives"]["items"]}
    assert others and CARD not in others


@pytest.mark.parametrize("ending", ["json", "csv", "md", "xlsx"])
def test_call_gives_each_file(client: Client, plan: SavedPlan, ending: str) -> None:
    response = client.get(f"/api/v1/plans/{plan.uid}/export", {"format": ending})
    assert response.status_code == 200
    assert response["Content-Type"].partition(";")[0] == exported(client, plan, ending)["Content-Type"]
    assert response["Content-Disposition"] == f'attachment; filename="plan-{plan.uid}-v1.{ending}"'
    if ending != "xlsx":
        assert response.content == exported(client, plan, ending).content


def test_format_that_nobody_writes_is_refused(client: Client, plan: SavedPlan) -> None:
    assert client.get(f"/api/v1/plans/{plan.uid}/export", {"format": "pdf"}).status_code == 404
    assert client.get(f"/api/v1/plans/{plan.uid}/export", headers={"Accept": "image/png"}).status_code == 406
    assert client.get(f"/api/v1/plans/{plan.uid}/export", headers={"Accept": "text/csv"}).status_code == 200


def test_token_without_the_scope_reads_no_bill(plan: SavedPlan) -> None:
    client = bearer(token_text(person(Role.VIEWER), Scope.QUOTES_READ))
    for path in ("bill", "export"):
        assert client.get(f"/api/v1/plans/{plan.uid}/{path}").status_code == 403


def test_page_says_what_has_no_price_and_why(client: Client, plan: SavedPlan) -> None:
    response = client.get(f"/plans/{plan.uid}/bill/")
    page = response.context["page"]
    assert page.sentence.replace("\N{NO-BREAK SPACE}", " ") == (
        f"No total: {RACK} without a price. The rest comes to USD 7,701.50."
    )
    assert [item.whose for item in page.items][3] == "No price was typed for it."
    assert "&lt;script" not in response.content.decode()
    assert page.power == "72"


def test_quote_that_came_since_is_said(client: Client, ada: User) -> None:
    plan = kept_plan(ada, bill={"currency": "USD"})
    before = client.get(f"/plans/{plan.uid}/bill/").context["page"].items[0]
    assert (before.unit_price, before.whose) == (DASH, "Nobody has priced it.")
    offer(CARD, price="2500", currency="USD", valid_until=None)
    after = client.get(f"/plans/{plan.uid}/bill/").context["page"].items[0]
    assert after.whose == "It has a price today: keep another version to take it in."


def test_plan_without_a_load_has_a_bill_and_no_alternatives(client: Client, ada: User) -> None:
    request = {"model": {"id": MODEL}, "accelerator": CARD}
    body = {"name": "weights alone", "content": {"request": request}}
    made = client.post("/api/v1/plans", body, content_type="application/json").json()
    found = client.get(f"/api/v1/plans/{made['uid']}/bill").json()
    assert ([item["id"] for item in found["items"]], found["alternatives"]["items"]) == ([CARD], [])
    assert client.get(f"/plans/{made['uid']}/bill/").status_code == 200


def test_plan_without_a_card_orders_nothing(client: Client) -> None:
    body = {"name": "model alone", "content": {"request": {"model": {"id": MODEL}}}}
    made = client.post("/api/v1/plans", body, content_type="application/json").json()
    assert client.get(f"/api/v1/plans/{made['uid']}/bill").json()["items"] == []
    response = client.get(f"/plans/{made['uid']}/bill/")
    assert response.context["page"].sentence == "Nothing is ordered: the plan names no accelerator."
    for ending in ("json", "csv", "md", "xlsx"):
        assert client.get(f"/plans/{made['uid']}/export.{ending}").status_code == 200


@pytest.mark.parametrize("address", ["/plans/{}/bill/", "/plans/{}/export.xlsx", "/api/v1/plans/{}/bill"])
def test_long_bill_asks_as_often_as_a_short_one(client: Client, ada: User, address: str) -> None:
    long = {"extra": [{"name": f"item {number}", "unit_price": number} for number in range(40)]}
    plans = [kept_plan(ada), kept_plan(ada, bill=long)]
    client.get(address.format(plans[0].uid))  # what a first call alone asks
    counts = []
    for plan in plans:
        with CaptureQueriesContext(connection) as seen:
            assert client.get(address.format(plan.uid)).status_code == 200
        counts.append(len(seen))
    assert counts[0] == counts[1]
