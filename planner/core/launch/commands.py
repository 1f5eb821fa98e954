"""The `commands` of an estimate: every form as text, whether it was checked, and why each flag is there."""

from collections.abc import Mapping, Sequence
from typing import Any

from planner.core.batch import MemoryBatch
from planner.core.launch.launch import Launch
from planner.core.launch.render import docker, shell
from planner.core.launch.render_units import compose, systemd
from planner.core.launch.write import FOLDER, write
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest

FORMS = ("shell", "docker", "compose", "systemd")


def commands(
    request: EstimateRequest,
    batch: MemoryBatch,
    row: int,
    *,
    flags: Mapping[str, Any],
    settings: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any] | None:
    """Commands of a settled plan, None where it has none: it does not fit, has no card, or no tables are loaded.

    `settings` are those of the answer: their reasons are the reasons of the flags that set them.
    """
    why = {
        item["name"]: Reason(code=item["reason"]["code"], values=item["reason"]["values"])
        for item in settings
    }
    if request.accelerator is None or batch.verdicts[row] != "fits" or request.engine.name not in flags:
        return None
    written = write(request, batch, row, flags=flags, why=why)
    if isinstance(written, Reason):
        return _nothing(request, written)
    launch, verified = written
    texts = _texts(launch)
    return {
        **texts,
        "verified": verified,
        "engine": launch.engine,
        "version": launch.version,
        "flags": [
            {"flag": flag.name, "value": flag.value, "reason": _said(flag.reason)} for flag in launch.flags
        ],
        "notes": [_said(note) for note in launch.notes],
        "missing": {form: _said(reason) for form, reason in launch.missing.items()},
    }


def _texts(launch: Launch) -> dict[str, str | None]:
    units = "systemd" not in launch.missing
    return {
        "shell": shell(launch),
        "docker": docker(launch),
        "compose": compose(launch) if units else None,
        "systemd": systemd(launch, folder=FOLDER.format(engine=launch.engine)) if units else None,
    }


def _nothing(request: EstimateRequest, reason: Reason) -> dict[str, Any]:
    return {
        **dict.fromkeys(FORMS),
        "verified": False,
        "engine": request.engine.name,
        "version": request.engine.version,
        "flags": [],
        "notes": [],
        "missing": {form: _said(reason) for form in FORMS},
    }


def _said(reason: Reason) -> dict[str, Any]:
    return {"code": reason.code, "values": dict(reason.values)}
