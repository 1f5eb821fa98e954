"""Names as people type them: models by path, file or variant, and accelerators by half their name."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from planner.core import matching
from planner.core.card_words import memory_word, words_of
from planner.core.parse.close import close_to
from planner.core.specs import AcceleratorSpec, Catalog

GGUF_TYPE = re.compile(r"[-._:](?:UD-)?((?:I?Q\d|TQ\d|F16|F32|BF16|MXFP4)[A-Za-z0-9_]*)$", re.IGNORECASE)
SHARD = re.compile(r"-\d{5}-of-\d{5}$")
HUB_FOLDER = re.compile(r"models--([^/\\]+?)--([^/\\]+)")
NOTE = re.compile(r"\s*\(([^)]*)\)\s*$")
COUNT = re.compile(r"^\s*(\d{1,4})\s*[x×*]\s*", re.IGNORECASE)
# How publishers name the format of a checkpoint, and the scheme of the catalog.
VARIANTS = (
    (re.compile(r"-AWQ(-INT4)?$", re.IGNORECASE), "awq-int4"),
    (re.compile(r"-GPTQ-Int8$", re.IGNORECASE), "gptq-int8"),
    (re.compile(r"-GPTQ(-Int4)?$", re.IGNORECASE), "gptq-int4"),
    (re.compile(r"-FP8(-dynamic|-KV)?$", re.IGNORECASE), "fp8"),
    (re.compile(r"-FP8-block$", re.IGNORECASE), "fp8-block128"),
    (re.compile(r"[-.]quantized\.w8a8$", re.IGNORECASE), "int8-w8a8"),
    (re.compile(r"[-.]quantized\.w4a16$", re.IGNORECASE), "int4-g128"),
    (re.compile(r"(-unsloth)?-bnb-4bit$", re.IGNORECASE), "bnb-nf4"),
    (re.compile(r"-(NV)?FP4$", re.IGNORECASE), "nvfp4"),
)
DEFAULT_OF_HUB_FILES = "gguf-q4_k_m"  # what llama-server takes of a repository where no type is named
MOST_CANDIDATES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelName:
    """What a model name stands for. how: id | letters (another case) | variant | file | given | unknown.

    scheme: weights that the name says, None as published. close: names for a question.
    """

    id: str | None
    how: str
    scheme: str | None = None
    is_gguf: bool = False
    close: str = ""


def model_name(catalog: Catalog, typed: str | None, given: str | None) -> ModelName:
    """The catalog's model for what a command names; `given` is the asker's own word, used where the command has a path."""
    helped = _by_text(catalog, given) if given else None
    if not typed:
        return helped or ModelName(id=None, how="unknown")
    found = _by_text(catalog, typed)
    if found.id is None and helped is not None and helped.id is not None:
        scheme = found.scheme or helped.scheme
        return ModelName(id=helped.id, how="given", scheme=scheme, is_gguf=found.is_gguf)
    if found.how == "file" and helped is not None and helped.id is not None:
        return ModelName(
            id=helped.id, how="file", scheme=found.scheme or helped.scheme, is_gguf=found.is_gguf
        )
    return found


def _by_text(catalog: Catalog, text: str) -> ModelName:
    text = text.strip()[:300]
    note = NOTE.search(text)
    is_gguf = "gguf" in text.lower()
    plain = NOTE.sub("", text)
    noted = _gguf_scheme(catalog, "-" + note[1].split()[-1]) if note and note[1].split() else None
    if plain in catalog.models:
        scheme = noted or (DEFAULT_OF_HUB_FILES if is_gguf else None)
        return ModelName(id=plain, how="id", scheme=scheme, is_gguf=is_gguf)
    by_case = _folded(catalog).get(plain.casefold())
    if by_case is not None:
        return ModelName(id=by_case, how="letters", scheme=noted, is_gguf=is_gguf)
    hub = HUB_FOLDER.search(plain)
    if hub is not None and f"{hub[1]}/{hub[2]}" in catalog.models:
        return ModelName(id=f"{hub[1]}/{hub[2]}", how="id")
    return _by_last_part(catalog, plain, noted, is_gguf)


def _by_last_part(catalog: Catalog, plain: str, noted: str | None, is_gguf: bool) -> ModelName:
    """The last part of a path or file, with the format that its ending names taken off."""
    last = re.split(r"[/\\]", plain.rstrip("/\\"))[-1]
    is_file = last.lower().endswith((".gguf", ".safetensors", ".bin"))
    last = SHARD.sub("", re.sub(r"\.(gguf|safetensors|bin)$", "", last, flags=re.IGNORECASE))
    scheme = noted or _gguf_scheme(catalog, last)
    base = GGUF_TYPE.sub("", last) if _gguf_scheme(catalog, last) else last
    base = re.sub(r"[-_.]GGUF$", "", base, flags=re.IGNORECASE)
    if scheme is None and is_gguf and not is_file:
        scheme = DEFAULT_OF_HUB_FILES
    how = "file" if is_file or is_gguf else "variant"
    for name, variant in _stripped(base):
        found = _last_parts(catalog).get(name.casefold())
        if found is not None:
            return ModelName(id=found, how=how, scheme=scheme or variant, is_gguf=is_gguf)
    return ModelName(
        id=None, how="unknown", scheme=scheme, is_gguf=is_gguf, close=close_to(base, list(catalog.models))
    )


def _stripped(base: str) -> Iterator[tuple[str, str | None]]:
    yield base, None
    for pattern, scheme in VARIANTS:
        if pattern.search(base):
            yield pattern.sub("", base), scheme
    yield base.removeprefix("Meta-"), None


def origin_of(catalog: Catalog, model_id: str) -> str | None:
    """The model that a quantized one was made from, by its name; None where the catalog has none."""
    last = model_id.rpartition("/")[2]
    for name, scheme in _stripped(last):
        found = _last_parts(catalog).get(name.casefold()) if scheme is not None else None
        if found is not None:
            return found
    return None


def _gguf_scheme(catalog: Catalog, name: str) -> str | None:
    found = GGUF_TYPE.search(name)
    scheme = f"gguf-{found[1].lower()}" if found else ""
    return scheme if scheme in catalog.schemes else None


@lru_cache(maxsize=4)
def _folded_of(names: tuple[str, ...]) -> dict[str, str]:
    return {name.casefold(): name for name in names}


def _folded(catalog: Catalog) -> Mapping[str, str]:
    return _folded_of(tuple(catalog.models))


@lru_cache(maxsize=4)
def _last_parts_of(names: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.rpartition("/")[2].casefold(), name)
    return found


def _last_parts(catalog: Catalog) -> Mapping[str, str]:
    return _last_parts_of(tuple(catalog.models))


@dataclass(frozen=True, slots=True, kw_only=True)
class CardName:
    """Cards that a name may mean, the likeliest first; none where nobody knows it. `count`: from "4x H100"."""

    ids: tuple[str, ...]
    count: int | None = None
    close: str = ""


def card_name(catalog: Catalog, typed: str) -> CardName:
    """Accelerators for a name as people type it: catalog id, reported name, or words that all occur in one name."""
    counted = COUNT.match(typed)
    name = COUNT.sub("", typed).strip()[:100]
    count = int(counted[1]) if counted else None
    if name in catalog.accelerators:
        return CardName(ids=(name,), count=count)
    exact = matching.match(catalog, name=name)
    if exact.accelerator_id in catalog.accelerators and exact.accelerator_id is not None:
        return CardName(ids=(exact.accelerator_id,), count=count)
    if exact.candidates:
        return CardName(ids=exact.candidates[:MOST_CANDIDATES], count=count)
    ids = _by_words(catalog, name)
    close = "" if ids else close_to(name, list(catalog.accelerators))
    return CardName(ids=ids[:MOST_CANDIDATES], count=count, close=close)


def _by_words(catalog: Catalog, name: str) -> tuple[str, ...]:
    """Cards whose name has every word of this one, those with the fewest other words."""
    asked = words_of(name)
    if not asked:
        return ()
    having = [
        (len(words - asked - {memory_word(card)}), card.id)
        for card in catalog.accelerators.values()
        if asked <= (words := _card_words(card)) and not _is_rare(card)
    ]
    having = _of_one_maker(having, name, catalog)
    if not having:
        return ()
    fewest = min(extra for extra, _ in having)
    if fewest == 0:
        return tuple(card for extra, card in having if extra == 0)
    return tuple(
        card for _, card in sorted(having, key=lambda item: (item[0], not item[1].count("sxm"), item[1]))
    )


def _of_one_maker(having: list[tuple[int, str]], name: str, catalog: Catalog) -> list[tuple[int, str]]:
    """NVIDIA's alone where others sell the same letters and no maker is named: V100 is also in BI-V100."""
    vendors = {catalog.accelerators[card].vendor for _, card in having}
    if "NVIDIA" not in vendors or any(vendor.casefold() in name.casefold() for vendor in vendors):
        return having
    return [item for item in having if catalog.accelerators[item[1]].vendor == "NVIDIA"]


def _is_rare(card: AcceleratorSpec) -> bool:
    return "custom" in card.name.casefold() or "china" in card.name.casefold()


def _card_words(card: AcceleratorSpec) -> frozenset[str]:
    words = set(words_of(card.name))
    words.discard("custom")
    words.add(memory_word(card))
    return frozenset(words)
