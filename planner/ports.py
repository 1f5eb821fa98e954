"""What the planner needs of the apps above it; `config/wiring.py` binds it."""

from collections.abc import Mapping
from typing import Protocol

from access.ports import Port


class OwnedHardware(Protocol):
    """The accelerators that the organisation has already, for plans that should use them first."""

    def counts(self) -> Mapping[str, int]:
        """Return how many cards of each catalog accelerator are in service, by its id."""


owned_hardware: Port[OwnedHardware] = Port()
