"""Whatever is pasted is answered: no exception, plain JSON, bounded size, and a mend that is judged right."""

import json
import random

import pytest

from planner.core.check.judge import MOST_PROBLEMS
from planner.core.check.words import MAX_CHARACTERS, Word, read_script
from tests.planner.core.check.judging import errors, fixes, judged
from tests.planner.core.check.test_containers import SERVICE, UNIT
from tests.planner.core.check.test_launch_commands import CASES

ODD = "'\"\\${}[]()<>|&;#`=-–—“”\n\t :,./19é\u200b\u00a0"
ENDLESS = {
    "flags": "vllm serve a/b " + " ".join(f"--abc{i} {i}" for i in range(1100)),
    "braces": "vllm serve a/b --compilation-config " + "{" * 15_000,
    "lines": "vllm serve a/b" + "\n" * 15_000 + "--a",
    "substitutions": "vllm serve a/b " + "$(" * 7_000,
    "quotes": "vllm serve a/b " + "'" * 15_001,
    "redirections": "vllm serve a/b " + "<" * 15_000,
    "yaml": "image: x\ncommand: " + "[" * 15_000,
    "aliases": "image: x\na: &a [1]\n" + "".join(f"b{i}: &b{i} [*a,*a]\n" for i in range(700)),
    "values that double": "A0=aaaaaaaaaa\n"
    + "".join(f"A{i}=$A{i - 1}$A{i - 1}\n" for i in range(1, 60))
    + "vllm serve $A59",
    "fallbacks": "vllm serve a/b " + "${A:-" * 3_100,
    "digits": "vllm serve a/b --max-num-batched-tokens " + "9" * 15_000,
    "nesting": "bash -c " * 1_900 + "vllm serve a",
    "gpus": "docker run --gpus " + "device=0," * 1_600 + " vllm/vllm-openai:v0.20.2 x/y",
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=list(ENDLESS))
def test_endless_texts_are_answered(text: str) -> None:
    found = judged(text[:MAX_CHARACTERS])
    assert len(found["problems"]) <= MOST_PROBLEMS
    assert len(json.dumps(found, allow_nan=False)) < 400_000


@pytest.mark.parametrize("seed", range(8))
def test_changed_commands_never_raise_and_mends_hold(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same texts on every run
    texts = [case["command"] for case in CASES] + [SERVICE, UNIT]
    for _ in range(25):
        text = chance.choice(texts)
        for _ in range(chance.randint(0, 5)):
            text = changed(text, chance)
        found = judged(
            text,
            accelerator=chance.choice([None, "H100 80GB", "RTX 4090", "foo"]),
            count=chance.choice([None, 1, 4]),
        )
        json.dumps(found, allow_nan=False)
        assert found["valid"] is (errors(found) == [])


def changed(text: str, chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    kind = chance.randint(0, 4)
    if kind == 0:
        return text[:at] + chance.choice(ODD) * chance.randint(1, 3) + text[at:]
    if kind == 1:
        return text[:at] + text[at + chance.randint(1, 12) :]
    if kind == 2:
        return text[:at]
    if kind == 3:
        words = text.split(" ")
        chance.shuffle(words)
        return " ".join(words)
    number = chance.choice(["1e999", "-1", "0", "9" * 30, "nan", "inf", "1.5k", "١٢", "0x10"])
    return f"{text} {chance.choice(['--max-model-len', '-tp', '--port', '-c', '-ngl'])} {number}"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("hello world", "no_engine_found"),
        ("ollama run llama3", "engine_not_read"),
        ("vllm bench serve --model a", "not_a_server_command"),
        ("llama-cli -m a.gguf", "not_a_server_command"),
        ("python -m vllm.entrypoints.openai.api --model a/b", "module_unknown"),
        ("docker run", "image_missing"),
        ("docker run --gpus all ubuntu:22.04", "image_unknown"),
        ("vllm serve <model>", "placeholder_left"),
        ("vllm serve a/b --max-model-len", "value_missing"),
        ("vllm serve a/b c/d", "stray_word"),
        ("sglang serve --tp 2", "model_missing"),
    ],
)
def test_what_is_no_launch_says_why(command: str, code: str) -> None:
    assert code in [found for found, _flag in errors(judged(command))]


@pytest.mark.parametrize("number", ["²", "９", "-1", "+5", "1e3", "0x10", "9" * 5_000])
def test_odd_numbers_are_answered_wherever_a_number_stands(number: str) -> None:
    for text in (
        f"vllm serve a/b --max-num-batched-tokens {number} --max-num-seqs {number} --port {number}",
        f"docker run --gpus {number} -p {number}:8000 vllm/vllm-openai:v0.20.2 --model x/y --port {number}",
        f"llama-server -m a.gguf -c {number} -ngl {number} --port {number}",
        f"python -m sglang.launch_server --model-path a/b --tp {number} --page-size {number}",
    ):
        json.dumps(judged(text, count=2, ports_in_use=(8000, 65_535)), allow_nan=False)


def test_a_port_behind_the_last_one_is_looked_for_from_the_first() -> None:
    found = judged("vllm serve a/b --port 65535", ports_in_use=(65_535, 1024))
    assert fixes(found)[0] == "--port 1025"


# Each command is safe as pasted, for the text stands in quotes: so must be what mends it.
@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("docker run --gpus all -p '$(id):8000:8000' vllm/vllm-openai:v0.20.2 --model a/b", None),
        ("docker run --gpus all -p '$(id) x:8000:8000' vllm/vllm-openai:v0.20.2 --model a/b", None),
        ("docker run --gpus 'device=0,$(id)' vllm/vllm-openai:v0.20.2 --model a/b", None),
        ("docker run --gpus all vllm/vllm-openai:v0.9.0 vllm serve '$(id)'", None),
        ("llama-server -m a.gguf --host='$(id)'", None),
        ("llama-server -m a.gguf '--host=$(id)'", None),
        ("llama-server -m '$(id)/b'", None),
        ("vllm serve '$(id).gguf' --host '$(id)'", "0.32.0"),
        ("python -m sglang.launch_server '$(id)'", None),
    ],
)
def test_text_that_was_quoted_stays_quoted_when_it_is_mended(text: str, version: str | None) -> None:
    found = judged(text, version=version, ports_in_use=(8000,))
    for mend in (found["mended_command"], *fixes(found)):
        if mend:
            assert not any(word.variable for word in words_of(mend)), mend


def words_of(text: str) -> list[Word]:
    return [word for command in read_script(text).commands for word in command.words]


def test_a_variable_beside_a_taken_port_is_left_to_the_shell() -> None:
    found = judged(
        "docker run --gpus all --ipc host -p $IP:8000:8000 vllm/vllm-openai:v0.20.2 --model Qwen/Qwen2.5-7B-Instruct",
        ports_in_use=(8000,),
    )
    assert found["mended_command"] == (
        "docker run --gpus all --ipc host -p $IP:8001:8000 vllm/vllm-openai:v0.20.2 --model Qwen/Qwen2.5-7B-Instruct"
    )


def test_a_taken_port_of_a_compose_file_is_mended_in_its_place() -> None:
    text = (
        "services:\n  vllm:\n    image: vllm/vllm-openai:v0.32.0\n    ipc: host\n"
        '    ports:\n      - "127.0.0.1:8000:8000"\n      - "9000:9000"\n    command: --model Qwen/Qwen2.5-7B-Instruct\n'
        "    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}\n"
    )
    found = judged(text, ports_in_use=(8000,))
    assert found["mended_command"] == text.replace("127.0.0.1:8000:", "127.0.0.1:8001:")
