"""manage.py estimate as a script drives it: JSON Lines in, JSON Lines out, exit 0 or 2."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planner.schemas import ANSWER, EXAMPLE, PROBLEM

ROOT = Path(__file__).resolve().parents[2]


def run(text: str | bytes, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    """Exit status, answers and standard error of one call of the command on the shipped catalog."""
    done = subprocess.run(
        [sys.executable, "manage.py", "estimate", "--catalog", "shipped", *arguments],
        input=text if isinstance(text, bytes) else text.encode(),
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    lines = done.stdout.decode().splitlines()
    return done.returncode, [json.loads(line) for line in lines], done.stderr.decode()


def test_estimate_of_the_example_keeps_the_contract() -> None:
    status, [found], _ = run(json.dumps(EXAMPLE))
    assert status == 0
    Draft202012Validator(ANSWER).validate(found)
    assert (found["id"], found["verdict"]) == (EXAMPLE["id"], "fits")
    # 28 layers × 2 × 4 KV heads × 128 × 2 bytes, by hand from the model's config.json
    assert found["memory"]["kv_bytes_per_token"] == 57_344
    assert sum(found["step"].values()) == pytest.approx(found["speed"]["tpot_ms"], abs=0.001)


def test_estimate_reads_one_object_over_several_lines() -> None:
    status, found, _ = run(json.dumps(EXAMPLE, indent=2))
    assert (status, len(found)) == (0, 1)


def test_estimate_reads_one_object_whose_first_line_says_more_than_a_bracket() -> None:
    text = json.dumps(EXAMPLE).replace(', "', ',\n "')
    assert len(text.splitlines()) > 5 and text.splitlines()[0] != "{"
    status, found, _ = run(text)
    assert (status, len(found), found[0]["id"]) == (0, 1, EXAMPLE["id"])


def test_estimate_of_lines_of_which_the_first_is_bad_answers_the_others() -> None:
    status, found, _ = run('{"id": \n' + json.dumps(EXAMPLE) + "\n" + json.dumps(EXAMPLE))
    assert status == 2
    assert ["errors" in item for item in found] == [True, False, False]


def test_estimate_of_ten_thousand_lines_answers_round_the_bad_ones() -> None:
    good = json.dumps(EXAMPLE)
    bad = ["{", "null", "[]", '{"model": NaN}', '{"id": "b", "model": {"id": "nobody/nothing"}}']
    lines = [bad[i // 1000 % len(bad)] if i % 1000 == 7 else good for i in range(10_000)]
    status, found, _ = run("\n".join(lines))
    assert status == 2
    assert len(found) == 10_000
    problems = [i for i, item in enumerate(found) if "errors" in item]
    assert problems == [i for i in range(10_000) if i % 1000 == 7]
    for i in problems:
        Draft202012Validator(PROBLEM).validate(found[i])
    assert {item["verdict"] for i, item in enumerate(found) if i not in problems} == {"fits"}


def test_estimate_of_nothing_is_one_problem() -> None:
    status, [found], _ = run("")
    assert (status, found["errors"][0]["code"]) == (2, "not_json")


def test_estimate_of_hostile_lines_gives_problems_never_a_trace() -> None:
    lines = [
        b'{"a":' * 100_000,
        b"[" * 100_000,
        b"\xff\xfe\x00",
        b"9" * 100_000,
        b'{"model": {"id": "' + b"x" * 100_000 + b'"}}',
        '{"id": "<b>é—"}'.encode(),
    ]
    status, found, errors = run(b"\n".join(lines))
    assert (status, len(found), errors) == (2, len(lines), "")
    assert all("errors" in item for item in found)
    assert found[-1]["id"] == "<b>é—"


def test_estimate_of_a_missing_file_says_so() -> None:
    status, found, errors = run("", "no-such-file.jsonl")
    assert (status, found) == (1, [])
    assert "no-such-file.jsonl" in errors and "Traceback" not in errors


def test_estimate_from_a_database_without_catalog_says_what_to_run(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "estimate", "--catalog", "database"],
        input=json.dumps(EXAMPLE),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "DECODECK_VAR": str(tmp_path), "DATABASE_URL": ""},
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "sync_catalog" in done.stderr and "Traceback" not in done.stderr


def test_wrong_setting_is_one_line_without_a_trace() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "estimate"],
        input=json.dumps(EXAMPLE),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": "mongodb://localhost/decodeck"},
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "DATABASE_URL" in done.stderr and "Traceback" not in done.stderr


def test_reader_that_leaves_early_ends_the_command_quietly() -> None:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "estimate", "--catalog", "shipped"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(json.dumps(EXAMPLE).encode() + b"\n")
        process.stdin.close()
    assert process.wait(timeout=60) == 141
    assert process.stderr.read() == b""
    process.stderr.close()


def test_answers_are_utf_8_whatever_the_locale_says() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "estimate", "--catalog", "shipped"],
        input='{"id": "模型 é"}'.encode(),
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, b"")
    assert json.loads(done.stdout.decode())["id"] == "模型 é"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("lines", [1, 1000])
def test_full_disk_is_one_line_without_a_trace(lines: int) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "manage.py", "estimate", "--catalog", "shipped"],
            input=(json.dumps(EXAMPLE) + "\n").encode() * lines,
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            check=False,
        )
    assert (done.returncode, done.stderr.decode()) == (1, "decodeck: cannot write: No space left on device\n")


@pytest.mark.parametrize(("closing", "named"), [("<&-", "Standard input"), (">&-", "Standard output")])
def test_closed_stream_is_named_without_a_trace(closing: str, named: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' manage.py estimate --catalog shipped {closing}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"CommandError: {named} is closed.")
    assert "Traceback" not in done.stderr
