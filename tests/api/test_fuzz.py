"""The whole REST interface under generated requests: no server error, and every answer is one that the description allows.

`API_FUZZ_EXAMPLES=500 make test ARGS="tests/api/test_fuzz.py"` takes longer and finds more.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from access.models import Counter
from access.roles import Role
from access.scopes import Scope
from config.wsgi import application
from tests.access.people import person, token_text
from tests.api.described import Operation, described, operations
from tests.api.world import World

EXAMPLES = int(os.environ.get("API_FUZZ_EXAMPLES", "5"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
ALL = list(operations())
READING = [scope for scope in Scope if scope.endswith(":read")]
schema = schemathesis.openapi.from_dict(described())
schema.app = application
bounded = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="API_FUZZ_EXAMPLES" not in os.environ,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


@contextmanager
def connection_kept() -> Iterator[None]:
    """Let the end of a call in this process not close the test's transaction. The test client does the same."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.parametrize("tag", sorted({operation.tag for operation in ALL}))
def test_generated_requests(tag: str, world: World, subtests: Any) -> None:
    for operation in ALL:
        if operation.tag == tag:
            with subtests.test(operation.name), transaction.atomic():
                try_out(operation, world)
                transaction.set_rollback(True)


def headers_of(world: World) -> dict[str, dict[str, str]]:
    """What each kind of caller sends along; who may do everything calls as often as the others together."""
    root = {"Authorization": f"Bearer {world.root_token}"}
    operator = token_text(person(Role.OPERATOR), *Scope)
    reader = token_text(world.admin, *READING)
    return {
        "root": root,
        "root again": root,
        "root a third time": root,
        "operator": {"Authorization": f"Bearer {operator}"},
        "reader": {"Authorization": f"Bearer {reader}"},
        "nobody": {},
    }


def try_out(operation: Operation, world: World) -> None:
    """Send requests that keep to the description and such that do not; half of them to something that exists.

    Half of them by who may do everything, the others by an operator, by a token that only reads, and by nobody.
    """
    callers = headers_of(world)
    strategy = schema[operation.path][operation.method].as_strategy()

    @bounded
    @given(case=strategy, at_home=st.booleans(), caller=st.sampled_from(sorted(callers)))
    def check(case: Any, at_home: bool, caller: str) -> None:
        Counter.objects.all().delete()  # more calls than a token has in a minute
        if at_home and operation.parameters("path"):
            case.path_parameters = world.path_values(operation)
            if "If-Match" in operation.parameters("header"):
                case.headers["If-Match"] = world.revision(operation)
        with connection_kept():
            answer = case.call_and_validate(headers=callers[caller], checks=CHECKS)
        refused = caller == "nobody" or (caller == "reader" and operation.scope not in READING)
        assert not refused or answer.status_code >= 400

    check()
