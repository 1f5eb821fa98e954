"""What stands around the flags: container, ports, address, variables, secrets, and how the model is named."""

import shlex
from collections.abc import Iterator, Sequence

from planner.core.check.arguments import Given
from planner.core.check.docker import WITH_VALUE, WITHOUT_VALUE, Container, Option
from planner.core.check.found import Edit, Finding
from planner.core.check.launch import Launch, digits_of, stray
from planner.core.engines import release_of
from planner.core.launch.flags import find
from planner.core.launch.lookup import environment_at, rules_at

CDI = "nvidia.com/gpu"
GPU_DEVICES = ("/dev/kfd", "/dev/dri", "/dev/nvidia", CDI)
FIRST_FREE_PORT, LAST_PORT = 1024, 65_535
# Read running in 0.32.0; when it began is not known, so that older ones are warned of only
REFUSES_SECOND_MODEL = (0, 32)
SHARES_MEMORY = frozenset({"vllm", "sglang", "tensorrt-llm"})
WHOLE_NAMES = frozenset({"exact", "alias", "underscores", "negative", "dotted"})
SECRETS = frozenset({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "VLLM_API_KEY", "LLAMA_API_KEY", "OPENAI_API_KEY"})


def around_findings(launch: Launch, ports_in_use: Sequence[int]) -> Iterator[Finding]:
    """Everything beside the flags themselves."""
    container = launch.program.container
    if container is not None:
        yield from container_findings(launch, container)
    yield from _model_findings(launch)
    yield from _port_findings(launch, container, ports_in_use)
    yield from _variables(launch)
    yield from _secret(launch)


def container_findings(launch: Launch, container: Container) -> Iterator[Finding]:
    """GPUs, shared memory, and whether anybody can reach the port."""
    yield from flags_before_image(launch, container)
    yield from _gpus(launch, container)
    if not container.compose or container.has("publish"):
        yield from _reachable(launch, container)
    shared = container.has("ipc") or container.has("shm-size")
    if launch.engine in SHARES_MEMORY and not shared:
        ranks = (launch.whole("tensor_parallel") or 1) * (launch.whole("pipeline_parallel") or 1)
        option = "ipc: host" if container.compose else "--ipc=host"
        yield Finding(
            code="shared_memory_missing",
            severity="warning",
            flag="--ipc",
            values={"ranks": ranks},
            fix=option,
        )
    if container.shares_host_network and container.has("publish"):
        option_given = container.option("publish")
        yield Finding(
            code="ports_with_host_network",
            severity="warning",
            flag=option_given.typed if option_given else "-p",
        )


def flags_before_image(launch: Launch, container: Container) -> Iterator[Finding]:
    """Flags of the engine that were typed before the image, where the container runtime gets them."""
    for option in container.options:
        if option.name in (WITH_VALUE | WITHOUT_VALUE) or container.compose:
            continue
        if find(launch.table, f"--{option.name}", launch.version).how not in WHOLE_NAMES:
            continue
        piece = launch.text[option.start : option.end]
        edits = (Edit(option.start - 1, option.end, ""), launch.appended(piece))
        yield Finding(code="flag_before_image", flag=option.typed, fix=piece, edits=edits)


def _gpus(launch: Launch, container: Container) -> Iterator[Finding]:
    devices = container.values("device")
    cdi = any(value.startswith(GPU_DEVICES) for value in devices)
    runtime = "nvidia" in container.values("runtime")  # these images ask it for all GPUs themselves
    gpus = container.option("gpus")
    platform = launch.of("platform")
    cpu_only = _cpu_image(container) or (platform is not None and platform.value == "cpu")
    slip = any(item.fix == "--gpus" for item in container.findings)
    if gpus is None and not (slip or cdi or runtime or cpu_only or container.has("privileged")):
        yield _no_gpus(launch, container)
    if gpus is None or container.compose:
        return
    if gpus.value.startswith("device=") and "," in gpus.value and '"' not in gpus.value:
        fix = shlex.quote(f'"{gpus.value}"')
        yield Finding(
            code="gpu_list_unquoted",
            flag=gpus.typed,
            values={"value": gpus.value},
            fix=f"{gpus.typed} {fix}",
            edits=(Edit(gpus.start, gpus.end, f"{gpus.typed} {fix}"),),
        )
    if container.runtime == "podman":
        yield Finding(
            code="podman_gpus",
            severity="warning",
            flag=gpus.typed,
            fix=f"--device {CDI}=all",
        )


def _cpu_image(container: Container) -> bool:
    image = container.image.text if container.image else ""
    tag = image.rpartition(":")[2]
    return ("llama.cpp" in image and tag in ("server", "full", "light")) or "cpu" in image


def _no_gpus(launch: Launch, container: Container) -> Finding:
    if container.compose:
        return Finding(
            code="container_without_gpus",
            flag="deploy.resources.reservations.devices",
            values={"engine": launch.engine},
            fix="deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, capabilities: [gpu]}]}}}",
        )
    fix = f"--device {CDI}=all" if container.runtime == "podman" else "--gpus all"
    at = container.insert_at
    return Finding(
        code="container_without_gpus",
        flag="--gpus",
        values={"engine": launch.engine},
        fix=fix,
        edits=(Edit(at, at, f" {fix}"),),
    )


def _reachable(launch: Launch, container: Container) -> Iterator[Finding]:
    """A published port that nobody listens on, or that only the container itself can reach."""
    if container.shares_host_network:
        return
    facts = launch.table.hosts.get("addresses", {}).get(launch.engine, {})
    host = launch.of("host")
    sets_host = "LLAMA_ARG_HOST" in launch.env or launch.engine == "llama.cpp"
    address = host.value if host is not None else None if sets_host else facts.get("host")
    if address in ("127.0.0.1", "localhost"):
        fix, _ = launch.set("host", "0.0.0.0")  # noqa: S104 - an address to type
        yield Finding(
            code="address_inside_container_only",
            severity="warning",
            flag=launch.typed("host"),
            values={"host": address, "engine": launch.engine},
            fix=fix,
        )
    port = _own_port(launch)
    published = container.published
    if port is None or not published:
        return
    if all(inside != str(port) for _outside, inside in published):
        option = container.option("publish")
        outside = published[-1][0]
        yield Finding(
            code="published_port_not_served",
            severity="warning",
            flag=option.typed if option else "-p",
            values={"inside": published[-1][1], "port": port},
            fix=f"-p {outside}:{port}",
        )


def _own_port(launch: Launch) -> int | None:
    """The port that the engine listens on; None where only the shell knows."""
    given = launch.of("port")
    if given is not None:
        return digits_of(given.value)
    facts = launch.table.hosts.get("addresses", {}).get(launch.engine, {})
    port = facts.get("port")
    return int(port) if port is not None else None


def _port_findings(launch: Launch, container: Container | None, taken: Sequence[int]) -> Iterator[Finding]:
    if not taken:
        return
    if container is not None and not container.shares_host_network:
        for option in container.options:
            if option.name == "publish":
                yield from _published(launch.text, option, taken)
        return
    port = _own_port(launch)
    if port in taken and port is not None:
        fix, edits = launch.set("port", _free(port, taken))
        yield Finding(
            code="port_in_use", flag=launch.typed("port"), values={"port": port}, fix=fix, edits=edits
        )


def _published(text: str, option: Option, taken: Sequence[int]) -> Iterator[Finding]:
    parts = option.value.split(":")
    port = digits_of(parts[-2]) if len(parts) > 1 else None
    if port is None or port not in taken:
        return
    taken_pair, free_pair = ":".join(parts[-2:]), f"{_free(port, taken)}:{parts[-1]}"
    piece = text[option.start : option.end]
    if piece.count(taken_pair) == 1:  # as typed: quotes, variables and what a file has around it stay
        fix = piece.replace(taken_pair, free_pair).strip()
        at = option.start + piece.index(taken_pair)
        edit = Edit(at, at + len(taken_pair), free_pair)
    else:
        fix = f"{option.typed} {shlex.quote(':'.join([*parts[:-2], free_pair]))}"
        edit = Edit(option.start, option.end, fix)
    yield Finding(
        code="port_in_use",
        flag=option.typed,
        values={"port": port},
        fix=fix,
        edits=(edit,),
    )


def _free(port: int, taken: Sequence[int]) -> int:
    """The next port that is free; behind the last one the search goes on at the first that needs no privilege."""
    while port in taken:
        port = port + 1 if port < LAST_PORT else FIRST_FREE_PORT
    return port


def _variables(launch: Launch) -> Iterator[Finding]:
    """Variables that this version no longer reads, or does not read yet."""
    for name in launch.env:
        status = environment_at(launch.table, name, launch.version)
        if status is None or status.usable:
            continue
        instead = _instead_of(launch, name)
        yield Finding(
            code="variable_not_read" if status.kind != "unknown_between" else "variable_unsure",
            severity="warning",
            flag=name,
            values={
                "engine": launch.engine,
                "version": launch.version or launch.table.newest,
                "last_with": status.last_with,
                "first_with": status.first_with,
            },
            fix=f"{instead} {launch.env[name]}" if instead else None,
        )


def _instead_of(launch: Launch, name: str) -> str | None:
    for record in launch.table.raw.get("environment", ()):
        if record["name"] == name and record.get("instead"):
            return str(record["instead"][0])
    return None


def _secret(launch: Launch) -> Iterator[Finding]:
    container = launch.program.container
    told = {**launch.env, **(container.environment if container is not None else {})}
    for name, value in told.items():
        if name in SECRETS and value and not value.startswith("$"):
            yield Finding(code="secret_in_variable", severity="warning", flag=name, fix=name)
    given = launch.of("api_key")
    if given is None or not given.values or given.unknown_value or given.name == "--api-key-file":
        return
    fix = {"vllm": "VLLM_API_KEY", "llama.cpp": "--api-key-file"}.get(launch.engine)
    yield Finding(code="secret_on_command_line", severity="warning", flag=given.typed, fix=fix)


def _named_twice(launch: Launch, flag: Given, word: str) -> Finding:
    """Beside a free word newer parsers refuse the flag; older ones let the word count."""
    release = release_of(launch.version or launch.table.newest)
    refused = launch.engine == "vllm" and release is not None and release >= REFUSES_SECOND_MODEL
    return Finding(
        code="model_named_twice_refused" if refused else "model_named_twice",
        severity="error" if refused else "warning",
        flag=flag.typed,
        values={"model": word},
        fix="" if refused else None,
        edits=(flag.dropped(launch.text),) if refused else (),
    )


def _model_findings(launch: Launch) -> Iterator[Finding]:
    """Whether a model is named where this program looks for it."""
    arguments, program = launch.arguments, launch.program
    flag = launch.of("model")
    words = list(arguments.positionals)
    takes_word = free_word_is_model(launch)
    if takes_word:
        yield from stray(words[1:], launch.engine)
        if words and flag is not None:
            yield _named_twice(launch, flag, words[0].text)
    elif words and flag is None:
        name = launch.flag_of("model")
        first = words[0]
        yield Finding(
            code="model_needs_flag",
            flag="model",
            values={"word": first.text, "engine": launch.engine, "needs": name},
            fix=f"{name} {first.typed_again}",
            edits=(Edit(first.start, first.start, f"{name} "),),
        )
        yield from stray(words[1:], launch.engine)
    else:
        yield from stray(words, launch.engine)
    if not words and flag is None and arguments.last("--config") is None:
        yield from _no_model(launch)
    if program.followed_by == "|":
        yield Finding(code="piped", severity="warning", flag="|")


def free_word_is_model(launch: Launch) -> bool:
    """Whether the program takes the model as a free word."""
    return launch.engine == "tensorrt-llm" or (launch.engine == "vllm" and launch.program.form == "console")


def _no_model(launch: Launch) -> Iterator[Finding]:
    swallowed = launch.of("public_name")
    if swallowed is not None and len(swallowed.values) > 1 and free_word_is_model(launch):
        last = swallowed.values[-1]
        start = swallowed.value_end - len(last)
        yield Finding(
            code="model_swallowed",
            flag=swallowed.typed,
            values={"model": last},
            fix=f"{last} {swallowed.typed} {' '.join(swallowed.values[:-1])}",
            edits=(
                Edit(swallowed.start, swallowed.start, f"{last} "),
                Edit(start - 1, swallowed.value_end, ""),
            ),
        )
        return
    if launch.engine in ("sglang", "tensorrt-llm"):
        yield Finding(code="model_missing", flag="model", values={"engine": launch.engine})
        return
    refused = any(rule["id"] == "model-positional" for rule in rules_at(launch.table, launch.version))
    if refused and swallowed is not None and launch.engine == "vllm" and launch.program.form == "console":
        yield Finding(code="model_missing", flag="model", values={"engine": launch.engine})
        return
    yield Finding(code="model_not_named", severity="warning", flag="model", values={"engine": launch.engine})
