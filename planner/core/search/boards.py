"""Modules come on boards: which numbers of them a machine has, and how much of their boards a set-up uses."""

from dataclasses import dataclass

from planner.core.specs import AcceleratorSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Boards:
    """The boards that a number of modules takes: `boards` of `size` modules each, of which `used` are used."""

    size: int
    boards: int
    used: int

    @property
    def held(self) -> int:
        """Modules that come with these boards."""
        return self.boards * self.size


def is_sold(card: AcceleratorSpec, count: int) -> bool:
    """Whether a machine has so many: an even part of a board or whole boards; any number of what is not a module."""
    return not card.boards or any(size % count == 0 or count % size == 0 for size in card.boards)


def boards_for(card: AcceleratorSpec, count: int) -> Boards | None:
    """The smallest boards that hold so many, None for what is not a module."""
    if not card.boards:
        return None
    size = next((size for size in card.boards if size >= count), card.boards[-1])
    return Boards(size=size, boards=-(-count // size), used=count)
