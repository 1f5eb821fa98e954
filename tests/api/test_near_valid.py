"""Bodies, filters and headers that are almost right: an answer that the description allows, and never a failure of ours.

`API_FUZZ_EXAMPLES` says how many of each are tried.
"""

import copy
import os
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from access.models import Counter
from access.roles import Role
from tests.access.people import person
from tests.api.described import Operation, faults, operations
from tests.api.world import World, example

EXAMPLES = int(os.environ.get("API_FUZZ_EXAMPLES", "10"))
ALL = list(operations())
bounded = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="API_FUZZ_EXAMPLES" not in os.environ,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    0.5,
    1e308,
    -1e-300,
    2**31,
    2**63,
    10**30,
    "",
    " ",
    "0",
    "-1",
    "1e400",
    "NaN",
    "Infinity",
    "１２",
    "²",
    "=1+1",
    "x" * 5_000,
    "\u202e\u0301\U0001f9ea",
    "2026-02-30",
    "9999-12-31",
    "0001-01-01",
    "nvidia-rtx-4090",
    "../../etc",
    [],
    [None],
    [[]],
    {},
    {"": {}},
    {"p50": 1, "p90": 1, "p99": 1},
]
odd = st.one_of(
    st.sampled_from(ODD),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30),
).map(copy.deepcopy)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything within a JSON value, itself first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in inner for found in places(item, (*path, key)))]


@st.composite
def near(draw: st.DrawFn, valid: Any) -> Any:
    """A valid body with one to three things replaced, taken out, repeated or added."""
    body = copy.deepcopy(valid)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(places(body)))
        if not path:
            body = (
                draw(st.one_of(odd, st.just([body]), st.just([body, body]))) if draw(st.booleans()) else body
            )
            continue
        outer = body
        for key in path[:-1]:
            outer = outer[key]
        deed = draw(st.sampled_from(["replace", "replace", "take out", "repeat", "add"]))
        if deed == "replace":
            outer[path[-1]] = draw(odd)
        elif deed == "take out":
            del outer[path[-1]]
        elif deed == "repeat":
            outer[path[-1]] = [outer[path[-1]]] * draw(st.integers(1, 3))
        elif isinstance(outer, dict):
            outer[draw(st.sampled_from(["", "id", "name", "count", "x"]))] = draw(odd)
    return body


@pytest.mark.parametrize("tag", sorted({operation.tag for operation in ALL}))
def test_almost_valid_bodies(tag: str, world: World, subtests: Any) -> None:
    for operation in ALL:
        if operation.tag == tag and operation.body is not None:
            with subtests.test(operation.name), transaction.atomic():
                try_bodies(operation, world)
                transaction.set_rollback(True)


def try_bodies(operation: Operation, world: World) -> None:
    valid = example(operation)
    headers = {"If-Match": world.revision(operation)}

    @bounded
    @given(body=near(valid))
    def check(body: Any) -> None:
        Counter.objects.all().delete()
        with transaction.atomic():
            held(operation, world.send(operation, body, headers=headers))
            transaction.set_rollback(True)

    check()


def held(operation: Operation, answer: Any) -> None:
    """The answer keeps to the description."""
    kind = answer.headers.get("Content-Type", "")
    value = answer.json() if "json" in kind else None
    assert faults(operation, answer.status_code, kind, value) == [], (
        answer.status_code,
        answer.content[:500],
    )


def test_odd_filters(world: World, subtests: Any) -> None:
    for operation in ALL:
        if operation.method == "get" and operation.parameters("query"):
            with subtests.test(operation.name), transaction.atomic():
                try_filters(operation, world)


def try_filters(operation: Operation, world: World) -> None:
    texts = st.one_of(st.sampled_from([str(item) for item in ODD]), st.text(max_size=20))
    names, address = sorted(operation.parameters("query")), world.address(operation)

    @bounded
    @given(query=st.dictionaries(st.sampled_from(names), texts, min_size=1, max_size=3))
    def check(query: dict[str, str]) -> None:
        Counter.objects.all().delete()
        sent = {name: text.encode("utf-8", "replace").decode() for name, text in query.items()}
        held(operation, world.root.get(address, sent))

    check()


@pytest.mark.parametrize("text", ["", "x", '"', "-1", '"77"', '"99999999999"', "W/", "*", '"1", "2"'])
def test_odd_revisions_change_nothing(text: str, world: World) -> None:
    person(Role.OPERATOR, name="ada")  # the example gives her a plan
    for operation in ALL:
        if "If-Match" in operation.parameters("header"):
            answer = world.send(operation, example(operation), headers={"If-Match": text})
            assert answer.status_code in (412, 428), (operation.name, answer.content)
