"""The bill of materials of a set-up: what to order, how many, at whose price; what has no price says so."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from planner.core.cost.prices import Price, PriceBook
from planner.core.search.boards import boards_for
from planner.core.specs import AcceleratorSpec

# Platforms that come with their accelerators; a workstation or a chassis for cards is sold without them.
WITH_CARDS = frozenset({"server", "rack", "baseboard", "mini", "edge"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing to order. kind: accelerator | platform | spare | extra. Money in the bill's currency, None not known."""

    kind: str
    id: str | None
    name: str
    quantity: int
    unit_price: float | None
    price: Price | None
    power_w: float | None
    note: str = ""  # a code
    note_values: Mapping[str, Any] | None = None

    @property
    def total(self) -> float | None:
        """Price of all of them."""
        return None if self.unit_price is None else self.unit_price * self.quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """Something else that the buyer adds: a switch, a rack, a licence. `currency` is the bill's."""

    name: str
    quantity: int
    unit_price: float | None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """All lines, and what they add up to."""

    currency: str
    on: str
    lines: tuple[Line, ...]

    @property
    def priced_total(self) -> float:
        """Of the lines that have a price."""
        return sum(line.total or 0.0 for line in self.lines)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Names of the lines that have none."""
        return tuple(line.name for line in self.lines if line.total is None)

    @property
    def total(self) -> float | None:
        """None as soon as one line has no price: a sum with a hole is not a sum."""
        return None if self.unpriced or not self.lines else self.priced_total

    @property
    def power_w(self) -> float | None:
        """Of all that draws power and says how much; None where an accelerator or platform doesn't say."""
        drawing = [line for line in self.lines if line.kind in {"accelerator", "platform"}]
        if not drawing or any(line.power_w is None for line in drawing):
            return None
        return sum((line.power_w or 0.0) * line.quantity for line in drawing)

    def total_of(self, kind: str) -> float | None:
        """The sum of one kind of line: 0 where there is none, None where one has no price."""
        totals = [line.total for line in self.lines if line.kind == kind]
        return None if any(total is None for total in totals) else sum(total or 0.0 for total in totals)


def bill_of(
    card: AcceleratorSpec | None,
    *,
    count: int,
    platform: Mapping[str, Any] | None,
    spares: int,
    extras: Sequence[Extra],
    book: PriceBook,
) -> Bill:
    """What `count` cards on this platform (None: not chosen) are ordered as, at the prices of `book`."""
    lines: list[Line] = []
    if card is not None:
        lines += _machines(card, count=count, platform=platform, book=book)
        if spares:
            lines.append(_card_line(card, "spare", spares, book))
    lines += [
        Line(
            kind="extra",
            id=None,
            name=extra.name,
            quantity=extra.quantity,
            unit_price=extra.unit_price,
            price=_given(extra),
            power_w=None,
        )
        for extra in extras
    ]
    return Bill(currency=book.currency, on=book.on, lines=tuple(lines))


def carries(platform: Mapping[str, Any], accelerator: str) -> int:
    """How many of an accelerator one platform has; 0 where it has none."""
    parts = platform["accelerators"]
    return int(sum(part["count"] for part in parts if part["id"] == accelerator))


def _machines(
    card: AcceleratorSpec, *, count: int, platform: Mapping[str, Any] | None, book: PriceBook
) -> list[Line]:
    each = carries(platform, card.id) if platform is not None else 0
    if platform is None or not each:
        return [_card_line(card, "accelerator", count, book)]
    quantity = -(-count // each)
    price = book.buy(platform["id"], quantity=quantity)
    figure = platform["figures"].get("max_power_w")
    with_cards = platform["kind"] in WITH_CARDS
    line = Line(
        kind="platform",
        id=platform["id"],
        name=platform["name"],
        quantity=quantity,
        unit_price=None if price is None else price.amount,
        price=price,
        power_w=None if figure is None else float(figure["value"]),
        note="platform_with_cards" if with_cards else "platform_without_cards",
        note_values={"cards": each, "accelerator": card.name, "held": each * quantity, "used": count},
    )
    if with_cards:
        return [line]
    # The platform's power has the cards in it: nothing is counted twice.
    return [line, replace(_card_line(card, "accelerator", count, book), power_w=0.0)]


def _card_line(card: AcceleratorSpec, kind: str, quantity: int, book: PriceBook) -> Line:
    price = book.buy(card.id, quantity=quantity)
    boards = boards_for(card, quantity) if kind == "accelerator" else None
    part = boards is not None and boards.held > boards.used
    return Line(
        kind=kind,
        id=card.id,
        name=card.name,
        quantity=quantity,
        unit_price=None if price is None else price.amount,
        price=price,
        power_w=card.tdp_w,
        note="part_of_board" if part else "",
        note_values={**asdict(boards), "held": boards.held, "accelerator": card.name} if boards else None,
    )


def _given(extra: Extra) -> Price | None:
    if extra.unit_price is None:
        return None
    return Price(amount=extra.unit_price, kind="given", source=extra.source)
