"""Ports are empty until something is bound."""

import pytest

from access.ports import Port
from config import wiring
from planner.ports import owned_hardware


class Cards:
    def counts(self) -> dict[str, int]:
        return {"nvidia-rtx-4090": 2}


def test_port_without_an_app_above_is_empty() -> None:
    assert owned_hardware.bound is None


def test_binding_gives_the_lower_app_what_the_higher_offers(monkeypatch: pytest.MonkeyPatch) -> None:
    port: Port[Cards] = Port()
    cards = Cards()
    monkeypatch.setattr(wiring, "BINDINGS", ((port, cards),))

    wiring.bind_ports()

    assert port.bound is cards
