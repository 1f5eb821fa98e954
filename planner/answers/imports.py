"""From what somebody gives of a model to a record for the catalog, in a form that can travel through a page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.core import signing
from django.utils.translation import gettext as _

from access import strict_json
from planner.actions.entries import source_key
from planner.answers.estimates import problem_message
from planner.catalog.build import model_spec
from planner.catalog.record import model_record
from planner.core.checkpoint.gguf_file import MAGIC, GgufHeader, read_gguf
from planner.core.checkpoint.index import NAME as INDEX_NAME
from planner.core.checkpoint.index import Index, read_index
from planner.core.checkpoint.safetensors import read_safetensors
from planner.core.checkpoint.tensors import Tensor
from planner.core.checkpoint.understand import Given, Understood, understand
from planner.core.outcome import Advice, Problem
from planner.core.specs import Catalog, ModelSpec
from planner.messages import word
from planner.messages.imports import PROBLEMS

CONFIG_NAME = "config.json"
MOST_CONFIG_BYTES = 1_000_000
MODEL_ID = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")
MOST_ID = 200
PACKAGE_LIFE_S = 12 * 3600
SALT = "planner.imports"
ENGINES_SOURCE = "as models of the same architecture in this catalog"
ORIGIN_WORDS = {"paste": "given by the team", "upload": "given by the team"}
# What a config names itself that is no name: a folder on somebody's disk.
NO_NAME = re.compile(r"^[./~]|^config:|\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """What there is of a model, not read yet: JSON files as text, headers as bytes, each by the name of its file."""

    files: Mapping[str, bytes]
    origin: str  # paste | upload | huggingface | modelscope
    name: str = ""  # what it is called where it is from
    address: str = ""
    commit: str = ""
    remarks: tuple[Advice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A model that was read: its record without a name, and everything that is kept beside it. Plain values alone."""

    record: dict[str, Any]
    sources: dict[str, str]
    origin: str
    address: str
    commit: str
    name: str  # the name proposed for it
    files: list[str]
    bytes_from: str
    counted: int
    config: dict[str, Any]
    checkpoint: dict[str, Any] | None
    remarks: list[dict[str, Any]] = field(default_factory=list)

    def named(self, key: str) -> dict[str, Any]:
        """The record under a name."""
        return {**self.record, "id": key}

    def given(self) -> dict[str, Any]:
        """Where it is from, as fields of ModelImport."""
        return {
            "origin": self.origin,
            "address": self.address,
            "commit": self.commit,
            "config": self.config,
            "checkpoint": self.checkpoint,
        }

    @property
    def model(self) -> ModelSpec:
        """The model of the record, sources in words."""
        texts = {key: {"ref": text} for key, text in self.sources.items()}
        return model_spec(self.named(self.name), texts)


def look(offered: Offered, catalog: Catalog) -> Looked | list[Problem]:
    """Read what is offered, or say everything that is wrong with it."""
    given = read_given(offered.files)
    if isinstance(given, list):
        return given
    found = understand(given, catalog.schemes)
    if isinstance(found, list):
        return found
    return _looked(offered, replace(found, remarks=(*offered.remarks, *found.remarks)), catalog)


def read_given(files: Mapping[str, bytes]) -> Given | list[Problem]:
    """Each file by what it is: a config, an index, or the beginning of a safetensors or GGUF file."""
    if not files:
        return [Problem(code="nothing_given", field="files")]
    config: Mapping[str, Any] | None = None
    index: Index | None = None
    safetensors: dict[str, tuple[Tensor, ...]] = {}
    gguf: dict[str, GgufHeader] = {}
    problems: list[Problem] = []
    for name, data in files.items():
        found = _read(name, data)
        if isinstance(found, Problem):
            problems.append(found)
        elif isinstance(found, Index):
            index = found
        elif isinstance(found, GgufHeader):
            gguf[name] = found
        elif isinstance(found, tuple):
            safetensors[name] = found
        elif config is not None:
            problems.append(_wrong("file_repeated", "config", file=name))
        else:
            config = found
    return problems or Given(config=config, index=index, safetensors=safetensors or None, gguf=gguf or None)


def _read(name: str, data: bytes) -> Mapping[str, Any] | Index | tuple[Tensor, ...] | GgufHeader | Problem:
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and not _is_framed(data):
        return _read_json(name, data)
    if data.startswith(MAGIC):
        return read_gguf(data, file=name)
    if name.endswith(".json"):
        return _read_json(name, data)
    return read_safetensors(data, file=name)


def _is_framed(data: bytes) -> bool:
    """Whether a text that begins with a brace is a safetensors header whose length happens to look like one."""
    return data[5:8] == b"\0\0\0" and data[8:9] == b"{"


def _read_json(name: str, data: bytes) -> Mapping[str, Any] | Index | Problem:
    try:
        value = strict_json.loads(data)
    except strict_json.NotJsonError as error:
        return _wrong("not_json", _field_of(name), file=name, detail=str(error))
    if not isinstance(value, dict):
        return _wrong("not_an_object", _field_of(name), file=name)
    if "weight_map" in value or name == INDEX_NAME:
        return read_index(value)
    if len(data) > MOST_CONFIG_BYTES:
        return _wrong("config_too_large", "config", limit=MOST_CONFIG_BYTES)
    return value


def _field_of(name: str) -> str:
    return {CONFIG_NAME: "config", INDEX_NAME: "index"}.get(name, "files")


def _wrong(code: str, place: str, **values: Any) -> Problem:
    return Problem(code=code, field=place, values=values)


def _looked(offered: Offered, found: Understood, catalog: Catalog) -> Looked:
    source = _source(offered)
    keys = {source_key(text): text for text in (source, ENGINES_SOURCE)}
    name = proposed_name(offered, found.model)
    record = model_record(
        found,
        key=name,
        source=source_key(source),
        engines=engines_of(found.model, catalog),
        engines_source=source_key(ENGINES_SOURCE),
    )
    return Looked(
        record=record,
        sources=keys,
        origin=offered.origin,
        address=offered.address,
        commit=offered.commit,
        name=name,
        files=sorted(offered.files)[:200],
        bytes_from=found.bytes_from,
        counted=found.counted,
        config=dict(found.config),
        checkpoint=found.checkpoint.as_json() if found.checkpoint is not None else None,
        remarks=[
            {"code": item.code, "severity": item.severity, "values": dict(item.values)}
            for item in found.remarks
        ],
    )


def _source(offered: Offered) -> str:
    """Where the figures are from, in words that stay the same for the same files."""
    if offered.address:
        return f"{offered.address} at {offered.commit}" if offered.commit else offered.address
    names = sorted(offered.files)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{ORIGIN_WORDS[offered.origin]}: {', '.join(names[:3])}{more}"


def proposed_name(offered: Offered, model: ModelSpec) -> str:
    """A name that the catalog takes: as its hub or its files call it, else by its family."""
    for name in (offered.name, model.id):
        if name and not NO_NAME.search(name):
            plain = name if "/" in name else f"own/{name}"
            if MODEL_ID.fullmatch(plain) and len(plain) <= MOST_ID:
                return plain
    letters = re.sub(r"[^A-Za-z0-9._-]+", "-", model.id.removeprefix("config:")).strip("-")
    return f"own/{letters[:100] or 'model'}"


def engines_of(model: ModelSpec, catalog: Catalog) -> dict[str, str]:
    """What each engine does with models of the same architecture, where the catalog's agree."""
    wanted = set(model.architectures)
    words: dict[str, set[str]] = {}
    for key in catalog.models:
        other = catalog.models[key]
        if wanted & set(other.architectures):
            for engine, said in other.engine_support.items():
                words.setdefault(engine, set()).add(said)
    return {engine: said.pop() for engine, said in sorted(words.items()) if len(said) == 1}


def pack(looked: Looked, *, user: int) -> str:
    """What was read, signed for the person who looked at it: it travels in the page until it is kept."""
    return signing.dumps(asdict(looked), salt=f"{SALT}:{user}", compress=True)


def unpack(text: str, *, user: int) -> Looked | None:
    """What was packed for this person within the last hours; None for anything else."""
    try:
        return Looked(**signing.loads(text, salt=f"{SALT}:{user}", max_age=PACKAGE_LIFE_S))
    except signing.BadSignature:
        return None


def name_problem(key: str, catalog: Catalog, *, own: bool) -> Problem | None:
    """What is wrong with a name for a model; `own`: the team has a model of its own of this name."""
    if not MODEL_ID.fullmatch(key) or len(key) > MOST_ID:
        return Problem(code="name_invalid", field="id")
    if key in catalog.models and not own:
        return Problem(code="name_shipped", field="id")
    return None


def message(problem: Problem) -> str:
    """A problem in words: of files and hubs by their own, of a config by those of an estimate."""
    values = {"file": CONFIG_NAME, **{name: _shown(value) for name, value in problem.values.items()}}
    if problem.code in PROBLEMS:
        values["file"] = values["file"] or _("one of the files")
        return word(PROBLEMS, problem.code, values)
    return problem_message(problem)


def _shown(value: Any) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(str(item) for item in value)
    return value
