"""The plan form: short keys in the address, one request object out. The core alone judges what was typed."""

import base64
import binascii
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from planner.core.outcome import Problem
from planner.lines import read_json

MAX_CONFIG_CHARS = 200_000
# A web server reads a request line of 8 kB; the rest is for the other inputs.
MAX_PACKED_CHARS = 6_500
MAX_TYPED_CHARS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input: its key in the address, where it goes in a request, and what the worked example says."""

    key: str
    path: str
    default: str = ""
    kind: str = "text"  # text | number | flag


# Keys are part of saved links: never rename one, never give one another meaning.
INPUTS = (
    Input(key="m", path="model.id", default="Qwen/Qwen2.5-7B-Instruct"),
    Input(key="w", path="weights"),
    Input(key="kv", path="kv_cache_dtype"),
    Input(key="a", path="accelerator", default="nvidia-rtx-4090"),
    Input(key="n", path="count", default="1", kind="number"),
    Input(key="tp", path="parallelism.tensor", kind="number"),
    Input(key="pp", path="parallelism.pipeline", default="1", kind="number"),
    Input(key="dp", path="parallelism.data", default="1", kind="number"),
    Input(key="ep", path="parallelism.expert", kind="flag"),
    Input(key="l", path="interconnect"),
    Input(key="e", path="engine.name", default="vllm"),
    Input(key="v", path="engine.version"),
    Input(key="util", path="settings.gpu_memory_utilization", kind="number"),
    Input(key="len", path="settings.max_model_len", default="4096", kind="number"),
    Input(key="seqs", path="settings.max_num_seqs", kind="number"),
    Input(key="batch", path="settings.max_num_batched_tokens", kind="number"),
    Input(key="block", path="settings.block_size", kind="number"),
    Input(key="eager", path="settings.enforce_eager", kind="flag"),
    Input(key="i", path="workload.input_tokens", default="1024", kind="number"),
    Input(key="o", path="workload.output_tokens", default="256", kind="number"),
    Input(key="u", path="workload.concurrency", default="16", kind="number"),
)
FLAG_OFF = frozenset({"0", "false", "no", "off"})  # as people write it into a link by hand
BY_KEY = {item.key: item for item in INPUTS}
KEY_OF_PATH = {item.path: item.key for item in INPUTS} | {
    "model": "m",
    "model.config": "c",
    "parallelism": "tp",
    "engine": "e",
    "settings": "len",
    "workload": "u",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What stands in the form, as text, and the config.json that replaces the model where one was pasted."""

    values: Mapping[str, str]
    packed_config: str = ""
    config: Mapping[str, Any] | None = None
    problems: tuple[Problem, ...] = field(default=())

    def request(self) -> dict[str, Any]:
        """The plan as a request of the estimate contract. Blank fields are left to the defaults of the contract."""
        request: dict[str, Any] = {}
        for item in INPUTS:
            value = _typed(item, self.values[item.key])
            if value is not None:
                _put(request, item.path, value)
        if self.packed_config:
            request["model"] = {"config": self.config if self.config is not None else {}}
        return _with_degrees(request)

    def changed(self, changes: Mapping[str, str]) -> "Plan":
        """The same plan with other texts in some inputs."""
        return replace(self, values={**self.values, **changes})

    def query(self, changes: Mapping[str, str] | None = None) -> str:
        """The address of this plan, or of one with `changes`: only what differs from the worked example."""
        values = {**self.values, "c": self.packed_config, **(changes or {})}
        pairs = [(item.key, values[item.key]) for item in INPUTS if values[item.key] != item.default]
        if values["c"]:
            pairs = [("c", values["c"]), *((key, value) for key, value in pairs if key != "m")]
        return urlencode(pairs)


def read_plan(given: Mapping[str, str]) -> Plan:
    """The plan that an address holds. A key that is absent has its default, a blank one is blank."""
    values = {item.key: _read(item, given) for item in INPUTS}
    packed = given.get("c", "")
    if not packed:
        return Plan(values=values)
    config = unpack_config(packed)
    if isinstance(config, Problem):
        return Plan(values=values, packed_config=packed, problems=(config,))
    return Plan(values=values, packed_config=packed, config=config)


def _read(item: Input, given: Mapping[str, str]) -> str:
    text = given.get(item.key, item.default).strip()[:MAX_TYPED_CHARS]
    return "" if item.kind == "flag" and text.lower() in FLAG_OFF else text


def read_config(text: str) -> str | Problem:
    """A pasted config.json in the short form that fits an address, or what is wrong with it."""
    if len(text) > MAX_CONFIG_CHARS:
        return Problem(code="too_long", field="model.config", values={"limit": MAX_CONFIG_CHARS})
    value = read_json(text.removeprefix("\ufeff"))
    if isinstance(value, Problem):
        return Problem(code=value.code, field="model.config", values=value.values)
    if not isinstance(value, dict) or not value:
        return Problem(code="config_not_an_object", field="model.config")
    raw = zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 9)
    packed = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    if len(packed) > MAX_PACKED_CHARS:
        values = {"found": len(packed), "limit": MAX_PACKED_CHARS}
        return Problem(code="config_too_long_for_link", field="model.config", values=values)
    return packed


def unpack_config(packed: str) -> dict[str, Any] | Problem:
    """The config.json of an address. Bounded: a small text must not unpack to a large one."""
    damaged = Problem(code="config_link_damaged", field="model.config")
    try:
        raw = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        text = zlib.decompressobj().decompress(raw, MAX_CONFIG_CHARS)
    except (binascii.Error, ValueError, zlib.error):
        return damaged
    value = read_json(text)
    return value if isinstance(value, dict) else damaged


def changes_of(fix: Mapping[str, Any]) -> dict[str, str]:
    """A partial request, as a reason offers it, in keys of the form. Empty when the form has no such input."""
    pairs = dict(_flat(fix))
    if not pairs or any(path not in KEY_OF_PATH for path in pairs):
        return {}
    changes = {KEY_OF_PATH[path]: _text(value) for path, value in pairs.items()}
    if "count" in pairs and "parallelism.tensor" not in pairs:
        changes["tp"] = ""
    return changes


def key_of(path: str | None) -> str | None:
    """Which input a problem belongs to; the nearest one when the path goes deeper than the form."""
    while path:
        if path in KEY_OF_PATH:
            return KEY_OF_PATH[path]
        path = path.rpartition(".")[0]
    return None


def _typed(item: Input, text: str) -> Any:
    if item.kind == "flag":
        return True if text else None
    if not text:
        return None
    return _number(text) if item.kind == "number" else text


def _number(text: str) -> Any:
    """A number as people type it (1,024 or 1 024); other text stays text, so that the core can refuse it."""
    plain = (
        text.replace(",", "").replace("\u202f", "").replace("\u00a0", "").replace(" ", "").replace("_", "")
    )
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        return float(plain)
    except ValueError:
        return text


def _put(request: dict[str, Any], path: str, value: Any) -> None:
    head, _, tail = path.partition(".")
    if tail:
        request.setdefault(head, {})[tail] = value
    else:
        request[head] = value


def _with_degrees(request: dict[str, Any]) -> dict[str, Any]:
    """A blank tensor degree takes the cards that the other degrees leave: raising the count must not be an error."""
    degrees = request.setdefault("parallelism", {})
    count, pipeline, data = request.get("count"), degrees.get("pipeline", 1), degrees.get("data", 1)
    if "tensor" in degrees or not (_positive(count) and _positive(pipeline) and _positive(data)):
        return request
    if count % (pipeline * data) == 0:
        degrees["tensor"] = count // (pipeline * data)
    return request


def _positive(value: Any) -> bool:
    return isinstance(value, int) and value > 0


def _flat(partial: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in partial.items():
        path = f"{prefix}.{key}" if prefix else key
        if isinstance(value, Mapping):
            yield from _flat(value, path)
        else:
            yield path, value


def _text(value: Any) -> str:
    if value is None or value is False:
        return ""
    return "1" if value is True else str(value)
