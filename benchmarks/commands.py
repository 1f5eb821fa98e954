"""Launch commands judged beside what was said of them by others.

    python -m benchmarks.commands            # one line per command that is judged otherwise, then the count

The commands are not part of the repository: they are read from ../shared/facts where that exists.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from planner.catalog import load_shipped
from planner.core.check.judge import Asked, check
from planner.core.check.parse import OTHER_NAMES

COMMANDS = Path(__file__).resolve().parent.parent.parent / "shared" / "facts" / "commands.yaml"


def main() -> int:
    """Print what differs; 0 where nothing does, and where the commands are absent."""
    if not COMMANDS.exists():
        sys.stdout.write(f"{COMMANDS} is absent: nothing to compare.\n")
        return 0
    cases = yaml.safe_load(COMMANDS.read_text())["commands"]
    catalog = load_shipped()
    right = 0
    for case in cases:
        differences = list(_differences(case, check(_asked(case), catalog)))
        right += not differences
        for difference in differences:
            sys.stdout.write(f"{case['id']} {case.get('fault_class', 'valid')}: {difference}\n")
    sys.stdout.write(f"judged right {right}/{len(cases)}\n")
    return 0 if right == len(cases) else 1


def _asked(case: Mapping[str, Any]) -> Asked:
    return Asked(
        id=case["id"],
        command=case["command"],
        engine=OTHER_NAMES.get(case["engine"], case["engine"]),
        version=case["version"],
        model=case["model"],
        accelerator=case["gpus"]["type"],
        count=case["gpus"]["count"],
        ports_in_use=tuple(case.get("host_state", {}).get("ports_in_use", ())),
    )


def _differences(case: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    valid = case["kind"] == "valid"
    flags = [item["flag"] for item in found["problems"] if item["severity"] == "error"]
    if found["valid"] is not valid:
        yield f"valid {found['valid']}, expected {valid} {flags}"
    elif not valid:
        if case["flag"] not in flags:
            yield f"flag {flags}, expected {case['flag']}"
        if not _same(found["mended_command"] or "", case["mended_command"]):
            yield f"mended {found['mended_command']}, expected {case['mended_command']}"


def _same(ours: str, theirs: str) -> bool:
    """The same words in any order: an option may be put in at another place."""
    return sorted(ours.split()) == sorted(theirs.split())


if __name__ == "__main__":
    sys.exit(main())
