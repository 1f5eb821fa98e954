"""manage.py recommend as a script drives it: JSON Lines in, JSON Lines out, exit 0 or 2."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from planner.schemas import PROBLEM
from planner.schemas.recommend import RECOMMENDATION
from tests.planner.api.test_recommendations import SMALL

ROOT = Path(__file__).resolve().parents[2]


def run(text: str, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    """Exit status, answers and standard error of one call on the shipped catalog."""
    done = subprocess.run(
        [sys.executable, "manage.py", "recommend", "--catalog", "shipped", *arguments],
        input=text.encode(),
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    lines = done.stdout.decode().splitlines()
    return done.returncode, [json.loads(line) for line in lines], done.stderr.decode()


def test_recommend_answers_lines_and_says_what_is_wrong_with_a_bad_one(tmp_path: Path) -> None:
    lines = [json.dumps(SMALL), "{", json.dumps({**SMALL, "id": "c", "objective": "lowest_power"})]
    status, [first, bad, last], _errors = run("\n".join(lines))
    assert status == 2
    Draft202012Validator(RECOMMENDATION).validate(first)
    Draft202012Validator(PROBLEM).validate(bad)
    assert (last["id"], last["objective"]) == ("c", "lowest_power")
    # 72 W, by its datasheet the least of the three cards
    assert (last["options"][0]["accelerator"], last["options"][0]["power_w"]) == ("nvidia-l4", 72)


def test_recommend_reads_a_file_and_is_deterministic(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(SMALL, indent=2))
    first, second = run("", str(file)), run("", str(file))
    assert first[0] == 0
    assert first[1] == second[1]


def test_recommend_of_nothing_is_one_problem() -> None:
    status, [found], _errors = run("")
    assert (status, found["errors"][0]["code"]) == (2, "not_json")


def test_recommend_of_a_missing_file_says_so() -> None:
    status, found, errors = run("", "no-such-file.jsonl")
    assert (status, found) == (1, [])
    assert "no-such-file.jsonl" in errors and "Traceback" not in errors
