"""What the asker's limits rule out before any figure is worked out: cards owned, money, power, unknown datasheets."""

import numpy as np
from numpy.typing import NDArray

from planner.core.batch import FloatArray
from planner.core.cost.prices import PriceBook
from planner.core.search.asked import SearchRequest
from planner.core.search.space import Space
from planner.core.specs import AcceleratorSpec


def power_w(space: Space) -> FloatArray:
    """Board power of all accelerators of each row; NaN where the datasheet has none."""
    each = np.array([np.nan if card.tdp_w is None else card.tdp_w for card in space.accelerators])
    return np.asarray(each[space.accelerator] * space.count, dtype=np.float64)


def purchase(space: Space, book: PriceBook) -> FloatArray:
    """Price of all accelerators of each row, at what the book asks for so many; NaN where it has none."""
    each = np.full((len(space.accelerators), int(space.count.max(initial=0)) + 1), np.nan)
    for index, card in enumerate(space.accelerators):
        # Dearest first, so that of the offers for so many the cheapest stays
        for price in reversed(book.purchase.get(card.id, ())):
            each[index, price.minimum_quantity :] = price.amount
    return np.asarray(each[space.accelerator, space.count] * space.count, dtype=np.float64)


def ruled_out(space: Space, request: SearchRequest) -> list[tuple[str, NDArray[np.bool_]]]:
    """Reasons that need no figure, with the rows (n,) that they hold for, in the order in which they count."""
    cards, constraints, out = space.accelerators, request.constraints, []
    count = space.count
    if constraints.owned:
        owned = np.array([constraints.owned.get(card.id, 0) for card in cards])
        out.append(("not_owned", count > owned[space.accelerator]))
    if constraints.budget is not None:
        out.append(("over_budget", purchase(space, request.priced) > constraints.budget))
    if constraints.spend_from is not None:
        out.append(("under_budget", purchase(space, request.priced) < constraints.spend_from))
    if constraints.power_w is not None:
        watts = power_w(space)
        out.append(("over_power", watts > constraints.power_w))
        out.append(("power_unknown", np.isnan(watts)))
    unknown = np.array([_lacks_data(card) for card in cards])
    out.append(("no_data", unknown[space.accelerator]))
    return out


def _lacks_data(card: AcceleratorSpec) -> bool:
    return card.bandwidth_gb_s is None or card.memory_gib is None
