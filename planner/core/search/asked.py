"""The question of a search, checked and resolved against the catalog."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from planner.core.cost.prices import PriceBook, nothing_priced
from planner.core.request import Targets, Workload
from planner.core.specs import AcceleratorSpec, EngineSpec, ModelSpec, Scheme

OBJECTIVES = ("balanced", "lowest_cost", "lowest_tpot", "highest_throughput", "lowest_power")
PLACES = ("server", "edge")


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """What an option must respect. None or empty: not asked for.

    `prices` are the asker's own, per accelerator, in `currency`; `price_source` says where those come from that are not
    given. An option without a price has no cost, and is neither within nor over a budget.
    """

    budget: float | None = None
    spend_from: float | None = None  # what the accelerators cost at least
    currency: str | None = None
    prices: Mapping[str, float] = field(default_factory=dict, hash=False)  # accelerator id -> price of one
    price_source: str = "quotes"  # of PRICE_SOURCES
    power_w: float | None = None  # board power of all accelerators together
    vendors: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    ecc: bool | None = None  # True: only accelerators known to have it
    owned: Mapping[str, int] = field(default_factory=dict, hash=False)  # accelerator id -> cards; only these
    place: str | None = None  # of PLACES
    max_count: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A checked question. Empty tuples mean: all that make sense."""

    id: str | None
    model: ModelSpec
    schemes: tuple[Scheme, ...]
    kv_cache_dtypes: tuple[str, ...]
    engines: tuple[EngineSpec, ...]
    accelerators: tuple[AcceleratorSpec, ...]
    counts: tuple[int, ...]
    workload: Workload
    targets: Targets
    constraints: Constraints
    objective: str  # of OBJECTIVES
    limit: int = 20  # options that are answered in full
    # What is known of prices beside those that are given, in the currency of the question
    book: PriceBook | None = field(default=None, hash=False)

    @property
    def priced(self) -> PriceBook:
        """Every price that counts: the asker's own before those of the book."""
        book = self.book or nothing_priced(self.constraints.currency or "")
        return book.with_given(self.constraints.prices)
