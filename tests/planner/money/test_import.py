"""Quotes from CSV files: what is read, shown first, kept as a whole or refused cell by cell; and out again."""

import csv
import io
from datetime import date
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from access.middleware import body_limit
from access.models import AuditEvent
from access.roles import Role
from planner.models import Quote
from planner.money import files
from tests.access.people import person, signed_in
from tests.planner.money.offers import offer
from tests.planner.money.test_pages import text_of

IMPORT = "/buy/quotes/import/"
HEAD = "subject,unit_price,currency,supplier,source,quoted_on"
ROW = "nvidia-rtx-4090,15800.00,CNY,Hua Dong,offer 7,2026-11-24"
pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return signed_in(person(Role.OPERATOR))


def send(client: Client, data: bytes | str, **more: Any) -> Any:
    content = data if isinstance(data, bytes) else data.encode()
    return client.post(IMPORT, {"file": SimpleUploadedFile("quotes.csv", content), **more})


def keep(client: Client, text: str) -> Any:
    return client.post(IMPORT, {"text": text, "keep": "1"}, follow=True)


def test_file_is_shown_before_anything_is_kept(client: Client) -> None:
    response = send(client, f"{HEAD}\n{ROW}\n")
    assert (response.status_code, Quote.objects.count()) == (200, 0)
    text = text_of(response)
    assert "1 quote was read. Nothing is kept yet." in text
    assert "2 GeForce RTX 4090 Purchase CNY 15,800 1 Hua Dong 2026-11-24 –" in text
    assert f"{HEAD}\n{ROW}" in response.content.decode().replace("\r\n", "\n")


def test_shown_file_is_kept_as_a_whole(client: Client) -> None:
    second = ROW.replace("15800.00", "15900.00")
    response = keep(client, f"{HEAD}\n{ROW}\n{second}\n")
    assert "2 quotes are kept." in text_of(response)
    assert [str(quote.unit_price) for quote in Quote.objects.order_by("pk")] == ["15800.0000", "15900.0000"]
    event = AuditEvent.objects.get(action="quote.create_many")
    assert event.data["quotes"] == 2


CHINESE = "nvidia-rtx-4090,15800,CNY,华东贸易,报价单 7,2026年11月24日"


@pytest.mark.parametrize(
    "data",
    [
        f"{HEAD}\n{CHINESE}\n".encode(),
        f"{HEAD}\n{CHINESE}\n".encode("utf-8-sig"),  # with the mark that spreadsheets write
        f"{HEAD}\r\n{CHINESE}\r\n".encode("gb18030"),  # a spreadsheet on a Chinese system
        f"{HEAD}\n{CHINESE}\n".encode("gbk"),
        f"{HEAD}\n{CHINESE}\n".replace(",", "\t").encode("utf-16"),  # "Unicode text" of a spreadsheet
        f"{HEAD}\n{CHINESE}\n".replace(",", ";").encode(),
        f"{HEAD.upper().replace('_', ' ')}\n\n{CHINESE}\n\n,,,,,\n".encode(),
    ],
)
def test_file_is_read_as_spreadsheets_write_it(client: Client, data: bytes) -> None:
    response = send(client, data)
    assert response.status_code == 200
    assert "华东贸易 2026-11-24" in text_of(response)


def test_amounts_with_commas_and_cells_with_line_breaks_are_read(client: Client) -> None:
    row = '"nvidia-rtx-4090","15,800.50",CNY,"Hua\nDong",x,2026/11/24'
    keep(client, f"{HEAD}\n{row}\n{ROW}\n")
    first = Quote.objects.order_by("pk")[0]
    assert (str(first.unit_price), first.quoted_on) == ("15800.5000", date(2026, 11, 24))


def test_wrong_cells_are_named_by_line_and_column_and_nothing_is_kept(client: Client) -> None:
    bad = 'nvidia-rtx-4900,"15,8",RMB,,x,24.11.2026'
    response = send(client, f"{HEAD}\n{ROW}\n\n{bad}\n", keep="1")
    assert (response.status_code, Quote.objects.count()) == (422, 0)
    text = text_of(response)
    assert "4 subject The catalog has no such entry. Did you mean nvidia-rtx-4" in text
    assert "4 unit_price This is not an amount." in text
    assert "4 currency RMB is no currency of ISO 4217. Did you mean CNY?" in text
    assert "4 supplier This field is required." in text
    assert "4 quoted_on This is no day. Write it like 2026-11-24." in text


def test_line_after_a_cell_with_breaks_keeps_its_number(client: Client) -> None:
    broken = ROW.replace("Hua Dong", '"Hua\n\nDong"')
    response = send(client, f"{HEAD}\n{broken}\n{ROW.replace('CNY', 'ZZZ')}\n")
    assert "5 currency" in text_of(response)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "Choose a file, or paste its lines."),
        (HEAD.encode(), "This file has a head and no rows beneath it."),
        (b"subject,price\nx,1\n", "No column is called price."),
        (b"subject,supplier\nx,y\n", "subject and unit_price must be among them."),
        (f"{HEAD},subject\n{ROW},x\n".encode(), "Two columns are called subject."),
        # a head as long as a file may be is read once, not once for each of its names
        (b"subject,unit_price" + b",note" * 1_500_000, "Two columns are called note."),
        (f"{HEAD}\n{ROW},1,2\n".encode(), "Line 2 has more cells than the head"),
        (b"\xff" * 50, "This file is neither UTF-8 nor GB 18030 text."),
        (b"PK\x03\x04\x00\x00" + b"\x00" * 40, "it holds the character NUL"),
        (f'{HEAD}\n"nvidia-l4"x,1,CNY,a,b,2026-01-01\n'.encode(), "Line 2 cannot be read"),
    ],
)
def test_file_that_cannot_be_read_says_why(client: Client, data: bytes, message: str) -> None:
    response = send(client, data) if data else client.post(IMPORT, {})
    assert response.status_code == 422
    assert message in text_of(response)


def test_file_with_too_many_rows_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ROWS", 2)
    rows = "\n".join(ROW.replace("15800", str(15800 + n)) for n in range(3))
    assert "more than 2 rows" in text_of(send(client, f"{HEAD}\n{rows}\n"))


def test_file_of_several_megabytes_is_read(client: Client) -> None:
    assert body_limit(IMPORT) > files.MAX_BYTES
    rows = "\n".join(f"{ROW.replace('15800', str(15800 + n))},{'n' * 900}" for n in range(2_000))
    response = send(client, f"{HEAD},note\n{rows}\n")
    assert "2000 quotes were read" in text_of(response)


def test_file_that_outgrows_the_limit_as_utf_8_is_refused(client: Client) -> None:
    # two bytes a character in GB 18030, three in UTF-8
    note = "价" * 900
    rows = "\n".join(f"{ROW.replace('15800', str(15800 + n))},{note}" for n in range(3_000))
    response = send(client, f"{HEAD},note\n{rows}\n".encode("gb18030"))
    assert "This file is larger than 8 MB." in text_of(response)


def test_same_offer_twice_in_a_file_is_named(client: Client) -> None:
    again = ROW.replace("offer 7", "offer 8").replace("15800.00", '"15,800"')
    response = send(client, f"{HEAD}\n{ROW}\n{again}\n")
    assert response.status_code == 422
    assert "3 – The same offer as in line 2. Take one of them out." in text_of(response)


def test_offer_that_is_here_already_is_named_and_left_out(client: Client) -> None:
    keep(client, f"{HEAD}\n{ROW}\n")
    first = Quote.objects.get()
    second = ROW.replace("15800.00", "15900.00")
    response = send(client, f"{HEAD}\n{ROW}\n{second}\n")
    assert "2 quotes were read. Nothing is kept yet. 1 of them is here already and is left out." in text_of(
        response
    )
    assert f'<a href="/buy/quotes/{first.uid}/">here already</a>' in response.content.decode()
    keep(client, f"{HEAD}\n{ROW}\n{second}\n")
    assert Quote.objects.count() == 2


def test_file_of_nothing_new_keeps_nothing(client: Client) -> None:
    keep(client, f"{HEAD}\n{ROW}\n")
    response = keep(client, f"{HEAD}\n{ROW}\n")
    assert Quote.objects.count() == 1
    assert 'name="keep"' not in response.content.decode()


def test_withdrawn_offer_may_be_imported_again(client: Client) -> None:
    keep(client, f"{HEAD}\n{ROW}\n")
    Quote.objects.update(withdrawn_at="2026-11-25T00:00:00Z")
    keep(client, f"{HEAD}\n{ROW}\n")
    assert Quote.objects.count() == 2


def test_exported_file_is_imported_again_as_it_was(client: Client) -> None:
    offer("nvidia-l4", "2500.0125", supplier="=cmd()", note='a "note", with\nbreaks', source="-x")
    offer("rack", "1", subject_kind=Quote.Subject.ITEM, valid_until=None, supplier="华东")
    exported = b"".join(client.get("/buy/quotes/quotes.csv").streaming_content)
    assert exported.startswith(b"\xef\xbb\xbf")
    cells = [cell for row in csv.reader(io.StringIO(exported.decode("utf-8-sig"))) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert "2 of them are here already" in text_of(send(client, exported))
    before = list(Quote.objects.order_by("subject").values(*files.FIELDS))
    Quote.objects.all().delete()
    response = send(client, exported)
    assert "Keep 2 quotes" in text_of(response)
    keep(client, exported.decode("utf-8-sig"))
    assert list(Quote.objects.order_by("subject").values(*files.FIELDS)) == before


def test_export_has_what_the_filters_leave(client: Client) -> None:
    offer("nvidia-l4")
    offer("nvidia-a10")
    exported = b"".join(client.get("/buy/quotes/quotes.csv?q=a10").streaming_content).decode("utf-8-sig")
    assert [row["subject"] for row in csv.DictReader(exported.splitlines())] == ["nvidia-a10"]


def test_template_names_every_column(client: Client) -> None:
    body = b"".join(client.get("/buy/quotes/template.csv").streaming_content).decode("utf-8-sig")
    assert tuple(body.splitlines()[0].split(",")) == files.FIELDS


def test_long_file_takes_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    rows = "\n".join(ROW.replace("15800", str(15800 + n)) for n in range(1500))
    with django_assert_max_num_queries(12):
        send(client, f"{HEAD}\n{rows}\n")


def test_viewer_imports_nothing() -> None:
    assert send(signed_in(person(Role.VIEWER)), f"{HEAD}\n{ROW}\n", keep="1").status_code == 403
    assert Quote.objects.count() == 0
