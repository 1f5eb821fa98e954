"""Runs inside a virtual environment of vLLM, not of Decodeck: which commands does its own parser accept?

Reads a JSON list of argument lists on standard input, each without the leading `vllm`; writes a JSON list of what
was wrong with each, empty text where nothing was.
"""

import contextlib
import io
import json
import sys
from typing import Any


def serve_parser() -> tuple[Any, Any]:
    """The parser of `vllm`, and the object that validates what `serve` was given."""
    from vllm.entrypoints.cli import serve
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    parser = FlexibleArgumentParser(prog="vllm")
    subparsers = parser.add_subparsers(required=True, dest="subparser")
    (command,) = serve.cmd_init()
    command.subparser_init(subparsers)
    return parser, command


def fault_of(parser: Any, command: Any, arguments: list[str]) -> str:
    """What the parser, or the check after it, says against these arguments."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            command.validate(parser.parse_args(arguments))
    except SystemExit:
        return said.getvalue().strip()[-600:] or "refused without a word"
    except Exception as error:  # noqa: BLE001  # whatever the engine raises is the answer
        return f"{type(error).__name__}: {error}"[:600]
    return ""


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    engine = serve_parser()
    json.dump([fault_of(*engine, arguments) for arguments in asked], sys.stdout)
