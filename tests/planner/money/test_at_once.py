"""Quotes when several people or processes write at the same time, and when one is killed in the middle."""

import os
import signal
from decimal import Decimal
from itertools import count
from typing import Any

import pytest
from django.db import connection, connections

from access.models import AuditEvent
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.quotes import change_quote, create_quotes, set_rate
from planner.models import ExchangeRate, Quote
from tests.access.people import person, signed_in
from tests.access.threads import at_once
from tests.planner.money.offers import ON, offer, rate

pytestmark = pytest.mark.django_db(transaction=True)
IMPORT = "/buy/quotes/import/"
HEAD = "subject,unit_price,currency,supplier,source,quoted_on"


def test_one_of_many_corrections_of_a_quote_is_kept_and_the_others_are_told() -> None:
    quote, actor, prices = offer(), person(Role.OPERATOR), count(1000)

    def correct() -> str:
        try:
            made = change_quote(quote, revision=1, actor=actor, unit_price=Decimal(next(prices)))
        except ConflictError as conflict:
            return f"told of revision {conflict.current.revision}"  # type: ignore[attr-defined]
        return str(made.unit_price)

    answers = sorted(at_once(correct, times=4))
    assert answers[1:] == ["told of revision 2"] * 3
    assert Quote.objects.get().unit_price == Decimal(answers[0])
    assert AuditEvent.objects.filter(action="quote.change").count() == 1


def test_one_of_many_settings_of_a_rate_is_kept() -> None:
    rate("CNY", "7.1")
    actor = person(Role.OPERATOR)

    def set_it() -> bool:
        try:
            set_rate("CNY", per_usd=Decimal("7.2"), as_of=ON, source="bank", revision=1, actor=actor)
        except ConflictError:
            return False
        return True

    assert sorted(at_once(set_it, times=4)) == [False, False, False, True]
    assert ExchangeRate.objects.get().revision == 2


def test_file_that_is_sent_twice_at_once_is_kept_once() -> None:
    actor = person(Role.OPERATOR)
    rows = "\n".join(f"nvidia-l4,{price},USD,Hua Dong,offer,2026-11-24" for price in range(100, 150))

    def keep() -> int:
        return signed_in(actor).post(IMPORT, {"text": f"{HEAD}\n{rows}\n", "keep": "1"}).status_code

    assert set(at_once(keep, times=3)) <= {200, 302}
    assert Quote.objects.count() == 50


def test_import_that_is_killed_leaves_nothing() -> None:
    actor = person(Role.OPERATOR)
    rows = [
        {
            "subject": "nvidia-l4",
            "unit_price": Decimal(number + 1),
            "currency": "USD",
            "supplier": "Hua Dong",
            "source": "offer",
            "quoted_on": ON,
        }
        for number in range(2_000)
    ]
    # A child must not share the connection of its parent.
    connections.close_all()
    child = os.fork()
    if child == 0:
        with connection.execute_wrapper(_killed_in_the_third_batch()):
            create_quotes(rows, actor=actor)
        os._exit(0)
    _pid, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert (Quote.objects.count(), AuditEvent.objects.count()) == (0, 0)
    assert len(create_quotes(rows, actor=actor)) == 2_000


def _killed_in_the_third_batch() -> Any:
    batches = count(1)

    def run(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("INSERT") and next(batches) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, *rest)

    return run
