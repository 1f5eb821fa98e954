"""The address of the database, and that SQLite is set up for several processes."""

from pathlib import Path

import pytest
from django.db import connection

from config.database import database_from


def test_no_address_means_sqlite_in_the_given_file() -> None:
    found = database_from("", default_file=Path("/data/decodeck.sqlite3"))

    assert (found["ENGINE"], found["NAME"]) == ("django.db.backends.sqlite3", "/data/decodeck.sqlite3")


@pytest.mark.parametrize(
    ("url", "name"), [("sqlite:///relative.db", "relative.db"), ("sqlite:////data/a%20b.db", "/data/a b.db")]
)
def test_sqlite_address_names_a_file(url: str, name: str) -> None:
    assert database_from(url, default_file=Path("unused"))["NAME"] == name


def test_postgresql_address_is_taken_apart() -> None:
    found = database_from(
        "postgresql://us%40er:p%2Fw@db.example.com:6543/plans?sslmode=require", default_file=Path()
    )

    assert {key: found[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")} == {
        "NAME": "plans", "USER": "us@er", "PASSWORD": "p/w", "HOST": "db.example.com", "PORT": "6543",
    }  # fmt: skip
    assert found["OPTIONS"]["sslmode"] == "require"


def test_postgresql_socket_is_an_option() -> None:
    found = database_from("postgresql://decodeck@/plans?host=/run/Pg", default_file=Path())

    assert (found["HOST"], found["OPTIONS"]["host"]) == ("", "/run/Pg")


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:secret@h/d",
        "postgresql://u:secret@h",
        "postgresql://u:secret@h:port/d",
        "sqlite://",
        "secret",
    ],
)
def test_other_addresses_are_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(ValueError, match=r"must look like|port") as caught:
        database_from(url, default_file=Path())

    assert "secret" not in str(caught.value)


@pytest.mark.django_db
def test_sqlite_lets_readers_and_a_writer_work_at_once() -> None:
    if connection.vendor != "sqlite":
        assert connection.vendor == "postgresql"
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        assert cursor.fetchone() == ("wal",)
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone() == (20_000,)
