"""A launch as a file that a machine keeps: a Compose file or a systemd unit."""

import json
import re
from functools import lru_cache

from planner.core.launch.launch import Launch
from planner.core.launch.render import container_arguments, volumes

PLAIN = re.compile(r"[\w\-./:=,+@%$]+", re.ASCII)


def compose(launch: Launch) -> str | None:
    """A Compose file with one service; every argument is an item of its own, so that no shell splits it."""
    box = launch.container
    if box is None:
        return None
    name = launch.engine
    lines = [
        "services:",
        f"  {name}:",
        f"    image: {box.image}",
        "    restart: unless-stopped",
        "    command:",
    ]
    lines += [f"      - {_scalar(word)}" for group in container_arguments(launch, box) for word in group]
    lines.append("    environment:")
    lines += [f"      - {secret}" for secret in launch.secrets]
    lines += [f"      - {_scalar(f'{key}={value}')}" for key, value in launch.environment.items()]
    lines += ["    ports:", f'      - "{box.port}:{box.port}"', "    volumes:"]
    lines += [f"      - {outside}:{inside}" for outside, inside in volumes(launch, box)]
    if box.shares_memory:
        lines.append("    ipc: host")
    if box.gpus:
        numbers = ", ".join(f'"{number}"' for number in box.gpus)
        lines += [
            "    deploy:",
            "      resources:",
            "        reservations:",
            "          devices:",
            "            - driver: nvidia",
            f"              device_ids: [{numbers}]",
            "              capabilities: [gpu]",
        ]
    if box.named_volumes:
        lines += ["volumes:", *(f"  {outside}:" for outside, _ in box.named_volumes)]
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=4096)
def _scalar(word: str) -> str:
    """A YAML text, quoted; Compose puts variables in for $, so that one is doubled."""
    return json.dumps(word.replace("$", "$$"), ensure_ascii=False)


def systemd(launch: Launch, *, folder: str) -> str:
    """A unit for the program in a virtual environment at `folder`; keys are read from a file, not written here."""
    program, *rest = launch.words
    start = [f"{folder}/bin/{program}", *rest]
    if launch.model_flag is None:
        start.append(launch.model)
    groups = [tuple(start)]
    if launch.model_flag is not None:
        groups.append((launch.model_flag, launch.model))
    groups += [flag.words for flag in launch.flags]
    command = " \\\n    ".join(" ".join(argument(word) for word in group) for group in groups)
    environment = [f"Environment={argument(f'{name}={value}')}" for name, value in launch.environment.items()]
    return "\n".join(
        [
            "[Unit]",
            f"Description={launch.model.replace('%', '%%')} on {launch.engine}",
            "Wants=network-online.target",
            "After=network-online.target",
            "# A plan that does not start must not start over for ever.",
            "StartLimitIntervalSec=900",
            "StartLimitBurst=3",
            "",
            "[Service]",
            f"User={launch.engine}",
            f"StateDirectory={launch.engine}",
            # Weights and compiled kernels are kept below the home.
            f"Environment=HOME=/var/lib/{launch.engine}",
            f"# {' and '.join(launch.secrets)}, one NAME=value a line, readable by root only.",
            f"EnvironmentFile=-/etc/{launch.engine}.env",
            *environment,
            f"ExecStart={command}",
            "Restart=on-failure",
            "RestartSec=10",
            "TimeoutStopSec=60",
            "LimitNOFILE=65536",
            "LimitMEMLOCK=infinity",
            "",
            "[Install]",
            "WantedBy=multi-user.target",
            "",
        ]
    )


@lru_cache(maxsize=4096)
def argument(word: str) -> str:
    """A word by systemd's own rules: no shell; % and $ doubled, quotes and backslashes escaped within double quotes."""
    safe = word.replace("%", "%%").replace("$", "$$")
    if PLAIN.fullmatch(safe):
        return safe
    escaped = safe.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
