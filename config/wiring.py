"""Binds each port to the app that offers what it needs: the one place that knows both sides."""

from typing import Any

from access.ports import Port

# planner.ports.owned_hardware is fleet's to offer, fleet.ports.node_work and node_panels are ops'.
BINDINGS: tuple[tuple[Port[Any], Any], ...] = ()


def bind_ports() -> None:
    """Bind every port that has an app to offer it; called once, when Django has loaded its apps."""
    for port, offered in BINDINGS:
        port.bind(offered)
