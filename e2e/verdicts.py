"""The command check against vLLM's own parser: every flag of a version, with values that are right and wrong."""

import json
import shlex
from itertools import product
from pathlib import Path

from e2e.vllm_cpu import VERSION, Vllm, faults

TABLE = Path(__file__).resolve().parent.parent / "planner" / "catalog" / "flags" / "vllm.json"
VALUES = (None, "8", "abc", '{"a": 1}', "true")
# What the parser of that version knows and the check does not read
NOT_READ = {
    "--chat-template": "whether a file is there",
    "--config": "what a file holds",
    "--lora-modules": "its own notation",
    "--mm-processor-device": "its two words",
    "--data-parallel-multi-port-external-lb": "a rule about the number of replicas",
}


def compared(engine: Vllm) -> int:
    """Print how far both agree; returns how many commands the parser refuses and the check takes."""
    from planner.answers.command_checks import answer
    from planner.queries import shipped_catalog

    catalog = shipped_catalog()
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    pieces = [
        [flag["name"], *([] if value is None else [value])] for flag, value in product(table["flags"], VALUES)
    ]
    commands = [["serve", "Qwen/Qwen3-8B", *piece] for piece in pieces]
    said = faults(engine, commands)
    judged = answer(
        [{"command": f"vllm {shlex.join(words)}", "version": VERSION} for words in commands], catalog=catalog
    )
    taken = [
        (piece, fault)
        for piece, fault, found in zip(pieces, said, judged, strict=True)
        if fault and found["valid"] and piece[0] not in NOT_READ and not _of_a_key(fault)
    ]
    refused = sum(map(bool, said))
    stricter = sum(not fault and not found["valid"] for fault, found in zip(said, judged, strict=True))
    for piece, fault in taken[:10]:
        print(f"TAKEN {shlex.join(piece)}\n{fault}\n")
    print(
        f"command check: {len(commands)} commands of one flag, {refused} refused by the parser, {len(taken)} of them taken"
        f" by the check; {stricter} more refused by the check, for what the engine finds after parsing"
    )
    return len(taken)


def _of_a_key(fault: str) -> bool:
    """The parser minds a key inside the JSON, which the check does not read."""
    return "unexpected_keyword_argument" in fault
