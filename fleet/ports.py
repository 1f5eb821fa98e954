"""What the fleet needs of the app above it; `config/wiring.py` binds it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from access.ports import Port


class NodeWork(Protocol):
    """What a node is to do: the agent asks the fleet, and ops decides."""

    def open_for(self, node_id: int) -> Sequence[Mapping[str, Any]]:
        """Return the open pieces of work of a node, oldest first, as the agent's protocol words them."""


class NodePanels(Protocol):
    """What the page of a node shows of the app above: the name of a template, and its context."""

    def panels_for(self, node_id: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Return the panels in the order in which the page shows them."""


node_work: Port[NodeWork] = Port()
node_panels: Port[NodePanels] = Port()
