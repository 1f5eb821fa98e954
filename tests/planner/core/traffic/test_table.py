"""Tables of requests: heads in many spellings, times, units, and rows that cannot be read."""

import math

import numpy as np
import pytest

from planner.core.traffic.asked import Asked
from planner.core.traffic.rows import Collected
from planner.core.traffic.table import Refused, read_table


def read(text: str, **columns: str) -> Collected:
    found = read_table(text.splitlines(), Asked(columns=columns))
    assert isinstance(found, Collected), found
    return found


def refused(text: str, **columns: str) -> Refused:
    found = read_table(text.splitlines(), Asked(columns=columns))
    assert isinstance(found, Refused), found
    return found


@pytest.mark.parametrize(
    "head",
    [
        "prompt_tokens,completion_tokens",
        "Input Tokens;Output Tokens",
        "input_len\toutput_len",
        "ContextTokens|GeneratedTokens",
        "Request tokens,Response tokens",
        "ISL,OSL",
        "num_prompt_tokens,num_generation_tokens",
        "输入长度,输出长度",
        "提示词token数,生成token数",
        "input,output",
    ],
)
def test_lengths_are_found_under_many_names(head):
    delimiter = next(mark for mark in ",;\t|" if mark in head)
    found = read(f"{head}\n812{delimiter}190\n1000{delimiter}10\n")
    assert (found.input.total, found.output.total, found.total.total) == (1812, 200, 2012)
    assert (found.kept, found.read, found.left_out) == (2, 2, {})


def test_column_of_text_is_counted_and_the_next_name_taken():
    found = read('prompt,input_len,output_len\n"Tell me, please",12,30\n"5 apples\nand pears",8,20\n')
    assert [(item.role, item.name) for item in found.columns] == [
        ("input", "input_len"),
        ("output", "output_len"),
    ]
    assert (found.others, found.texts, found.input.total) == (1, 1, 20)


def test_prompt_column_of_numbers_is_lengths():
    assert read("prompt,response\n12,30\n").input.total == 12


def test_table_without_a_head_of_two_columns_is_input_and_output():
    found = read("812,190\n1000,10\n")
    assert (found.kept, found.input.total, found.output.total) == (2, 1812, 200)


def test_asked_columns_by_name_and_number():
    text = "a,b,c\n1,20,300\n2,30,400\n"
    found = read(text, input="c", output="2")
    assert (found.input.total, found.output.total) == (700, 50)
    assert refused(text, input="z", output="2").code == "no_such_column"
    assert refused(text, input="0", output="2").code == "no_such_column"


def test_rows_that_cannot_be_read_are_counted_by_reason():
    rows = "812,190 nan,1 -5,10 1e308,4 12.5,3 x,3 ,7 inf,1 9" + " 100000001,5 0,0"
    found = read("prompt_tokens,completion_tokens\n" + "\n".join(rows.split(" ")))
    assert found.kept == 1
    assert found.left_out == {
        "not_finite": 2,  # nan and inf
        "negative": 1,
        "too_large": 2,  # 1e308 and one above 100 million
        "not_whole": 1,
        "not_a_number": 2,  # x and a blank
        "short_row": 1,
        "no_tokens": 1,
    }
    assert found.read == 11


def test_thousands_are_read_as_people_write_them():
    found = read('input_tokens;output_tokens\n1,024;"2 048"\n1_000;16.0\n')
    assert (found.input.total, found.output.total) == (2024, 2064)


def test_correlation_by_hand():
    # y = 2 x: 1; and with the last pair turned over, from the definition: 0.5
    assert read("input_tokens,output_tokens\n1,2\n2,4\n3,6\n").correlation == pytest.approx(1.0)
    assert read("input_tokens,output_tokens\n1,2\n2,6\n3,4\n").correlation == pytest.approx(0.5)
    assert math.isnan(read("input_tokens,output_tokens\n5,2\n5,6\n").correlation)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2026-11-30T12:00:00Z", "2026-11-30T14:00:05+02:00"),
        ('"2026-11-30 12:00:00,250"', "2026-11-30 12:00:05.2500000"),
        ("2026/11/30 12:00:00", "2026/11/30 12:00:05"),
        ("1796040000", "1796040005"),
        ("1796040000.5", "1796040005.5"),
        ("1796040000000", "1796040005000"),
        ("1796040000000000", "1796040005000000"),
        ("1796040000000000000", "1796040005000000000"),
        ("883.25", "888.25"),
    ],
)
def test_moments_in_every_writing_are_five_seconds_apart(first, second):
    found = read(f"prompt_tokens,completion_tokens,timestamp\n1,1,{first}\n1,1,{second}\n")
    assert found.starts[1] - found.starts[0] == pytest.approx(5.0, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "cell", "seconds"),
    [
        ("latency_ms", "1500", 1.5),
        ("latency (ms)", "1500", 1.5),
        ("duration_s", "1.5", 1.5),
        ("e2e_latency", "1.5", 1.5),
        ("latency", "90000", 90.0),  # nobody waits 90,000 s: milliseconds, and said to be assumed
        ("耗时（毫秒）", "1500", 1.5),
        ("elapsed_us", "1500000", 1.5),
    ],
)
def test_durations_have_the_unit_of_their_name(name, cell, seconds):
    found = read(f"prompt_tokens,completion_tokens,start,{name}\n1,1,100,{cell}\n1,1,200,{cell}\n")
    assert (found.ends - found.starts).tolist() == pytest.approx([seconds, seconds])


def test_unit_that_nobody_stated_is_said_to_be_assumed():
    found = read("prompt_tokens,completion_tokens,start_time,latency\n1,1,100,2\n1,1,101,3\n")
    assert {item.role: item.assumed for item in found.columns} == {
        "input": False,
        "output": False,
        "start": True,
        "duration": True,
    }


def test_end_with_duration_gives_the_start():
    found = read("prompt_tokens,completion_tokens,end_time,duration_s\n1,1,110,10\n1,1,120,5\n")
    assert (found.starts.tolist(), found.ends.tolist()) == ([100, 115], [110, 120])


def test_times_of_mixed_units_and_backward_ones_count_for_lengths_alone():
    rows = ["1,1,1796040000,1", "2,1,1796040010,1", "3,1,1796040020000,1", "4,1,x,1", "5,1,1796040030,-1"]
    found = read("prompt_tokens,completion_tokens,start,duration_s\n" + "\n".join(rows))
    assert (found.kept, found.without_times, len(found.starts)) == (5, 3, 2)


def test_blank_lines_and_an_empty_file():
    assert read("\n\nprompt_tokens,completion_tokens\n\n5,6\n\n").kept == 1
    assert refused("").code == "empty"
    assert refused("prompt_tokens,completion_tokens\n").code == "no_rows"


def test_table_without_lengths_names_what_it_has():
    found = refused("when,who,what\n1,2,3\n")
    assert (found.code, found.values["role"], found.values["names"]) == (
        "no_column",
        "input",
        "when, who, what",
    )


def test_as_many_columns_as_a_line_holds_are_refused():
    assert refused(",".join(["x"] * 100_000) + "\n1\n").code == "too_many_columns"


def test_cell_longer_than_any_is_refused():
    found = refused("prompt,prompt_tokens,completion_tokens\n" + "y" * 200_000 + ",1,2\n")
    assert (found.code, found.values["line"]) == ("cell_too_long", 2)


def test_many_blocks_come_to_the_same_as_their_sum():
    draw = np.random.default_rng(5)
    prompts, answers = draw.integers(1, 9000, 50_000), draw.integers(0, 900, 50_000)
    rows = "\n".join(f"{i},{o}" for i, o in zip(prompts, answers, strict=True))
    found = read("input_tokens,output_tokens\n" + rows)
    assert (found.input.total, found.output.total) == (prompts.sum(), answers.sum())
    assert found.correlation == pytest.approx(np.corrcoef(prompts, answers)[0, 1])


def test_longest_lengths_that_are_read_add_up():
    found = read("prompt_tokens,completion_tokens\n100000000,100000000\n")
    assert (found.total.total, found.total.maximum) == (200_000_000, 200_000_000)
