"""Checking the launch flags before they are used: against the schema, then the boundaries against each other."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from planner.catalog.files import Record
from planner.core.engines import release_of

SCHEMA = Path(__file__).parent / "schema" / "flags.json"
HOSTS = "hosts"
ENGINES = frozenset({"vllm", "sglang", "tensorrt-llm", "llama.cpp"})


def flag_faults(flags: Mapping[str, Record]) -> Iterator[tuple[str, str, str]]:
    """(file, field, detail) of everything wrong with the flags of all engines."""
    for name in sorted((ENGINES | {HOSTS}) - set(flags)):
        yield f"flags/{name}.json", "", "is missing"
    for name, document in flags.items():
        file = f"flags/{name}.json"
        error = best_match(_validator(HOSTS if name == HOSTS else "engine").iter_errors(document))
        if error is not None:
            yield file, ".".join(str(part) for part in error.absolute_path), error.message[:300]
        elif name != HOSTS:
            yield from ((file, field, detail) for field, detail in _boundary_faults(document))
    if HOSTS in flags:
        yield from _concept_faults(flags)


@cache
def _validator(definition: str) -> Draft202012Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]})


def _boundary_faults(document: Record) -> Iterator[tuple[str, str]]:
    """A flag comes before it goes, between versions that were read and lie side by side."""
    read = {"server": sorted(document["read"], key=_order)}
    read["engine"] = sorted({*document["read"], *document["read_engine_side"]}, key=_order)
    seen_names: set[str] = set()
    for flag in document["flags"]:
        name = flag["name"]
        if name in seen_names:
            yield name, "used twice"
        seen_names.add(name)
        first, last = flag.get("seen", (document["read"][0], document["read"][-1]))
        if _order(first) > _order(last):
            yield name, f"first seen in {first}, after {last}"
        for field, inner in (("came", first), ("went", last)):
            pair = flag.get(field)
            if pair is None:
                continue
            if inner not in pair:
                yield name, f"{field} {pair} is not about {inner}"
            versions = read[flag.get("side", "server")]
            if not _neighbours(pair, versions) and not _neighbours(pair, read["server"]):
                yield name, f"{field} {pair}: not two versions read one after the other"
        if "choices_of" in flag and flag["choices_of"] not in {item["name"] for item in document["flags"]}:
            yield name, f"takes the choices of {flag['choices_of']}, which is no flag"


def _neighbours(pair: Any, versions: list[str]) -> bool:
    return pair[0] in versions and versions[versions.index(pair[0]) + 1 :][:1] == [pair[1]]


def _concept_faults(flags: Mapping[str, Record]) -> Iterator[tuple[str, str, str]]:
    """A concern names flags that its engine has; a key of a configuration file is no flag."""
    known = {
        engine: {flag["name"] for flag in flags[engine]["flags"]} | set(flags[engine].get("other_names", ()))
        for engine in ENGINES & set(flags)
    }
    concepts = {record["concept"] for record in flags[HOSTS]["concepts"]}
    for record in flags[HOSTS]["concepts"]:
        for engine, names in record.items():
            for name in () if engine == "concept" else names:
                if not name.startswith("config:") and name not in known.get(engine, ()):
                    yield "flags/hosts.json", record["concept"], f"{engine} has no flag {name}"
    for record in flags[HOSTS]["mistaken"]:
        if record["concept"] not in concepts:
            yield "flags/hosts.json", record["word"], f"no concern is named {record['concept']}"


def _order(version: str) -> tuple[int, ...]:
    return release_of(version) or ()
