"""The tensors of a checkpoint added up: bytes and weights by part, which together are the whole of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.core.checkpoint.classify import DRAFT, PARTS, SPEC_PART, Place, place_of, place_of_gguf
from planner.core.checkpoint.index import Index
from planner.core.checkpoint.tensors import DamagedError, Tensor
from planner.core.outcome import Problem

SHOWN_NAMES = 8
# Types whose elements are weights one by one; in the others several weights are packed, or none.
PLAIN = frozenset({"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E4M3FNUZ", "F8_E5M2", "F8_E5M2FNUZ", "I8"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What the headers of a checkpoint come to. sizes holds bytes by part and adds up to total_bytes.

    format: safetensors | gguf. scales is the share of `sizes` that says how the rest is quantized. weights counts
    elements by part, None where they are packed so that the header does not tell how many there are.
    """

    format: str
    files: int
    tensors: int
    total_bytes: int
    sizes: Mapping[str, int]
    scales: Mapping[str, int]
    weights: Mapping[str, int] | None
    types: Mapping[str, int]
    unplaced: tuple[str, ...] = ()
    unplaced_bytes: int = 0

    def spec_sizes(self) -> dict[str, int]:
        """Bytes by part of a ModelSpec, drafting layers left out."""
        return _by_spec_part(self.sizes)

    def spec_weights(self) -> dict[str, int] | None:
        """Weights by part of a ModelSpec, drafting layers left out."""
        return None if self.weights is None else _by_spec_part(self.weights)

    def as_json(self) -> dict[str, Any]:
        """What is kept of it."""
        return {
            "format": self.format,
            "files": self.files,
            "tensors": self.tensors,
            "total_bytes": self.total_bytes,
            "bytes": dict(self.sizes),
            "scale_bytes": dict(self.scales),
            "weights": None if self.weights is None else dict(self.weights),
            "types": dict(self.types),
            "unplaced": list(self.unplaced),
        }


def _by_spec_part(counts: Mapping[str, int]) -> dict[str, int]:
    found = dict.fromkeys(SPEC_PART.values(), 0)
    for part, count in counts.items():
        if part != DRAFT:
            found[SPEC_PART[part]] += count
    return found


def of_safetensors(files: Mapping[str, Sequence[Tensor]], *, layers: int) -> Checkpoint | Problem:
    """The checkpoint in the headers of its files, by name of the file."""
    try:
        tensors = unrepeated(files)
    except DamagedError as damaged:
        return damaged.problem(field="files", file="")
    return _summed("safetensors", len(files), tensors, lambda name: place_of(name, layers=layers))


def of_gguf(files: Mapping[str, Sequence[Tensor]], *, layers: int) -> Checkpoint | Problem:
    """The checkpoint in the headers of a GGUF file or of all its parts."""
    try:
        tensors = unrepeated(files)
    except DamagedError as damaged:
        return damaged.problem(field="files", file="")
    return _summed("gguf", len(files), tensors, lambda name: place_of_gguf(name, layers=layers))


def unrepeated(files: Mapping[str, Sequence[Tensor]]) -> list[Tensor]:
    """The tensors of all files; one name in two files is one checkpoint too many."""
    found: dict[str, Tensor] = {}
    for tensors in files.values():
        for tensor in tensors:
            if tensor.name in found:
                raise DamagedError("tensor_in_two_files", name=tensor.name)
            found[tensor.name] = tensor
    return list(found.values())


def _summed(form: str, files: int, tensors: Iterable[Tensor], place: Callable[[str], Place]) -> Checkpoint:
    sizes: Counter[str] = Counter()
    scales: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    types: Counter[str] = Counter()
    unplaced: list[str] = []
    count = unplaced_bytes = 0
    countable = True
    for tensor in tensors:
        count += 1
        found = place(tensor.name)
        sizes[found.part] += tensor.size
        types[tensor.dtype] += tensor.size
        if found.is_scale:
            scales[found.part] += tensor.size
        else:
            weights[found.part] += tensor.elements
            countable = countable and (form == "gguf" or tensor.dtype in PLAIN)
        if not found.known:
            unplaced.append(tensor.name)
            unplaced_bytes += tensor.size
    return Checkpoint(
        format=form,
        files=files,
        tensors=count,
        total_bytes=sum(sizes.values()),
        sizes=_ordered(sizes),
        scales=_ordered(scales),
        weights=_ordered(weights) if countable else None,
        types=dict(types.most_common()),
        unplaced=tuple(unplaced[:SHOWN_NAMES]),
        unplaced_bytes=unplaced_bytes,
    )


def _ordered(counts: Mapping[str, int]) -> dict[str, int]:
    return {part: counts[part] for part in PARTS if counts.get(part)}


def parts_named(index: Index, *, layers: int) -> dict[str, int]:
    """How many tensors of each part an index names."""
    found = Counter(place_of(name, layers=layers).part for name in index.tensors)
    return {part: found[part] for part in PARTS if found[part]}
