"""A container command: what the runtime is told, which image, and what reaches the program inside.

Options of `docker run` as in docker's reference and podman-run(1). Docker takes exact long names only.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from planner.core.check.found import Edit, Finding
from planner.core.check.words import Word

LONGEST_CLUSTER = 300  # letters behind one dash, a value among them
RUNTIMES = frozenset({"docker", "podman", "nerdctl"})
WITH_VALUE = frozenset(
    [
        "add-host",
        "annotation",
        "attach",
        "blkio-weight",
        "blkio-weight-device",
        "cap-add",
        "cap-drop",
        "cgroup-parent",
        "cgroupns",
        "cidfile",
        "cpu-count",
        "cpu-percent",
        "cpu-period",
        "cpu-quota",
        "cpu-rt-period",
        "cpu-rt-runtime",
        "cpu-shares",
        "cpus",
        "cpuset-cpus",
        "cpuset-mems",
        "detach-keys",
        "device",
        "device-cgroup-rule",
        "device-read-bps",
        "device-read-iops",
        "device-write-bps",
        "device-write-iops",
        "dns",
        "dns-option",
        "dns-search",
        "domainname",
        "entrypoint",
        "env",
        "env-file",
        "expose",
        "gpus",
        "group-add",
        "health-cmd",
        "health-interval",
        "health-retries",
        "health-start-interval",
        "health-start-period",
        "health-timeout",
        "hostname",
        "ip",
        "ip6",
        "ipc",
        "isolation",
        "kernel-memory",
        "label",
        "label-file",
        "link",
        "link-local-ip",
        "log-driver",
        "log-opt",
        "mac-address",
        "memory",
        "memory-reservation",
        "memory-swap",
        "memory-swappiness",
        "mount",
        "name",
        "net",
        "network",
        "network-alias",
        "oom-score-adj",
        "pid",
        "pids-limit",
        "platform",
        "publish",
        "pull",
        "restart",
        "runtime",
        "security-opt",
        "shm-size",
        "stop-signal",
        "stop-timeout",
        "storage-opt",
        "sysctl",
        "tmpfs",
        "ulimit",
        "user",
        "userns",
        "uts",
        "volume",
        "volume-driver",
        "volumes-from",
        "workdir",
        "arch",
        "authfile",
        "cdi-spec-dir",
        "pod",
        "requires",
        "secret",
        "systemd",
        "tz",
        "umask",
        "hooks-dir",
        "image-volume",
        "init-path",
        "passwd-entry",
        "preserve-fds",
        "sdnotify",
        "shm-size-systemd",
        "subgidname",
        "subuidname",
        "timeout",
        "variant",
    ]
)
WITHOUT_VALUE = frozenset(
    [
        "detach",
        "disable-content-trust",
        "help",
        "init",
        "interactive",
        "no-healthcheck",
        "oom-kill-disable",
        "privileged",
        "publish-all",
        "quiet",
        "read-only",
        "rm",
        "sig-proxy",
        "tty",
        "use-api-socket",
        "replace",
        "no-hosts",
        "no-hostname",
        "tls-verify",
        "rmi",
        "read-only-tmpfs",
        "env-host",
        "http-proxy",
    ]
)
SHORT_WITH_VALUE = {
    "a": "attach",
    "c": "cpu-shares",
    "e": "env",
    "h": "hostname",
    "l": "label",
    "m": "memory",
    "p": "publish",
    "u": "user",
    "v": "volume",
    "w": "workdir",
}
SHORT_WITHOUT_VALUE = {"d": "detach", "i": "interactive", "t": "tty", "P": "publish-all", "q": "quiet"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of the runtime: its long name, as typed, its value, and its place with the value."""

    name: str
    typed: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A `docker run`: where options may be put in, the image, and the words behind it."""

    runtime: str
    options: tuple[Option, ...]
    insert_at: int  # right behind `run`
    image: Word | None
    arguments: tuple[Word, ...]
    findings: tuple[Finding, ...] = ()
    compose: bool = False

    def values(self, name: str) -> list[str]:
        """Values of every option of that name."""
        return [option.value for option in self.options if option.name == name]

    def has(self, name: str) -> bool:
        """Whether the option was given."""
        return any(option.name == name for option in self.options)

    def option(self, name: str) -> Option | None:
        """The last option of that name."""
        return next((option for option in reversed(self.options) if option.name == name), None)

    @property
    def environment(self) -> dict[str, str | None]:
        """Variables of the container; None where the value is taken from the host."""
        pairs = (value.partition("=") for value in self.values("env"))
        return {name: value if sign else None for name, sign, value in pairs}

    @property
    def published(self) -> list[tuple[str, str]]:
        """(host port, container port) of every published port, as text."""
        pairs = []
        for value in self.values("publish"):
            parts = value.partition("/")[0].rsplit(":", 2)
            if len(parts) > 1:
                pairs.append((parts[-2], parts[-1]))
        return pairs

    @property
    def shares_host_network(self) -> bool:
        """Whether ports of the program are ports of the host."""
        return "host" in (*self.values("network"), *self.values("net"))


def is_run(words: Sequence[Word]) -> int:
    """How many words `docker run` (also `docker container run`) takes at the start; 0 if this is none."""
    texts = [word.text for word in words[:3]]
    if not texts or texts[0].rpartition("/")[2] not in RUNTIMES:
        return 0
    if texts[1:2] in (["run"], ["create"]):
        return 2
    return 3 if texts[1:3] in (["container", "run"], ["container", "create"]) else 0


def read_container(text: str, words: Sequence[Word]) -> Container | None:
    """The container that these words start, None if they are no `docker run`."""
    begin = is_run(words)
    if not begin:
        return None
    reader = _Options(text, words)
    at = reader.read(begin)
    return Container(
        runtime=words[0].text.rpartition("/")[2],
        options=tuple(reader.options),
        insert_at=words[begin - 1].end,
        image=words[at] if at < len(words) else None,
        arguments=tuple(words[at + 1 :]),
        findings=tuple(reader.findings),
    )


class _Options:
    """Reads options up to the image."""

    def __init__(self, text: str, words: Sequence[Word]) -> None:
        self.text = text
        self.words = words
        self.options: list[Option] = []
        self.findings: list[Finding] = []

    def read(self, at: int) -> int:
        """Read from a place on; returns the place of the image."""
        while at < len(self.words) and self.words[at].text.startswith("-") and self.words[at].text != "-":
            if self.words[at].text == "--":
                return at + 1
            at = self._long(at) if self.words[at].text.startswith("--") else self._short(at)
        return at

    def _long(self, at: int) -> int:
        word = self.words[at]
        name, sign, value = word.text[2:].partition("=")
        if name in WITH_VALUE and not sign:
            return self._with_next(at, name, f"--{name}")
        if name not in WITH_VALUE and name not in WITHOUT_VALUE:
            self.findings.append(_unknown(word, name))
            following = self.words[at + 1].text if at + 2 < len(self.words) else "/"
            if not sign and following[:1] != "-" and not set(following) & set("/:"):
                return self._with_next(at, name, f"--{name}")  # its value, not the image
        self._add(name, f"--{name}", value, word.start, word.end)
        return at + 1

    def _short(self, at: int) -> int:
        """A cluster such as -it or -itp 8000:8000; a value may be attached (-p8000:8000)."""
        word = self.words[at]
        letters = word.text[1 : 1 + LONGEST_CLUSTER]
        name = letters.partition("=")[0]
        if len(name) > 2 and (name in WITH_VALUE or name in WITHOUT_VALUE):
            return self._one_dash_short(at, name)
        for index, letter in enumerate(letters):
            typed = f"-{letter}"
            if letter in SHORT_WITH_VALUE:
                rest = letters[index + 1 :].removeprefix("=")
                if not rest:
                    return self._with_next(at, SHORT_WITH_VALUE[letter], typed)
                self._add(SHORT_WITH_VALUE[letter], typed, rest, word.start, word.end)
                return at + 1
            if letter not in SHORT_WITHOUT_VALUE:
                self.findings.append(_unknown(word, letters))
                return at + 1
            self._add(SHORT_WITHOUT_VALUE[letter], typed, "", word.start, word.end)
        return at + 1

    def _one_dash_short(self, at: int, name: str) -> int:
        """A long name behind one dash: docker would read letters."""
        word = self.words[at]
        edits = (Edit(word.start, word.start, "-"),)
        self.findings.append(
            Finding(code="docker_option_single_dash", flag=f"-{name}", fix=f"--{name}", edits=edits)
        )
        if name in WITH_VALUE and "=" not in word.text:
            return self._with_next(at, name, f"--{name}")
        self._add(name, f"--{name}", word.text.partition("=")[2], word.start, word.end)
        return at + 1

    def _with_next(self, at: int, name: str, typed: str) -> int:
        if at + 1 >= len(self.words):
            self.findings.append(Finding(code="docker_value_missing", flag=typed))
            return at + 1
        value = self.words[at + 1]
        self._add(name, typed, value.text, self.words[at].start, value.end)
        return at + 2

    def _add(self, name: str, typed: str, value: str, start: int, end: int) -> None:
        self.options.append(Option(name=name, typed=typed, value=value, start=start, end=end))


def _unknown(word: Word, name: str) -> Finding:
    close = difflib.get_close_matches(name[:60], [*WITH_VALUE, *WITHOUT_VALUE], n=1, cutoff=0.75)
    fix = f"--{close[0]}" if close else None
    typed = word.text.partition("=")[0]
    edits = (Edit(word.start, word.start + len(typed), fix),) if fix and word.text.startswith("--") else ()
    return Finding(code="docker_option_unknown", flag=typed, fix=fix, edits=edits)
