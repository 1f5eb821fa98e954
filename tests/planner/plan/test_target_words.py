"""Targets in words: met, missed, by how far, and what the interval leaves open. Sums by hand."""

from typing import Any

import pytest

from planner.plan import target_words


def answer_of(*targets: dict[str, Any], interval: list[float] | None = None) -> dict[str, Any]:
    return {
        "targets": [{"reason": None, **target} for target in targets],
        "speed": {"interval": {"tpot_ms": interval or [30.0, 44.0]}},
    }


def tpot(limit: float, value: float = 35.7) -> dict[str, Any]:
    return {"name": "tpot_ms", "limit": limit, "value": value, "met": value <= limit}


def ttft(limit: float, value: float = 500.0) -> dict[str, Any]:
    return {"name": "ttft_ms", "limit": limit, "value": value, "met": value <= limit}


def per_user(limit: float, value: float = 28.0) -> dict[str, Any]:
    return {"name": "output_tokens_per_s_per_user", "limit": limit, "value": value, "met": value >= limit}


@pytest.mark.parametrize(
    ("targets", "headline", "certainty"),
    [
        (
            [tpot(40)],
            "Fits and meets your target, 4.30 ms per token to spare, but not certain.",
            "Your limit of 40.0 ms lies between: measure one machine before you buy the rest.",
        ),
        ([tpot(50)], "Fits and meets your target, 14.3 ms per token to spare.", ""),
        (
            [tpot(33)],
            "Fits, but misses your target by 2.70 ms per token.",
            "Your limit of 33.0 ms lies between: a measurement may still turn this round.",
        ),
        ([tpot(20)], "Fits, but misses your target by 15.7 ms per token.", ""),
        # the nearest to its limit is named: 28.6 % of 50 ms are left, 66.7 % of 1.5 s
        ([ttft(1500), tpot(50)], "Fits and meets your targets, 14.3 ms per token to spare.", ""),
        # 0.2 s of 0.3 s beyond, 15.7 ms of 20 ms beyond: the worse first
        (
            [ttft(300), tpot(20)],
            "Fits, but misses your targets by 15.7 ms per token, 200 ms to the first token.",
            "",
        ),
        # 1000 / 44 and 1000 / 30 ms: 22.7 to 33.3 tokens per second
        (
            [per_user(25)],
            "Fits and meets your target, 3.00 tok/s per user to spare, but not certain.",
            "Your limit of 25.0 tok/s lies between: measure one machine before you buy the rest.",
        ),
        ([per_user(40)], "Fits, but misses your target by 12.0 tok/s per user.", ""),
        # a measurement of TPOT does not turn a missed TTFT round
        ([tpot(40), ttft(300)], "Fits, but misses your target by 200 ms to the first token.", ""),
    ],
)
def test_headline_says_the_distance_and_whether_it_is_certain(
    targets: list[dict[str, Any]], headline: str, certainty: str
) -> None:
    found = target_words.judged(answer_of(*targets))
    assert target_words.headline(found).replace("\u00a0", " ") == headline
    assert target_words.certainty(found).replace("\u00a0", " ") == certainty


def test_target_that_a_mean_cannot_answer_is_left_out() -> None:
    unknown = {"name": "tpot_ms", "limit": 40, "value": None, "met": None}
    assert target_words.judged(answer_of(unknown)) == []
    assert target_words.judged({"speed": None}) == []
