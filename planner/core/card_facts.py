"""Which cards of a catalog an engine runs on, and on which it loads a weight format."""

import numpy as np

from planner.core.search.hardware import hardware_of, refused_cards, refused_scheme
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec, Scheme


def cards_of(catalog: Catalog, engine: EngineSpec, scheme: Scheme | None = None) -> list[AcceleratorSpec]:
    """Cards on which nothing speaks against the engine, nor against the format where one is given."""
    cards = tuple(catalog.accelerators.values())
    hardware = hardware_of(catalog, cards)
    refused = refused_cards(hardware, id(engine.values), engine).code != 0
    if scheme is not None:
        refused |= refused_scheme(hardware, id(engine.values), engine, scheme).code != 0
    return [cards[index] for index in np.flatnonzero(~refused)]
