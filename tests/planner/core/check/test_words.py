"""Words of a shell text. Expected words are those of a POSIX shell (`printf '%s\\n' …` run by hand)."""

import pytest

from planner.core.check.typed import typed_text
from planner.core.check.words import MAX_FILLED_IN, MAX_WORDS, read_script

READ = {
    "plain": ("vllm serve a/b --port 1", ["vllm", "serve", "a/b", "--port", "1"]),
    "single quotes": ("a 'b \"c\" $d' e", ["a", 'b "c" $d', "e"]),
    "double quotes": ('a "b \\"c\\" \\n" e', ["a", 'b "c" \\n', "e"]),
    "joined": ("a b'c'\"d\"\\ e", ["a", "bcd e"]),
    "json unquoted": ('x {"a": 1}', ["x", "{a:", "1}"]),
    "continued": ("a \\\n  b", ["a", "b"]),
    "comment": ("a b # c d", ["a", "b"]),
    "no comment inside": ("a b#c", ["a", "b#c"]),
    "redirected": ("a b > log 2>&1", ["a", "b"]),
    "both redirected": ("a b &> log", ["a", "b"]),
    "appended": ("a >> log b", ["a", "b"]),
    "empty word": ("a '' b", ["a", "", "b"]),
    "number then word": ("a 2 b", ["a", "2", "b"]),
}


@pytest.mark.parametrize(("text", "expected"), READ.values(), ids=list(READ))
def test_words_are_those_of_a_shell(text: str, expected: list[str]) -> None:
    assert [word.text for word in read_script(text).commands[0].words] == expected


def test_places_of_words_are_places_in_the_text() -> None:
    text = "vllm  serve 'a b' --x=\"1\""
    words = read_script(text).commands[0].words
    assert [text[word.start : word.end] for word in words] == ["vllm", "serve", "'a b'", '--x="1"']


def test_assignments_in_front_are_variables_of_the_command() -> None:
    command = read_script("A=1 B='x y' vllm serve a").commands[0]
    assert (dict(command.env), [word.text for word in command.words]) == (
        {"A": "1", "B": "x y"},
        ["vllm", "serve", "a"],
    )


def test_variables_set_in_the_text_are_filled_in_and_others_are_not_known() -> None:
    words = read_script("M=a/b\nvllm serve $M --port ${PORT:-8000} --seed $SEED").commands[-1].words
    assert [(word.text, word.variable) for word in words] == [
        ("vllm", False),
        ("serve", False),
        ("a/b", False),
        ("--port", False),
        ("8000", False),
        ("--seed", False),
        ("$SEED", True),
    ]


def test_commands_end_at_separators() -> None:
    commands = read_script("cd x && vllm serve a | tee log; echo b &").commands
    assert [([word.text for word in item.words], item.separator) for item in commands] == [
        (["cd", "x"], "&&"),
        (["vllm", "serve", "a"], "|"),
        (["tee", "log"], ";"),
        (["echo", "b"], "&"),
    ]


def test_open_quote_takes_the_rest_and_is_named() -> None:
    script = read_script("a 'b c")
    assert [word.text for word in script.commands[0].words] == ["a", "b c"]
    assert [item.code for item in script.findings] == ["quote_not_closed"]


def test_placeholder_is_one_word_and_no_redirection() -> None:
    word = read_script("vllm serve <your model> --port 1").commands[0].words[2]
    assert (word.text, word.placeholder) == ("<your model>", True)


def test_endless_text_is_cut_and_says_so() -> None:
    script = read_script("a " * (MAX_WORDS + 100))
    assert len(script.commands[0].words) == MAX_WORDS
    assert [item.code for item in script.findings] == ["text_cut"]


@pytest.mark.parametrize(
    ("pasted", "expected", "codes"),
    [
        ("a –-max 1", "a --max 1", ["typographic_dash"]),
        ("a —max-len 1", "a --max-len 1", ["typographic_dash"]),
        ("a –p 1", "a -p 1", ["typographic_dash"]),
        ("a — b", "a — b", []),
        ("a “b”", 'a "b"', ["typographic_quotes"]),
        ("a\u00a0b", "a b", ["typographic_space"]),
        ("a \\ \nb", "a \\\nb", ["blank_after_backslash"]),
        ("a ^\r\n b", "a \\\n b", []),
        ("a `\r\n b", "a \\\n b", []),
        ("```bash\n$ a b\n```", "a b\n", []),
        ("\ufeffa b", "a b", []),
    ],
)
def test_pasted_text_is_read_as_it_should_have_been_typed(
    pasted: str, expected: str, codes: list[str]
) -> None:
    text, findings = typed_text(pasted)
    assert (text, [item.code for item in findings]) == (expected, codes)


def test_a_fallback_that_never_closes_is_text_and_not_known() -> None:
    words = read_script("vllm serve a/b --port ${PORT:-" + "8" * 400).commands[-1].words
    assert words[-1].text == "${PORT:-" + "8" * 400


def test_values_that_double_with_each_line_are_filled_in_up_to_a_bound() -> None:
    lines = ["V0=" + "a" * 10, *(f"V{step}=$V{step - 1}$V{step - 1}" for step in range(1, 40))]
    words = read_script("\n".join(lines) + "\nvllm serve $V39 --seed $V1").commands[-1].words
    assert max(len(word.text) for word in words) < 2 * MAX_FILLED_IN
