"""Which serving engine a text starts: the program, the words it gets, and the container around it.

Words in front of the program (sudo, nohup, env, exec, a script that installs it) are looked through; of several commands
the first that starts an engine counts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planner.core.check.docker import Container, is_run, read_container
from planner.core.check.found import Edit, Finding
from planner.core.check.words import ASSIGNMENT, Command, Script, Word, read_inside

SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
WRAPPERS = frozenset(
    [
        "sudo",
        "nohup",
        "env",
        "exec",
        "time",
        "nice",
        "ionice",
        "stdbuf",
        "numactl",
        "taskset",
        "setsid",
        "chrt",
        "unbuffer",
        "uv",
        "uvx",
        "pipx",
        "conda",
        "mamba",
        "micromamba",
        "poetry",
        "run",
        "srun",
        "command",
        "torchrun",
        "mpirun",
        "trtllm-llmapi-launch",
        "screen",
        "tmux",
        "systemd-run",
        "do",
        "then",
    ]
)
MODULES = {
    "vllm.entrypoints.openai.api_server": "vllm",
    "sglang.launch_server": "sglang",
    "tensorrt_llm.commands.serve": "tensorrt-llm",
}
# Programs of the same families that are no servers, and servers that are not read here.
OTHER_COMMANDS = {
    "vllm": ("bench", "chat", "complete", "collect-env", "run-batch", "launch"),
    "sglang": ("generate", "router", "version"),
}
NO_SERVERS = {
    "llama-cli": "llama.cpp",
    "llama-run": "llama.cpp",
    "llama-bench": "llama.cpp",
    "trtllm-bench": "tensorrt-llm",
}
NOT_READ = (
    "ollama",
    "lmdeploy",
    "text-generation-launcher",
    "tritonserver",
    "mlx_lm.server",
    "llamafile",
    "tabbyapi",
)
PACKAGES = {
    "vllm": "vllm",
    "sglang": "sglang",
    "tensorrt-llm": "tensorrt-llm",
    "tensorrt_llm": "tensorrt-llm",
}
PINNED = re.compile(r"([A-Za-z_-]+)(?:\[[^\]]*\])?==([0-9][0-9A-Za-z.+]*)")
LOOKED_THROUGH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What a text starts. `engine` is None where no known engine is named.

    form: console | module | image (the entry point of an image). name: the words of the program.
    """

    engine: str | None
    form: str = "console"
    name: tuple[Word, ...] = ()
    arguments: tuple[Word, ...] = ()
    version: str | None = None
    container: Container | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    followed_by: str = ""  # what ended the command: | && ;
    editable: bool = True  # whether places are those of the text that was pasted


def find_program(script: Script) -> Program:
    """The first engine that the script starts."""
    versions = _pinned_versions(script)
    other: Program | None = None
    for command in script.commands:
        found = _of_command(script, command)
        if found is None:
            continue
        found = replace(found, findings=(*script.findings, *found.findings), followed_by=command.separator)
        if found.engine is not None or found.container is not None:
            return replace(found, version=found.version or versions.get(found.engine or ""))
        other = other or found
    if other is not None:
        return other
    finding = Finding(code="no_engine_found", flag=_first_word(script))
    return Program(engine=None, findings=(*script.findings, finding))


def _first_word(script: Script) -> str | None:
    words = [word for command in script.commands for word in command.words]
    return words[0].text[:60] if words else None


def _pinned_versions(script: Script) -> dict[str, str]:
    """Versions that the same text installs: `pip install vllm==0.9.2`."""
    pinned = (PINNED.fullmatch(word.text) for command in script.commands for word in command.words)
    return {
        PACKAGES[found[1].lower()]: found[2] for found in pinned if found and found[1].lower() in PACKAGES
    }


def _of_command(script: Script, command: Command) -> Program | None:
    words, env = _without_wrappers(command)
    if not words:
        return None
    if is_run(words):
        container = read_container(script.text, words)
        assert container is not None  # is_run said so
        inside = {name: value for name, value in container.environment.items() if value is not None}
        return Program(engine=None, form="image", container=container, env={**env, **inside})
    if _base(words[0]) in SHELLS and len(words) > 2 and words[1].text in ("-c", "-lc", "-ec"):
        inner = find_program(read_inside(script, words[2]))
        inner_editable = bool(read_inside(script, words[2]).text)
        return replace(inner, env={**env, **inner.env}, editable=inner_editable and inner.editable)
    return program_of(words, env)


def _without_wrappers(command: Command) -> tuple[tuple[Word, ...], dict[str, str]]:
    """The words from the program on; assignments on the way (`env A=1`) count."""
    env = dict(command.env)
    words = command.words
    slip: tuple[Word, ...] | None = None  # a program without its `serve`, unless a whole one follows
    for index, word in enumerate(words[:LOOKED_THROUGH]):
        assigned = ASSIGNMENT.fullmatch(word.text)
        if assigned is not None and not word.text.startswith("-"):
            env[assigned[1]] = assigned[2]
            continue
        if _starts_something(words[index:]):
            if index == 0 or not _is_slip(words[index:]):
                return words[index:], env
            slip = slip or words[index:]
        if index == 0 and _base(word) not in WRAPPERS:
            return words, env
    return slip or words, env


def _is_slip(words: Sequence[Word]) -> bool:
    found = program_of(words, {})
    return found is not None and bool(found.findings)


def _starts_something(words: Sequence[Word]) -> bool:
    base = _base(words[0])
    if is_run(words) or base in SHELLS:
        return True
    found = program_of(words, {})
    return found is not None


def program_of(words: Sequence[Word], env: Mapping[str, str]) -> Program | None:
    """The engine that these words start, None where the first of them is no program known here."""
    base = _base(words[0])
    if base in ("vllm", "sglang"):
        return _console(base, words, env)
    if base.startswith("python") or base == "py":
        return _module(words, env)
    if base == "trtllm-serve":
        taken = 2 if [word.text for word in words[1:2]] == ["serve"] else 1
        return _program("tensorrt-llm", words, taken, env)
    if base in ("llama-server", "llama_server") or (base == "server" and "/" in words[0].text):
        return _program("llama.cpp", words, 1, env)
    if base in NO_SERVERS:
        finding = Finding(code="not_a_server_command", flag=base, values={"engine": NO_SERVERS[base]})
        return Program(engine=None, findings=(finding,))
    if base in NOT_READ:
        return Program(engine=None, findings=(Finding(code="engine_not_read", flag=base),))
    return None


def _program(
    engine: str, words: Sequence[Word], taken: int, env: Mapping[str, str], form: str = "console"
) -> Program:
    return Program(
        engine=engine, form=form, name=tuple(words[:taken]), arguments=tuple(words[taken:]), env=env
    )


def _console(base: str, words: Sequence[Word], env: Mapping[str, str]) -> Program:
    """`vllm serve` or `sglang serve`; a forgotten `serve` is put in."""
    following = words[1].text if len(words) > 1 else ""
    if following == "serve":
        return _program(base, words, 2, env)
    if following in OTHER_COMMANDS[base]:
        finding = Finding(
            code="not_a_server_command",
            flag=f"{base} {following}",
            fix=f"{base} serve",
            values={"engine": base},
        )
        return Program(engine=None, findings=(finding,))
    finding = Finding(
        code="serve_missing",
        flag=base,
        fix=f"{base} serve",
        edits=(Edit(words[0].end, words[0].end, " serve"),),
    )
    return replace(_program(base, words, 1, env), findings=(finding,))


def _module(words: Sequence[Word], env: Mapping[str, str]) -> Program | None:
    """`python -m MODULE`; a file that ends like the module is it too."""
    for index, word in enumerate(words[1:8], start=1):
        if word.text == "-m" and index + 1 < len(words):
            name = words[index + 1].text
            if name in MODULES:
                return _program(MODULES[name], words, index + 2, env, form="module")
            return _unknown_module(words, index + 1, env)
        if word.text.endswith("vllm/entrypoints/openai/api_server.py"):
            return _program("vllm", words, index + 1, env, form="module")
        if not word.text.startswith("-"):
            return None
    return None


def _unknown_module(words: Sequence[Word], at: int, env: Mapping[str, str]) -> Program | None:
    name = words[at].text
    engine = {"vllm": "vllm", "sglang": "sglang", "tensorrt_llm": "tensorrt-llm"}.get(name.partition(".")[0])
    if engine is None:
        return None
    right = next(module for module, owner in MODULES.items() if owner == engine)
    finding = Finding(
        code="module_unknown",
        flag=name,
        fix=right,
        values={"engine": engine},
        edits=(Edit(words[at].start, words[at].end, right),),
    )
    return replace(_program(engine, words, at + 1, env, form="module"), findings=(finding,))


def _base(word: Word) -> str:
    return re.split(r"[/\\]", word.text)[-1].removesuffix(".exe")
