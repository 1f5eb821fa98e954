"""From an image to the engine inside: its version by the tag, and the program that its entry point starts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from planner.core.check.docker import Container
from planner.core.check.found import Edit, Finding
from planner.core.check.program import Program, find_program, program_of
from planner.core.check.words import Command, Script, Word
from planner.core.engines import Release, release_of

# Names beside those of the catalog under which the same images are found.
OTHER_NAMES = {"ggerganov/llama.cpp": "llama.cpp", "tensorrt-llm/release": "tensorrt-llm"}
# Images of others with the engine inside and a shell as entry point.
BARE_IMAGES = {"nvcr.io/nvidia/vllm": "vllm", "rocm/vllm": "vllm", "rocm/vllm-dev": "vllm"}
BUILD = re.compile(r"(?:^|-)(b\d{3,6})$")
INSIDE = re.compile(r"vllm_(\d+\.\d+\.\d+)")
RELEASE = re.compile(r"^v?(\d+\.\d+(?:\.\d+)?(?:\.?(?:rc|post|dev)\d+)?)")


def engine_of_image(name: str, hosts: Mapping[str, Any]) -> str | None:
    """The engine whose image this is, whatever registry it is copied to."""
    known = {
        facts["image"]: engine for engine, facts in hosts.get("containers", {}).items() if "image" in facts
    }
    for image, engine in (*known.items(), *OTHER_NAMES.items()):
        if name == image or name.endswith("/" + image):
            return str(engine)
    return BARE_IMAGES.get(name)


def split_image(image: str) -> tuple[str, str]:
    """(name, tag) of an image reference; the tag is "" where there is none or a digest takes its place."""
    plain = image.partition("@")[0]
    head, sign, tag = plain.rpartition(":")
    return (head, tag) if sign and "/" not in tag else (plain, "")


def version_of_tag(tag: str) -> str | None:
    """v0.9.2-cu128 → 0.9.2, server-cuda-b4719 → b4719; None for latest and tags without a version."""
    found = RELEASE.match(tag) or BUILD.search(tag) or INSIDE.search(tag)
    return found[1] if found else None


def opened(
    program: Program, script: Script, hosts: Mapping[str, Any], asked: Mapping[str, str | None]
) -> Program:
    """The program inside the container. `asked` has the engine and version that the asker named."""
    container = program.container
    if container is None:
        return program
    if container.image is None:
        finding = Finding(code="image_missing", flag=f"{container.runtime} run")
        return replace(program, findings=(*program.findings, *container.findings, finding))
    name, tag = split_image(container.image.text)
    engine = engine_of_image(name, hosts)
    version = (None if name in BARE_IMAGES else version_of_tag(tag)) or program.version
    findings = [*program.findings, *container.findings, *_tag_findings(container.image, engine, tag, version)]
    version = version or asked.get("version")
    program = replace(program, version=version, findings=tuple(findings))
    entrypoint = container.option("entrypoint")
    if entrypoint is not None and entrypoint.value:
        words = (*_words_of_option(entrypoint.value, entrypoint.start), *container.arguments)
        return _named(program, words, script, engine or asked.get("engine"))
    if engine is None:
        return _unknown_image(program, container, script, asked)
    begins_with_flag = bool(container.arguments) and container.arguments[0].text.startswith("-")
    entry = (
        None if name in BARE_IMAGES else entry_of(hosts, engine, version, begins_with_flag=begins_with_flag)
    )
    if engine == "llama.cpp" and tag.startswith(("full", "light")):
        entry = None
    if not entry:
        return _named(program, container.arguments, script, engine)
    return _behind_entry(program, container, engine, entry, script)


def entry_of(
    hosts: Mapping[str, Any], engine: str, version: str | None, *, begins_with_flag: bool
) -> Sequence[str]:
    """The words that the image puts before its arguments; empty where the program must be named.

    Between two versions that were read nobody knows which entry point holds: the one that the arguments suit is taken.
    """
    entries = hosts.get("containers", {}).get(engine, {}).get("entrypoints", [])
    if not entries:
        return []
    release = release_of(version) if version else None
    if release is None:
        newest: Sequence[str] = entries[-1]["words"]
        return newest
    known = [entry["words"] for entry in entries if _holds(entry, release, entries)]
    chosen: Sequence[str] = known[0] if known else entries[0 if begins_with_flag else -1]["words"]
    return chosen


def _holds(entry: Mapping[str, Any], release: Release, entries: Sequence[Mapping[str, Any]]) -> bool:
    came = release_of(entry["came"][1]) if "came" in entry else None
    last = release_of(entry["seen"][1]) if "seen" in entry else None
    begun = came is None or release >= came
    return begun and (last is None or release <= last or entry is entries[-1])


def _tag_findings(image: Word, engine: str | None, tag: str, version: str | None) -> list[Finding]:
    if engine is None or version is not None or engine == "llama.cpp":
        return []
    return [
        Finding(code="image_not_pinned", severity="warning", flag=image.text, values={"tag": tag or "latest"})
    ]


def _words_of_option(value: str, start: int) -> tuple[Word, ...]:
    return tuple(Word(text=text, start=start, end=start) for text in value.split())


def _named(program: Program, words: Sequence[Word], script: Script, engine: str | None) -> Program:
    """Arguments that must name their program themselves."""
    found = _started(words, script)
    if found is not None and (found.engine is not None or found.findings):
        return replace(
            found,
            container=program.container,
            version=program.version or found.version,
            env={**program.env, **found.env},
            findings=(*program.findings, *found.findings),
            editable=program.editable and found.editable,
        )
    if engine is None:
        return replace(program, findings=(*program.findings, Finding(code="no_engine_found", flag=None)))
    forms = {
        "vllm": "vllm serve",
        "sglang": "python3 -m sglang.launch_server",
        "tensorrt-llm": "trtllm-serve",
    }
    fix = forms.get(engine, "llama-server")
    at = (
        words[0].start
        if words
        else (program.container.image.end if program.container and program.container.image else 0)
    )
    text = f"{fix} " if words else f" {fix}"
    finding = Finding(
        code="program_not_named", flag=words[0].text if words else fix, fix=fix, edits=(Edit(at, at, text),)
    )
    return replace(
        program, engine=engine, arguments=tuple(words), findings=(*program.findings, finding), form="console"
    )


def _started(words: Sequence[Word], script: Script) -> Program | None:
    if not words:
        return None
    command = Command(words=tuple(words))
    found = find_program(replace(script, commands=(command,), findings=()))
    return None if any(item.code == "no_engine_found" for item in found.findings) else found


def _unknown_image(
    program: Program, container: Container, script: Script, asked: Mapping[str, str | None]
) -> Program:
    found = _started(container.arguments, script)
    if found is not None and found.engine is not None:
        return _named(program, container.arguments, script, found.engine)
    image = container.image.text if container.image else ""
    finding = Finding(code="image_unknown", severity="warning", flag=image)
    engine = asked.get("engine")
    if engine is None:
        finding = replace(finding, severity="error")
    return replace(
        program, engine=engine, arguments=container.arguments, findings=(*program.findings, finding)
    )


def _behind_entry(
    program: Program, container: Container, engine: str, entry: Sequence[str], script: Script
) -> Program:
    """Words behind an entry point that already is the program."""
    arguments = container.arguments
    module = "-m" in entry
    read = replace(program, engine=engine, form="module" if module else "console", arguments=arguments)
    repeated = program_of(arguments, {}) if arguments else None
    shell = _started(arguments[:3], script) if arguments and arguments[0].text in ("bash", "sh") else None
    if shell is not None and shell.engine is not None:
        fix = "--entrypoint bash"
        at = container.insert_at
        rest = arguments[1:]
        edits = (Edit(at, at, f" {fix}"), Edit(arguments[0].start, rest[0].start, ""))
        finding = Finding(code="entrypoint_repeated", flag=arguments[0].text, fix=fix, edits=edits)
        return replace(read, arguments=shell.arguments, findings=(*read.findings, finding))
    if repeated is None or repeated.engine != engine or not repeated.name:
        return read
    rest = repeated.arguments
    first = repeated.name[0]
    end = rest[0].start if rest else repeated.name[-1].end
    model = module and rest and not rest[0].text.startswith("-")
    typed = " ".join(word.text for word in repeated.name)
    finding = Finding(
        code="entrypoint_repeated",
        flag="model",
        values={"program": typed, "entry": " ".join(entry)},
        fix=f"--model {rest[0].typed_again}"
        if model
        else (rest[0].typed_again if rest and rest[0].text[:1] != "-" else ""),
        edits=(Edit(first.start, end, "--model " if model else ""),),
    )
    return replace(read, arguments=rest, form=repeated.form, findings=(*read.findings, finding))
