"""A launch as text that can be pasted: a shell line or a docker run, one flag a line."""

import shlex
from collections.abc import Iterable
from functools import lru_cache

from planner.core.launch.launch import ConfigFile, Container, Launch

JOIN = " \\\n  "
CONFIG_FOLDER = "/etc/trtllm"
MODELS = "/models"
ULIMITS = ("memlock=-1", "stack=67108864")
END = "EOF"


def shell(launch: Launch) -> str:
    """The command as typed on the machine itself."""
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in launch.environment.items())
    start = " ".join(quoted(word) for word in launch.words)
    if variables:
        start = f"{variables} {start}"
    if launch.model_flag is None:
        start += f" {quoted(launch.model)}"
    parts = [start]
    if launch.model_flag is not None:
        parts.append(f"{launch.model_flag} {quoted(launch.model)}")
    parts += [" ".join(quoted(word) for word in flag.words) for flag in launch.flags]
    return _file(launch.config) + JOIN.join(parts)


def docker(launch: Launch) -> str | None:
    """The command that starts the engine's own image; None where no image is known."""
    box = launch.container
    if box is None:
        return None
    parts = ["docker run --rm", *_surroundings(launch, box), quoted(box.image)]
    parts += [" ".join(quoted(word) for word in group) for group in container_arguments(launch, box)]
    return _file(launch.config) + JOIN.join(parts)


def container_arguments(launch: Launch, box: Container) -> list[tuple[str, ...]]:
    """What stands behind the image, in groups of a flag and its value."""
    groups: list[tuple[str, ...]] = []
    if box.words:
        groups.append(box.words)
    model = model_in_container(launch)
    model_flag = launch.model_flag if launch.engine == "llama.cpp" else box.entry_takes_model
    groups.append((model,) if model_flag is None else (model_flag, model))
    for flag in launch.flags:
        if launch.config is not None and flag.value == launch.config.name:
            groups.append((flag.name, f"{CONFIG_FOLDER}/{launch.config.name}"))
        else:
            groups.append(flag.words)
    if box.host is not None:
        groups.append(("--host", box.host))
    return groups


def model_in_container(launch: Launch) -> str:
    """The model as the container sees it: a file lies in the mounted folder."""
    return f"{MODELS}/{launch.model}" if needs_folder(launch) else launch.model


def needs_folder(launch: Launch) -> bool:
    """Whether the weights are a file of this machine."""
    return launch.model.endswith(".gguf")


def _surroundings(launch: Launch, box: Container) -> Iterable[str]:
    if box.gpus:
        yield f"--gpus {gpu_list(box.gpus)}"
    for device in box.devices:
        yield f"--device {device}"
    if box.shares_memory:
        yield "--ipc host"
    if box.ulimits:
        for limit in ULIMITS:
            yield f"--ulimit {limit}"
    yield f"-p {box.port}:{box.port}"
    for outside, inside in volumes(launch, box):
        yield f"-v {outside}:{inside}"
    for name in launch.secrets:
        yield f"--env {name}"
    for name, value in launch.environment.items():
        yield f"--env {name}={quoted(value)}"
    if launch.config is not None:
        yield f'-v "$PWD/{launch.config.name}:{CONFIG_FOLDER}/{launch.config.name}:ro"'


def volumes(launch: Launch, box: Container) -> list[tuple[str, str]]:
    """(outside, inside) of every mounted folder and named volume."""
    models = [("~/models", f"{MODELS}:ro")] if needs_folder(launch) else []
    return [*models, *box.volumes, *box.named_volumes]


def gpu_list(numbers: tuple[str, ...]) -> str:
    """The word behind --gpus: a list needs quotes of its own inside the word, since Docker splits at commas."""
    return f"'\"device={','.join(numbers)}\"'" if len(numbers) > 1 else f"device={numbers[0]}"


@lru_cache(maxsize=4096)
def quoted(word: str) -> str:
    """A word as a shell reads it back."""
    return shlex.quote(word)


def _file(config: ConfigFile | None) -> str:
    if config is None:
        return ""
    return f"cat > {config.name} <<'{END}'\n{config.text}{END}\n"
