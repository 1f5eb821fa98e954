"""Files of a model from a hub: its list of files, its config and index, and the beginnings of its weights.

Only what tells the shape is asked for, in ranges, all of it before one deadline. Paths:
https://huggingface.co/docs/hub/api and what the client of ModelScope calls.
"""

import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings

from access import outgoing, strict_json
from access.sealing import CannotUnsealError, unseal
from planner.core.checkpoint.gguf_file import read_gguf
from planner.core.checkpoint.index import NAME as INDEX_NAME
from planner.core.checkpoint.safetensors import LENGTH_BYTES, header_length
from planner.core.outcome import Advice, Problem
from planner.models import HubEndpoint

CONFIG_NAME = "config.json"
MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)?")
REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/+ -]*")
PART = re.compile(r"-\d{5}-of-(\d{5})\.gguf$")
MOST_TEXT = 200
MOST_NAMES = 10_000
MOST_HEADERS = 48
AT_ONCE = 6
DEADLINE_S = 25.0
LIST_BYTES, CONFIG_BYTES, INDEX_BYTES, HEADER_BYTES = 8_000_000, 1_000_000, 32_000_000, 32_000_000
FIRST_BYTES = 500_000
FIRST_GGUF_BYTES = 8_000_000
SHOWN_FILES = 20
MAIN = {HubEndpoint.Kind.HUGGING_FACE: "main", HubEndpoint.Kind.MODELSCOPE: "master"}


class HubError(Exception):
    """Why a hub did not give what was asked for."""

    def __init__(self, code: str, field: str = "model", **values: Any) -> None:
        super().__init__(code)
        self.problem = Problem(code=code, field=field, values=values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked of a hub. `revision` and `file` may be empty: its main branch; whatever it has."""

    hub: HubEndpoint
    model: str
    revision: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The files that came, by name, and where they are from."""

    files: Mapping[str, bytes]
    address: str
    commit: str
    remarks: tuple[Advice, ...] = ()


def fetch(wanted: Wanted) -> Found:
    """Files enough to understand a model. Raises HubError."""
    _check(wanted)
    hub = _Hub(wanted)
    names, commit = hub.listing()
    ggufs = _gguf_names(wanted, names)
    remarks: tuple[Advice, ...] = ()
    if ggufs:
        files = {name: hub.gguf(name) for name in ggufs}
    elif CONFIG_NAME in names:
        files, remarks = _checkpoint(hub, names)
    else:
        raise HubError("hub_no_files", model=wanted.model)
    return Found(files=files, address=hub.page, commit=commit, remarks=remarks)


def try_hub(wanted: Wanted) -> int:
    """Bytes of the config.json of a model, to see that a hub answers. Raises HubError."""
    _check(wanted)
    return len(_Hub(wanted).whole(CONFIG_NAME, CONFIG_BYTES))


def _check(wanted: Wanted) -> None:
    if not MODEL.fullmatch(wanted.model) or len(wanted.model) > MOST_TEXT or ".." in wanted.model:
        raise HubError("hub_model_invalid")
    if wanted.revision and (
        not REVISION.fullmatch(wanted.revision) or len(wanted.revision) > MOST_TEXT or ".." in wanted.revision
    ):
        raise HubError("hub_revision_invalid", "revision")


def _gguf_names(wanted: Wanted, names: list[str]) -> list[str]:
    """The GGUF files to read: the one asked for, or the only one of a model without a config; all parts of it."""
    ggufs = [name for name in names if name.endswith(".gguf") and "mmproj" not in name]
    if wanted.file:
        if wanted.file not in ggufs:
            shown = ", ".join(ggufs[:SHOWN_FILES]) or "–"
            raise HubError(
                "hub_no_such_file", "file", model=wanted.model, file=wanted.file[:MOST_TEXT], files=shown
            )
        return _parts_of(wanted.file, ggufs)
    if not ggufs or CONFIG_NAME in names:
        return []
    first = _parts_of(ggufs[0], ggufs)
    if len(first) != len(ggufs):
        raise HubError("hub_choose_file", "file", model=wanted.model, files=", ".join(ggufs[:SHOWN_FILES]))
    return first


def _parts_of(name: str, names: list[str]) -> list[str]:
    if not PART.search(name):
        return [name]
    stem = PART.sub("", name)
    return [other for other in names if PART.search(other) and PART.sub("", other) == stem][:MOST_HEADERS]


def _checkpoint(hub: "_Hub", names: list[str]) -> tuple[dict[str, bytes], tuple[Advice, ...]]:
    files = {CONFIG_NAME: hub.whole(CONFIG_NAME, CONFIG_BYTES)}
    weights = [name for name in names if name.endswith(".safetensors") and "/" not in name]
    if INDEX_NAME in names:
        files[INDEX_NAME] = hub.whole(INDEX_NAME, INDEX_BYTES)
        named = _files_of_index(files[INDEX_NAME])
        weights = [name for name in weights if name in named]
    else:
        weights = [name for name in weights if name == "model.safetensors"]
    if not weights:
        return files, ()
    unread = Advice(code="headers_unread", severity="info", values={"files": len(weights)})
    if len(weights) > MOST_HEADERS:
        return files, (unread,)
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            headers = dict(zip(weights, pool.map(hub.safetensors, weights), strict=True))
    except HubError:  # the config and the index tell enough without them
        return files, (unread,)
    return {**files, **headers}, ()


def _files_of_index(raw: bytes) -> set[str]:
    """Files that an index names; whether the index is sound is looked at when it is read."""
    try:
        where = json.loads(raw)["weight_map"]
        return {name for name in where.values() if isinstance(name, str)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return set()


class _Hub:
    """One hub, asked about one model, until one deadline."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.base = wanted.hub.base_url.rstrip("/")
        self.kind = HubEndpoint.Kind(wanted.hub.kind)
        self.revision = wanted.revision or MAIN[self.kind]
        self.host = urlsplit(self.base).hostname or self.base
        self.deadline = outgoing.deadline_in(DEADLINE_S)
        self.secret = _authorization(wanted.hub)

    @property
    def page(self) -> str:
        """Where people look at the model."""
        inner = "models/" if self.kind == HubEndpoint.Kind.MODELSCOPE else ""
        return f"{self.base}/{inner}{self.wanted.model}"

    def listing(self) -> tuple[list[str], str]:
        """Names of its files, and the commit that they are of, empty where the hub does not say."""
        if self.kind == HubEndpoint.Kind.HUGGING_FACE:
            path = f"api/models/{self.wanted.model}/revision/{quote(self.revision, safe='')}"
            said = self._json(path)
            commit = said.get("sha")
            commit = commit if isinstance(commit, str) and re.fullmatch(r"[0-9a-f]{40}", commit) else ""
            self.revision = commit or self.revision
            return _names(said.get("siblings"), "rfilename"), commit
        query = urlencode({"Revision": self.revision, "Recursive": "true"})
        said = self._json(f"api/v1/models/{self.wanted.model}/repo/files?{query}")
        data = said.get("Data")
        return _names(data.get("Files") if isinstance(data, dict) else None, "Path"), ""

    def whole(self, name: str, limit: int) -> bytes:
        """A file as a whole."""
        found = self._get(self._path(name), limit, file=name)
        if found.cut:
            raise HubError("hub_too_much", host=self.host, file=name, limit=limit)
        return found.body

    def safetensors(self, name: str) -> bytes:
        """A safetensors file up to the end of its header."""
        data = self._begin(name, FIRST_BYTES)
        length = header_length(data, file=name)
        if isinstance(length, Problem) or len(data) >= LENGTH_BYTES + length or length > HEADER_BYTES:
            return data
        return self._begin(name, LENGTH_BYTES + length)

    def gguf(self, name: str) -> bytes:
        """A GGUF file up to the end of its header, which only reading it tells."""
        size = FIRST_GGUF_BYTES
        while True:
            data = self._begin(name, size)
            found = read_gguf(data, file=name)
            is_cut = isinstance(found, Problem) and found.code == "header_cut"
            if not is_cut or len(data) < size or size >= HEADER_BYTES:
                return data
            size = min(HEADER_BYTES, 2 * size)

    def _begin(self, name: str, size: int) -> bytes:
        return self._get(self._path(name), size, file=name, headers={"Range": f"bytes=0-{size - 1}"}).body

    def _path(self, name: str) -> str:
        if self.kind == HubEndpoint.Kind.HUGGING_FACE:
            return f"{self.wanted.model}/resolve/{quote(self.revision, safe='')}/{quote(name)}"
        query = urlencode({"Revision": self.revision, "FilePath": name})
        return f"api/v1/models/{self.wanted.model}/repo?{query}"

    def _json(self, path: str) -> dict[str, Any]:
        found = self._get(path, LIST_BYTES, file=path)
        if found.cut:
            raise HubError("hub_too_much", host=self.host, file="its list of files", limit=LIST_BYTES)
        try:
            value = strict_json.loads(found.body)
        except strict_json.NotJsonError:
            value = None
        if not isinstance(value, dict):
            raise HubError("hub_garbled", host=self.host, file="a list of files")
        return value

    def _get(
        self, path: str, limit: int, *, file: str, headers: Mapping[str, str] | None = None
    ) -> outgoing.Fetched:
        found = self._call(f"{self.base}/{path}", limit, headers or {})
        if found.status in (200, 206):
            return found
        code = {401: "hub_refused", 403: "hub_refused", 404: "hub_no_model"}.get(found.status, "hub_status")
        raise HubError(code, host=self.host, model=self.wanted.model, status=found.status)

    def _call(self, url: str, limit: int, headers: Mapping[str, str]) -> outgoing.Fetched:
        try:
            return outgoing.get(
                url,
                headers={"User-Agent": "decodeck", **headers},
                secret_headers=self.secret,
                allowed=settings.OUTGOING_ALLOWED,
                limit_bytes=limit,
                deadline=self.deadline,
            )
        except outgoing.RefusedError:
            raise HubError("hub_not_allowed", "hub", host=self.host) from None
        except outgoing.FailedError as error:
            code = (
                "hub_slow"
                if "took too long" in str(error) or "timed out" in str(error)
                else "hub_unreachable"
            )
            raise HubError(code, "hub", host=self.host, detail=str(error)[:MOST_TEXT]) from None


def _authorization(hub: HubEndpoint) -> dict[str, str]:
    if not hub.sealed_token:
        return {}
    try:
        return {"Authorization": f"Bearer {unseal(hub.sealed_token)}"}
    except CannotUnsealError:
        raise HubError("hub_token_lost", "hub", name=hub.name) from None


def _names(items: Any, key: str) -> list[str]:
    """Names of files in a list of objects; what cannot be a path is left out."""
    found = []
    for item in items[:MOST_NAMES] if isinstance(items, list) else []:
        name = item.get(key) if isinstance(item, dict) else None
        if isinstance(name, str) and len(name) <= MOST_TEXT and FILE.fullmatch(name) and ".." not in name:
            found.append(name)
    return found
