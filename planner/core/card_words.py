"""The words of an accelerator's name, as people write it: with or without maker, family, spaces and memory."""

import re

from planner.core.specs import AcceleratorSpec

SAYS_NOTHING = frozenset(
    (
        "nvidia",
        "amd",
        "intel",
        "geforce",
        "tesla",
        "radeon",
        "instinct",
        "gpu",
        "hbm3",
        "hbm2e",
        "hbm2",
        "hbm3e",
    )
)


def words_of(text: str) -> frozenset[str]:
    """Letters and digits by word: "RTX4090 24 GB" is rtx, 4090, 24gb; names of the maker and the family say nothing."""
    plain = re.sub(r"(\d+)\s*(?:gb|gib|g)\b", r"\1gb ", text.casefold())
    plain = re.sub(r"\b(rtx|gtx|rx|arc)\s*(\d)", r"\1 \2", plain)
    return frozenset(re.findall(r"[a-z0-9]+", plain)) - SAYS_NOTHING


def memory_word(card: AcceleratorSpec) -> str:
    """The size of its memory as a word: 24gb; "" where it is unknown."""
    return f"{card.memory_gb:g}gb" if card.memory_gb else ""
