"""Commands that stand in a file: a compose service, a systemd unit, a Kubernetes container, or plain shell text."""

import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from planner.core.check.docker import Container, Option
from planner.core.check.found import Finding
from planner.core.check.program import Program, find_program
from planner.core.check.words import ASSIGNMENT, Script, Word, read_region, read_script

EXEC_START = re.compile(r"^[ \t]*ExecStart=[-@:+!]*((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
ENVIRONMENT = re.compile(r"^[ \t]*Environment=(.*)$", re.MULTILINE)
COMPOSE = re.compile(r"^[ \t]*(?:image|command|services|containers)[ \t]*:", re.MULTILINE)
MAX_NODES = 2_000
MAX_DEPTH = 40
MAX_BRACKETS = 200  # each may be a level of nesting, which the reader of YAML follows
# Keys of a compose service that say the same as an option of `docker run`.
KEYS = {
    "ipc": "ipc",
    "shm_size": "shm-size",
    "runtime": "runtime",
    "network_mode": "network",
    "privileged": "privileged",
    "gpus": "gpus",
}
LISTS = {"ports": "publish", "volumes": "volume", "environment": "env", "devices": "device"}


def read_written(text: str) -> tuple[Program, str]:
    """The program that the text starts, and the kind of text: compose | systemd | shell."""
    unit = EXEC_START.search(text)
    if unit is not None:
        return _of_unit(text, unit), "systemd"
    shallow = text.count("[") + text.count("{") <= MAX_BRACKETS
    if shallow and COMPOSE.search(text) and not re.match(r"\s*(docker|podman|vllm|python)", text):
        service = _of_compose(text)
        if service is not None:
            return service, "compose"
    return find_program(read_script(text)), "shell"


def _of_unit(text: str, unit: re.Match[str]) -> Program:
    env: dict[str, str] = {}
    for line in ENVIRONMENT.finditer(text):
        for command in read_region(text, line.start(1), line.end(1)).commands:
            env |= command.env
    program = find_program(read_region(text, unit.start(1), unit.end(1)))
    return _with_env(program, env)


def _with_env(program: Program, env: dict[str, str]) -> Program:
    return replace(program, env={**env, **program.env})


def _of_compose(text: str) -> Program | None:
    """The first service that has an image or a command; None where this is no such file."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        finding = Finding(code="yaml_unreadable", values={"line": mark.line + 1 if mark else 1})
        return Program(engine=None, findings=(finding,), editable=False)
    for node in _mappings(root):
        keys = _keys(node)
        if "image" in keys and not isinstance(keys["image"], yaml.ScalarNode):
            continue
        if "image" in keys or "command" in keys:
            return _of_service(text, keys)
    return None


def _mappings(root: yaml.Node | None) -> Iterator[yaml.MappingNode]:
    """Mappings of the file, outermost first; aliases are met once."""
    level, seen = [root], set[int]()
    for _ in range(MAX_DEPTH):
        below: list[yaml.Node | None] = []
        for node in level:
            if node is None or id(node) in seen or len(seen) > MAX_NODES:
                continue
            seen.add(id(node))
            if isinstance(node, yaml.MappingNode):
                yield node
                below.extend(value for _key, value in node.value)
            elif isinstance(node, yaml.SequenceNode):
                below.extend(node.value)
        level = below


def _keys(node: yaml.Node | None) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {str(key.value): value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def _of_service(text: str, keys: dict[str, yaml.Node]) -> Program:
    options = list(_options(keys))
    image_node = keys.get("image")
    image = _word(image_node) if isinstance(image_node, yaml.ScalarNode) else None
    entrypoint = [word.text for word in _words_of(text, keys.get("entrypoint"))]
    if entrypoint:
        options.append(_option("entrypoint", " ".join(entrypoint), keys["entrypoint"]))
    arguments = _words_of(text, keys.get("command")) + _words_of(text, keys.get("args"))
    findings = tuple(_device_findings(keys))
    start = image.start if image is not None else 0
    container = Container(
        runtime="compose",
        options=tuple(options),
        insert_at=start,
        image=image,
        arguments=tuple(arguments),
        findings=findings,
        compose=True,
    )
    env = {name: value for name, value in container.environment.items() if value is not None}
    return Program(engine=None, form="image", container=container, env=env)


def _options(keys: dict[str, yaml.Node]) -> Iterator[Option]:
    for key, name in KEYS.items():
        if key in keys:
            yield _option(name, str(getattr(keys[key], "value", "")), keys[key])
    for key, name in LISTS.items():
        for value in _list(keys.get(key)):
            yield _option(name, value, keys[key])
    reserved = list(_devices(keys))
    if reserved:
        yield _option("gpus", reserved[0], keys["deploy"])
    limits = _keys(_keys(keys.get("resources")).get("limits"))
    for name, node in limits.items():
        if name.endswith("/gpu"):
            yield _option("gpus", str(node.value), node)


def _devices(keys: dict[str, yaml.Node]) -> Iterator[str]:
    """What deploy.resources.reservations.devices reserves: a count, or a list of devices."""
    for device in _reservations(keys):
        fields = _keys(device)
        if "device_ids" in fields:
            yield "device=" + ",".join(_list(fields["device_ids"]))
        else:
            yield str(getattr(fields.get("count"), "value", "all"))


def _reservations(keys: dict[str, yaml.Node]) -> list[yaml.Node]:
    resources = _keys(_keys(keys.get("deploy")).get("resources"))
    devices = _keys(resources.get("reservations")).get("devices")
    return list(devices.value) if isinstance(devices, yaml.SequenceNode) else []


def _device_findings(keys: dict[str, yaml.Node]) -> Iterator[Finding]:
    for device in _reservations(keys):
        fields = _keys(device)
        if "gpu" not in _list(fields.get("capabilities")):
            yield Finding(code="compose_capabilities_missing", flag="capabilities", fix="capabilities: [gpu]")
        if "count" in fields and "device_ids" in fields:
            yield Finding(code="compose_count_and_ids", severity="warning", flag="device_ids")


def _list(node: yaml.Node | None) -> list[str]:
    if isinstance(node, yaml.SequenceNode):
        return [str(item.value) for item in node.value if isinstance(item, yaml.ScalarNode)]
    if isinstance(node, yaml.MappingNode):
        return [f"{key}={getattr(value, 'value', '')}" for key, value in _keys(node).items()]
    return []


def _option(name: str, value: str, node: yaml.Node) -> Option:
    start, end = node.start_mark.index, node.end_mark.index
    return Option(name=name, typed=name, value=value, start=start, end=end)


def _words_of(text: str, node: yaml.Node | None) -> list[Word]:
    """The words of a `command:`: a list item per word, or one text that is split like a shell's."""
    if isinstance(node, yaml.SequenceNode):
        return [_word(item) for item in node.value if isinstance(item, yaml.ScalarNode)]
    if not isinstance(node, yaml.ScalarNode):
        return []
    script = _script_of(text, node)
    return [word for command in script.commands for word in (*command.env_words, *command.words)]


def _script_of(text: str, node: yaml.ScalarNode) -> Script:
    start, end = node.start_mark.index, node.end_mark.index
    raw = text[start:end]
    if node.style in ("|", ">"):
        # the lines of a block are one command; the same length keeps places right
        head, _, body = raw.partition("\n")
        joined = body.replace("\\\n", "  ").replace("\n", " ")
        return read_region(text[:start] + " " * (len(head) + 1) + joined + text[end:], start, end)
    if node.style in ("'", '"'):
        return read_region(text, start + 1, end - 1)
    return read_region(text[:start] + raw.replace("\n", " ") + text[end:], start, end)


def _word(node: yaml.ScalarNode) -> Word:
    value = str(node.value)
    unknown = bool(re.search(r"\$\{?[A-Za-z_]", value)) and ASSIGNMENT.fullmatch(value) is None
    return Word(
        text=value,
        start=node.start_mark.index,
        end=node.end_mark.index,
        quoted=node.style is not None,
        variable=unknown,
    )
