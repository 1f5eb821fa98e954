"""Bringing an installation up to date: what is out of reach is named, and two that start together wait."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.db import connection

from config.management.commands.prepare import _one_at_a_time
from tests.access.threads import at_once


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"DATABASE_URL": "sqlite:////nowhere/x.sqlite3"}, ["/nowhere/x.sqlite3", "DATABASE_URL"]),
        ({"DATABASE_URL": "sqlite:////etc/passwd"}, ["/etc/passwd", "DATABASE_URL", "not a database"]),
        ({"DATABASE_URL": "postgresql://u:sesame@127.0.0.1:1/plans"}, ["plans on 127.0.0.1", "DATABASE_URL"]),
        ({"REDIS_URL": "redis://:sesame@127.0.0.1:1/0"}, ["Redis", "REDIS_URL"]),
        ({"REDIS_URL": "redis.example.com"}, ["REDIS_URL", "must look like"]),
        ({"REDIS_URL": "redis://:sesame@h:99999"}, ["REDIS_URL", "port"]),
    ],
)
def test_what_is_out_of_reach_is_named_in_one_line(
    variables: dict[str, str], named: list[str], root: Path, tmp_path: Path
) -> None:
    kept = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
    done = subprocess.run(
        [sys.executable, "manage.py", "prepare"],
        cwd=root,
        env={**kept, "DECODECK_VAR": str(tmp_path), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "sesame" not in done.stderr
    assert [word for word in named if word not in done.stderr] == []


@pytest.mark.django_db(transaction=True)
def test_two_that_start_on_one_database_take_turns() -> None:
    if connection.vendor != "postgresql":
        return  # a SQLite file is one machine's, and `make run` locks its folder
    inside = threading.Semaphore(1)

    def turn() -> bool:
        with _one_at_a_time():
            alone = inside.acquire(blocking=False)
            threading.Event().wait(0.1)
            inside.release()
            return alone

    assert at_once(turn, times=3) == [True, True, True]
