"""From one JSON object to a checked question about a command, or to everything that is wrong with it."""

from collections.abc import Mapping
from typing import Any

from planner.core.check.judge import Asked
from planner.core.check.words import MAX_CHARACTERS
from planner.core.launch.tables import ENGINES
from planner.core.parse import MAX_COUNT, Rejected
from planner.core.parse.fields import Reader
from planner.core.values import kind_of

FIELDS = frozenset({"id", "command", "engine", "version", "model", "accelerator", "count", "ports_in_use"})
OTHER_NAMES = {
    "trtllm": "tensorrt-llm",
    "trt-llm": "tensorrt-llm",
    "tensorrt_llm": "tensorrt-llm",
    "tensorrtllm": "tensorrt-llm",
    "llamacpp": "llama.cpp",
    "llama-cpp": "llama.cpp",
    "llama_cpp": "llama.cpp",
    "llama-server": "llama.cpp",
}
MAX_PORTS = 1_000


def parse_check(obj: Any) -> Asked | Rejected:
    """Check one question. Never raises for bad input, never runs anything of it."""
    reader = Reader()
    if not isinstance(obj, Mapping):
        reader.refuse("not_an_object", None)
        return Rejected(id=None, problems=tuple(reader.problems))
    request_id = reader.text(obj["id"], "id") if obj.get("id") is not None else None
    reader.only(obj, FIELDS, "")
    asked = Asked(
        id=request_id,
        command=_command(reader, obj.get("command")),
        engine=_engine(reader, obj.get("engine")),
        version=_text(reader, obj, "version"),
        model=_text(reader, obj, "model"),
        accelerator=_text(reader, obj, "accelerator"),
        count=None
        if obj.get("count") is None
        else reader.integer(obj["count"], "count", low=1, high=MAX_COUNT),
        ports_in_use=_ports(reader, obj.get("ports_in_use")),
    )
    return Rejected(id=request_id, problems=tuple(reader.problems)) if reader.problems else asked


def _command(reader: Reader, value: Any) -> str:
    if value is None or (isinstance(value, str) and not value.strip()):
        reader.refuse("missing", "command")
        return ""
    if not isinstance(value, str):
        reader.refuse("wrong_type", "command", expected="text", found=kind_of(value))
        return ""
    if len(value) > MAX_CHARACTERS:
        reader.refuse("too_long", "command", limit=MAX_CHARACTERS)
        return ""
    return value


def _engine(reader: Reader, value: Any) -> str | None:
    if value is None:
        return None
    name = reader.text(value, "engine")
    if name is None:
        return None
    plain = name.strip().lower()
    plain = OTHER_NAMES.get(plain, plain)
    if plain in ENGINES:
        return plain
    reader.refuse("unknown_engine", "engine", found=name, known=", ".join(ENGINES))
    return None


def _text(reader: Reader, obj: Mapping[str, Any], name: str) -> str | None:
    value = obj.get(name)
    if value is None:
        return None
    text = reader.text(value, name)
    return text.strip() or None if text is not None else None


def _ports(reader: Reader, value: Any) -> tuple[int, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        reader.refuse("wrong_type", "ports_in_use", expected="list", found=kind_of(value))
        return ()
    if len(value) > MAX_PORTS:
        reader.refuse("out_of_range", "ports_in_use", low=0, high=MAX_PORTS, found=len(value))
        return ()
    ports = [reader.integer(port, "ports_in_use", low=1, high=65_535) for port in value]
    return tuple(port for port in ports if port is not None)
