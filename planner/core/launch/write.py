"""From a plan to a launch: one engine's flags, the weights to name, container, driver, notes."""

from collections.abc import Mapping
from typing import Any

from planner.core.batch import MemoryBatch
from planner.core.launch import host
from planner.core.launch.checkpoint import Checkpoint
from planner.core.launch.draft import Draft
from planner.core.launch.flags import FlagTable, forms_at, standing, table
from planner.core.launch.launch import ConfigFile, Container, Launch
from planner.core.launch.write_others import write_llama_cpp, write_sglang, write_tensorrt_llm
from planner.core.launch.write_vllm import write_vllm
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest

# What each engine reads a key from, so that none stands on a command line, where the process list shows it.
KEY_VARIABLES = {"vllm": "VLLM_API_KEY", "llama.cpp": "LLAMA_API_KEY"}
HUB_TOKEN = "HF_TOKEN"  # noqa: S105 - the name of a variable
# Cards whose commands are known: the tables were read for CUDA and CPU, and ROCm takes the same flags.
KNOWN_KINDS = {
    "vllm": frozenset({"nvidia", "amd", "cpu"}),
    "sglang": frozenset({"nvidia", "amd"}),
    "tensorrt-llm": frozenset({"nvidia"}),
    "llama.cpp": frozenset({"nvidia", "amd", "intel", "apple", "cpu", "moore threads"}),
}
SYSTEMD_ENGINES = frozenset({"vllm"})
# Where a unit expects the virtual environment of the engine.
FOLDER = "/opt/{engine}"
# Accelerators that one server machine commonly holds.
ONE_MACHINE = 8
LLAMA_HUB_FLAG, LLAMA_FILE_FLAG = "--hf-repo", "--model"


def write(
    request: EstimateRequest,
    batch: MemoryBatch,
    row: int,
    *,
    flags: Mapping[str, Any],
    why: Mapping[str, Reason],
) -> tuple[Launch, bool] | Reason:
    """The launch of a settled plan that fits, and whether it was checked against a table of exactly that version.

    `flags` is `Catalog.flags`, `why` the reasons of the settings in force by name. A Reason where no command of this
    engine is known for the card.
    """
    card = request.accelerator
    assert card is not None  # a plan without a card has no command
    found = table(flags, request.engine.name)
    kind = host.kind_of(card)
    if kind not in KNOWN_KINDS[found.engine]:
        values = {"engine": found.engine, "vendor": card.vendor, "accelerator": card.name}
        return Reason(code="command_not_known_for_vendor", values=values)
    if card.logical_devices > 1:
        return Reason(
            code="card_is_several_devices",
            values={"accelerator": card.name, "devices": card.logical_devices},
        )
    draft = Draft(request=request, table=found, why=why)
    weights, environment, config = _put_down(draft, batch, row)
    box = host.container(request, found, _devices(draft))
    words, model_flag = _program(found, request, weights)
    launch = Launch(
        engine=found.engine,
        version=request.engine.version,
        words=words,
        model=_model_word(found, weights),
        model_flag=model_flag,
        flags=tuple(draft.flags),
        environment=environment,
        secrets=tuple(name for name in (HUB_TOKEN, KEY_VARIABLES.get(found.engine)) if name is not None),
        config=config,
        container=box if isinstance(box, Container) else None,
        notes=tuple(_notes(draft, weights, kind, box)),
        missing=_missing(found, box),
    )
    return launch, draft.verified()


def _put_down(
    draft: Draft, batch: MemoryBatch, row: int
) -> tuple[Checkpoint, Mapping[str, str], ConfigFile | None]:
    engine = draft.table.engine
    if engine == "vllm":
        weights, environment = write_vllm(draft, batch, row)
        return weights, environment, None
    if engine == "tensorrt-llm":
        weights, config = write_tensorrt_llm(draft, batch, row)
        return weights, {}, config
    writer = write_sglang if engine == "sglang" else write_llama_cpp
    return writer(draft, batch, row), {}, None


def _devices(draft: Draft) -> int:
    """Cards of one server: all of them, unless replicas are servers of their own."""
    separate = any(note.code == "server_per_replica" for note in draft.notes)
    parallelism = draft.request.parallelism
    return parallelism.tensor * parallelism.pipeline * (1 if separate else parallelism.data)


def _program(
    found: FlagTable, request: EstimateRequest, weights: Checkpoint
) -> tuple[tuple[str, ...], str | None]:
    """(words that start the engine, flag that names the model; None: it stands behind them)."""
    forms = forms_at(found, request.engine.version) or (found.raw["forms"][0],)
    # SGLang and TensorRT-LLM list their usual form first, vLLM the newer one last.
    form = forms[-1] if found.engine == "vllm" else forms[0]
    model_flag = form["model"]
    if found.engine == "llama.cpp":
        model_flag = LLAMA_FILE_FLAG if weights.gguf_file else LLAMA_HUB_FLAG
    return tuple(form["words"]), model_flag


def _model_word(found: FlagTable, weights: Checkpoint) -> str:
    if found.engine == "llama.cpp" and not weights.gguf_file:
        return f"{weights.name}:{weights.gguf_quant}"
    return weights.name


def _power(request: EstimateRequest, kind: str, devices: int) -> list[Reason]:
    """A cap or mode that the plan counts on is set on the machine, not by the engine."""
    power = request.power
    if power is None:
        return []
    if power.mode is not None:
        return [Reason(code="set_power_mode_first", values={"mode": power.mode})]
    if kind != "nvidia" or power.watts is None:
        return []
    numbers = ",".join(str(number) for number in range(devices))
    command = f"sudo nvidia-smi -i {numbers} -pl {power.watts:.0f}"
    return [Reason(code="cap_power_first", values={"watts": round(power.watts), "command": command})]


def _missing(found: FlagTable, box: Container | Reason) -> dict[str, Reason]:
    missing: dict[str, Reason] = {}
    if isinstance(box, Reason):
        missing["docker"] = box
    if found.engine not in SYSTEMD_ENGINES:
        only = Reason(code="form_of_vllm_only", values={"engine": found.engine})
        missing["compose"] = missing["systemd"] = only
    elif isinstance(box, Reason):
        missing["compose"] = box
    return missing


def _notes(draft: Draft, weights: Checkpoint, kind: str, box: Container | Reason) -> list[Reason]:
    """What a command cannot say itself, most pressing first."""
    request, found = draft.request, draft.table
    values = {"engine": found.engine, "version": request.engine.version}
    notes = [weights.note] if weights.note is not None else []
    released = weights.note is not None and weights.note.code == "released_checkpoint"
    if found.engine == "tensorrt-llm" and released and not weights.name.startswith("nvidia/"):
        notes.append(Reason(code="format_not_checked_for_engine", values={"model": weights.name}))
    notes += draft.notes
    devices = _devices(draft)
    if devices > ONE_MACHINE:
        notes.append(Reason(code="one_machine_assumed", values={"devices": devices}))
    notes += _power(request, kind, devices)
    known = standing(found, request.engine.version)
    if not known.verified:
        around = {"older": known.older or "", "newer": known.newer or "", **values}
        notes.append(Reason(code=f"version_{known.kind}", values=around))
    if kind == "nvidia" and host.is_jetson(request.accelerator):
        notes.append(Reason(code="driver_of_board", values=values))
    elif kind == "nvidia":
        needed = host.driver(found, request.engine.version)
        notes += [needed] if needed is not None else []
    elif kind == "amd" and found.engine != "llama.cpp":
        notes.append(Reason(code="flags_read_for_cuda", values=values))
    if found.engine == "llama.cpp" and isinstance(box, Container):
        notes.append(Reason(code="image_without_version", values={"image": box.image, **values}))
    address = found.hosts["addresses"][found.engine]
    if address["host"] is None:
        key = KEY_VARIABLES[found.engine]
        notes.append(Reason(code="listens_everywhere", values={"port": address["port"], "variable": key}))
    else:
        notes.append(
            Reason(code="listens_on_loopback", values={"port": address["port"], "host": address["host"]})
        )
    if found.engine in SYSTEMD_ENGINES:
        unit = {"folder": FOLDER.format(engine=found.engine), "user": found.engine}
        notes.append(Reason(code="unit_assumes", values=unit))
    return notes
