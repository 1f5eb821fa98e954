"""One change of a set-up that is worth a try."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One change. Of one `kind` only the smallest that helps is worth showing; `effort` orders kinds.

    price: start_slower | less_reserve | slower_prompts | shorter_requests | other_version | cache_quality |
    weights_quality_8 | weights_quality_4 | other_engine | more_cards | fewer_users | other_card.
    """

    code: str
    kind: str
    effort: int
    price: tuple[str, ...]
    change: Mapping[str, Any]
    values: Mapping[str, Any]
