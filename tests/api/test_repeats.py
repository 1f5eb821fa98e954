"""A write that is sent again under its key is done once, whichever it is."""

from typing import Any

from django.db import transaction

from tests.api.described import operations
from tests.api.test_rights import rows
from tests.api.world import World, example

TOLD_ONCE = ("secret", "url")


def test_repeats_are_done_once_and_say_the_same(world: World, subtests: Any) -> None:
    for operation in operations():
        if "Idempotency-Key" not in operation.parameters("header"):
            continue
        headers = {"Idempotency-Key": "k1", "If-Match": world.revision(operation)}
        with subtests.test(operation.name), transaction.atomic():
            first = world.send(operation, example(operation), headers=headers)
            before = rows()
            again = world.send(operation, example(operation), headers=headers)
            assert (again.status_code, rows()) == (first.status_code, before)
            if first.status_code < 300:
                assert again.headers["Idempotency-Replayed"] == "true"
                assert again.headers.get("ETag") == first.headers.get("ETag")
                assert seen(again) == seen(first)
            transaction.set_rollback(True)


def seen(answer: Any) -> Any:
    """An answer without what only the first one tells."""
    if not answer.content:
        return None
    body = answer.json()
    return (
        {key: value for key, value in body.items() if key not in TOLD_ONCE}
        if isinstance(body, dict)
        else body
    )
