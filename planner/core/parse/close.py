"""Names that were perhaps meant."""

import difflib
from collections.abc import Sequence

SHORTEST_PART = 3


def close_to(name: str, known: Sequence[str]) -> str:
    """Known names for the message, "" if none: up to six that have this one in them, else three that it may be a slip of."""
    part = _letters(name)
    having = [item for item in known if part in _letters(item)] if len(part) >= SHORTEST_PART else []
    if having:
        return ", ".join(having[:6])
    folded = {item.casefold(): item for item in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    return ", ".join(folded[item] for item in found)


def _letters(name: str) -> str:
    """Letters and digits alone: people write RTX4090, rtx-4090 and RTX 4090."""
    return "".join(filter(str.isalnum, name.casefold()))
