"""The plan form: short keys in the address, one request object out. The core alone judges what was typed."""

import base64
import binascii
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from planner.core.outcome import Problem
from planner.form_inputs import Input, counts, flat, number, positive, put, read_input, text_of, typed
from planner.lines import read_json

MAX_CONFIG_CHARS = 200_000
# A web server reads a request line of 8 kB; the rest is for the other inputs.
MAX_PACKED_CHARS = 6_500

# Keys are part of saved links: never rename one, never give one another meaning.
OURS, DEFAULTS = "ours", "default"
SWITCHES = (
    Input(key="d", kind="switch", options=("", "q")),  # lengths: means | quantiles
    Input(key="by", kind="switch", options=("", "day")),  # load: users at once | requests a day
    # settings: as typed | derived | the version's
    Input(key="s", kind="switch", options=("", OURS, DEFAULTS)),
)
TYPED, MEANS, QUANTILES, USERS, DAILY = ("s", ""), ("d", ""), ("d", "q"), ("by", ""), ("by", "day")
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
    Input(key="pw", path="power_limit_w", kind="number"),
    Input(key="pm", path="power_mode"),
    Input(key="hm", path="host_memory_gib", kind="number"),
    Input(key="e", path="engine.name", default="vllm"),
    Input(key="v", path="engine.version"),
    Input(key="util", path="settings.gpu_memory_utilization", kind="number", used_when=TYPED),
    Input(key="len", path="settings.max_model_len", default="4096", kind="number", used_when=TYPED),
    Input(key="seqs", path="settings.max_num_seqs", kind="number", used_when=TYPED),
    Input(key="batch", path="settings.max_num_batched_tokens", kind="number", used_when=TYPED),
    Input(key="block", path="settings.block_size", kind="number", used_when=TYPED),
    Input(key="eager", path="settings.enforce_eager", kind="flag", used_when=TYPED),
    Input(key="i", path="workload.input_tokens", default="1024", kind="number", used_when=MEANS),
    Input(key="o", path="workload.output_tokens", default="256", kind="number", used_when=MEANS),
    Input(key="i50", path="workload.input_tokens.p50", default="800", kind="number", used_when=QUANTILES),
    Input(key="i90", path="workload.input_tokens.p90", default="1800", kind="number", used_when=QUANTILES),
    Input(key="i99", path="workload.input_tokens.p99", default="3000", kind="number", used_when=QUANTILES),
    Input(key="o50", path="workload.output_tokens.p50", default="200", kind="number", used_when=QUANTILES),
    Input(key="o90", path="workload.output_tokens.p90", default="450", kind="number", used_when=QUANTILES),
    Input(key="o99", path="workload.output_tokens.p99", default="800", kind="number", used_when=QUANTILES),
    Input(key="u", path="workload.concurrency", default="16", kind="number", used_when=USERS),
    Input(key="day", path="workload.requests_per_day", default="5000", kind="number", used_when=DAILY),
    Input(key="peak", path="workload.peak_factor", default="4", kind="number", used_when=DAILY),
    Input(key="tpot", path="targets.tpot_ms", kind="number"),
    Input(key="ttft", path="targets.ttft_ms", kind="number"),
    Input(key="tps", path="targets.output_tokens_per_s_per_user", kind="number"),
    *SWITCHES,
    # The saved plan that is being changed, and the version of it that this began as
    Input(key="sp", kind="carried"),
    Input(key="sv", kind="carried"),
    Input(key="ll", kind="carried"),  # the length log that it was filled from
)
BY_KEY = {item.key: item for item in INPUTS}
KEY_OF_PATH = {item.path: item.key for item in INPUTS if item.path} | {
    "model": "m",
    "model.config": "c",
    "parallelism": "tp",
    "engine": "e",
    "settings": "len",
    "workload": "u",
    "targets": "tpot",
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
            value = typed(item, self.values[item.key]) if counts(item, self.values) else None
            if value is not None:
                put(request, item.path, value)
        if self.values["s"] == OURS:
            request["settings"] = "derive"
        if self.packed_config:
            request["model"] = {"config": self.config if self.config is not None else {}}
        return _with_degrees(request)

    def changed(self, changes: Mapping[str, str]) -> "Plan":
        """The same plan with other texts in some inputs."""
        return replace(self, values={**self.values, **changes})

    def query(self, changes: Mapping[str, str] | None = None) -> str:
        """The address of this plan, or of one with `changes`: only what counts and differs from the worked example."""
        values = {**self.values, "c": self.packed_config, **(changes or {})}
        counting = [item for item in INPUTS if item.kind == "switch" or counts(item, values)]
        pairs = [(item.key, values[item.key]) for item in counting if values[item.key] != item.default]
        if values["c"]:
            pairs = [("c", values["c"]), *((key, value) for key, value in pairs if key != "m")]
        return urlencode(pairs)

    def question(self) -> str:
        """Model, workload and targets alone, each stated: the address of the same question on another page."""
        pairs = [
            (item.key, self.values[item.key])
            for item in INPUTS
            if item.path.startswith(("model.", "workload.", "targets.")) and counts(item, self.values)
        ]
        switches = [(item.key, self.values[item.key]) for item in SWITCHES if item.key != "s"]
        model = [("c", self.packed_config)] if self.packed_config else []
        return urlencode(
            [*model, *((key, text) for key, text in pairs if not (model and key == "m")), *switches]
        )


def read_plan(given: Mapping[str, str]) -> Plan:
    """The plan that an address holds. A key that is absent has its default, a blank one is blank."""
    values = {item.key: read_input(item, given) for item in INPUTS}
    if "n" not in given:
        values["n"] = _product(values)
    packed = given.get("c", "")
    if not packed:
        return Plan(values=values)
    config = unpack_config(packed)
    if isinstance(config, Problem):
        return Plan(values=values, packed_config=packed, problems=(config,))
    return Plan(values=values, packed_config=packed, config=config)


def _product(values: Mapping[str, str]) -> str:
    """The count that the degrees of a link written by hand ask for, where it states none."""
    degrees = [number(values[key] or "1") for key in ("tp", "pp", "dp")]
    if not all(positive(degree) for degree in degrees):
        return BY_KEY["n"].default
    return str(math.prod(degrees))


def plan_of_request(request: Mapping[str, Any]) -> Plan | None:
    """The plan that asks for an estimate request; None where the form has no input for something in it."""
    asked = {
        name: value for name, value in request.items() if name not in ("id", "model") and value is not None
    }
    settings, workload = asked.get("settings") or {}, _all_quantiles(asked.get("workload") or {})
    switches = {
        "s": OURS if settings == "derive" else "" if settings else DEFAULTS,
        "d": "q" if isinstance(workload.get("input_tokens"), Mapping) else "",
        "by": "day" if "requests_per_day" in workload else "",
    }
    asked |= {"settings": {} if settings == "derive" else settings, "workload": workload}
    pairs = dict(flat(asked))
    if any(path not in KEY_OF_PATH for path in pairs):
        return None
    one = {"pp": "1", "dp": "1", "e": "vllm", "peak": "1"}
    blank = {item.key: one.get(item.key, "") for item in INPUTS if item.kind != "switch"}
    values = {**blank, **{KEY_OF_PATH[path]: text_of(value) for path, value in pairs.items()}, **switches}
    values["n"] = values["n"] or _product(values)
    if values["tp"] and _product(values) == values["n"]:
        values["tp"] = ""  # what a blank one means
    return _with_model(Plan(values=values), request.get("model") or {})


def _all_quantiles(workload: Mapping[str, Any]) -> dict[str, Any]:
    """Where one length is a distribution and the other a number, the number as the distribution that it is."""
    names = ("input_tokens", "output_tokens")
    if not any(isinstance(workload.get(name), Mapping) for name in names):
        return dict(workload)
    constant = {name: dict.fromkeys(("p50", "p90", "p99"), workload.get(name)) for name in names}
    return {
        **workload,
        **{name: value for name, value in constant.items() if not isinstance(workload.get(name), Mapping)},
    }


def _with_model(plan: Plan, model: Mapping[str, Any]) -> Plan | None:
    if set(model) == {"id"}:
        return plan.changed({"m": str(model["id"])})
    if set(model) != {"config"}:
        return None
    packed = read_config(json.dumps(model["config"]))
    return (
        None if isinstance(packed, Problem) else replace(plan, packed_config=packed, config=model["config"])
    )


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
    pairs = dict(flat(fix))
    if not pairs or any(path not in KEY_OF_PATH for path in pairs):
        return {}
    changes = {KEY_OF_PATH[path]: text_of(value) for path, value in pairs.items()}
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


def _with_degrees(request: dict[str, Any]) -> dict[str, Any]:
    """A blank tensor degree takes the cards that the other degrees leave: raising the count must not be an error."""
    degrees = request.setdefault("parallelism", {})
    count, pipeline, data = request.get("count"), degrees.get("pipeline", 1), degrees.get("data", 1)
    if "tensor" in degrees or not (positive(count) and positive(pipeline) and positive(data)):
        return request
    if count % (pipeline * data) == 0:
        degrees["tensor"] = count // (pipeline * data)
    return request
