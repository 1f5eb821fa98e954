"""What the tests need is found, or the one line that brings it is named."""

import os

import pytest

from scripts.needs import Need, ensure


def test_nothing_missing_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert ensure((Need("a shell", lambda: True, ("dash",)),))
    assert capsys.readouterr().out == ""


def test_missing_program_is_named_with_the_line_that_brings_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As somebody who may not install: root would.
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    assert not ensure(
        (Need("Redis", lambda: False, ("redis-server",)), Need("gcc", lambda: False, ("gcc", "libc6-dev")))
    )

    assert capsys.readouterr() == (
        "Missing: Redis, gcc.\n",
        "Still missing: Redis, gcc. Run, as root:\n"
        "    apt-get update && apt-get install -y --no-install-recommends redis-server gcc libc6-dev\n",
    )
