r"""Names of modules against the patterns of quantizers: exact names, wildcards, and regular expressions of one kind.

Patterns come from files that anybody may publish, and a regular expression can be made to run for years. So only
those are read whose work can be bounded beforehand: pieces joined by `.*` in which no group repeats. That covers what
quantizers write (`re:.*self_attn.*`, `re:.*layers\.(0|31)\.mlp.*`); the rest is reported as not understood.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import translate

PREFIXES = ("model.", "model.language_model.", "language_model.model.", "")
MAX_PATTERN = 1_000
LONGEST_NAME = 60
REPEATS = re.compile(r"\+|\{")
GROUP = re.compile(r"\([^()]*\)")
REGEX = "re:"
LAYERS = re.compile(r"^(?:[\w-]+\.)*?(?=(?:layers|h|blocks)\.)")
# A class or a single character may repeat; a group may not: that is where the years come from.
PIECE = re.compile(
    r"(?:\\[.dw_/-](?:\+|\{\d{1,2}(?:,\d{1,2})?\})?|\[[^\[\]]{1,60}\](?:\+|\?|\{\d{1,2}(?:,\d{1,2})?\})?|"
    r"\((?:\?:)?|\)\??|\||[A-Za-z0-9_\-./]|\$|\^)*"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """A regular expression as its pieces between `.*`: each must be found behind the one before."""

    first: re.Pattern[str] | None
    rest: tuple[re.Pattern[str], ...]
    cost: int  # steps that one name takes at most

    def match(self, text: str) -> bool:
        """Whether the expression holds from the beginning of the text."""
        place = 0
        if self.first is not None:
            found = self.first.match(text)
            if found is None:
                return False
            place = found.end()
        for piece in self.rest:
            found = piece.search(text, place)
            if found is None:
                return False
            place = found.end()
        return True


class Patterns:
    """What a quantizer names. `unread` are the patterns that are not understood.

    exact: names count as they are, as in compressed-tensors; otherwise a name stands for all below it too.
    """

    def __init__(self, written: Iterable[str], *, exact: bool) -> None:
        self.exact = exact
        self.names: set[str] = set()
        self.inner: set[str] = set()  # names without a layer: self_attn, mlp.gate
        self.wild: list[re.Pattern[str]] = []
        self.expressions: list[Pieces] = []
        self.cost = 0  # steps that one name takes at most
        self.unread: list[str] = []
        for pattern in written:
            self._add(pattern.strip())

    def _add(self, pattern: str) -> None:
        if not pattern or len(pattern) > MAX_PATTERN:
            self.unread.append(pattern[:60])
        elif pattern.startswith(REGEX) or "*" in pattern:
            self._add_slow(pattern)
        elif LAYERS.search(pattern):
            self.names.add(LAYERS.sub("", pattern, count=1).rstrip("."))
        else:
            self.inner.add(pattern.strip("."))

    def _add_slow(self, pattern: str) -> None:
        if not pattern.startswith(REGEX):
            self.wild.append(re.compile(translate(pattern)))
            self.cost += 4 * LONGEST_NAME
            return
        pieces = pieces_of(pattern.removeprefix(REGEX))
        if pieces is None:
            self.unread.append(pattern[:60])
            return
        self.expressions.append(pieces)
        self.cost += pieces.cost

    def hold(self, names: Sequence[str]) -> bool:
        """Whether one of these names of a module is meant."""
        return any(self._holds(name) for name in names)

    def _holds(self, name: str) -> bool:
        if name in self.names:
            return True
        if not self.exact and any(above in self.names for above in _above(name)):
            return True
        if not self.exact and any(f".{inner}." in f".{name}." for inner in self.inner):
            return True
        if not self.wild and not self.expressions:
            return False
        full = [prefix + name for prefix in PREFIXES]
        if any(expression.match(text) for expression in self.expressions for text in full):
            return True
        return any(wild.match(text) for wild in self.wild for item in full for text in (item, *_above(item)))


def _above(name: str) -> list[str]:
    """The modules that a module lies in."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def pieces_of(expression: str) -> Pieces | None:
    """A regular expression cut at `.*`, None where it is not of the kind that is read."""
    parts = [part.removeprefix("?") for part in expression.removeprefix("^").split(".*")]
    if any(PIECE.fullmatch(part) is None for part in parts):
        return None
    try:
        compiled = [re.compile(part) if part else None for part in parts]
    except (re.error, RecursionError, OverflowError):
        return None
    rest = tuple(piece for piece in compiled[1:] if piece is not None)
    return Pieces(first=compiled[0], rest=rest, cost=LONGEST_NAME * sum(_ways(part) for part in parts))


def _ways(part: str) -> int:
    """In how many ways a piece can be tried at one place of a name."""
    ways: int = LONGEST_NAME ** min(8, len(REPEATS.findall(part))) * 2 ** min(60, part.count("?"))
    inner, changed = part, 1
    while changed:  # from the innermost groups outwards
        for group in GROUP.findall(inner):
            ways *= group.count("|") + 1
        inner, changed = GROUP.subn("", inner)
    return ways * (inner.count("|") + 1)
