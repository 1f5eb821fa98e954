"""A place where a lower app says what it needs of a higher one, without importing it."""

from typing import Generic, TypeVar

Needed = TypeVar("Needed")


class Port(Generic[Needed]):
    """Holds what `config/wiring.py` bound to it; None while the app that offers it isn't built."""

    def __init__(self) -> None:
        self.bound: Needed | None = None

    def bind(self, offered: Needed) -> None:
        """Use `offered` from now on."""
        self.bound = offered
