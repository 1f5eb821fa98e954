"""What columns and fields of logs are called. Data: a spelling more is a line more.

Names are compared in lower case with everything but letters and digits as one underscore. Earlier spellings win: the
later ones of a role may as well hold text.
"""

import re
from collections.abc import Sequence

INPUT, OUTPUT, START, END, DURATION = ROLES = ("input", "output", "start", "end", "duration")
NAMES: dict[str, tuple[str, ...]] = {
    INPUT: (
        "prompt_tokens",
        "input_tokens",
        "num_prompt_tokens",
        "num_input_tokens",
        "n_prompt_tokens",
        "n_input_tokens",
        "prompt_token_count",
        "input_token_count",
        "prompttokencount",
        "prompt_tokens_count",
        "input_tokens_count",
        "total_input_tokens",
        "contexttokens",  # traces of Azure
        "context_tokens",
        "request_tokens",  # BurstGPT
        "prefill_tokens",
        "tokens_in",
        "tokens_prompt",
        "in_tokens",
        "prompt_len",
        "prompt_lens",
        "prompt_length",
        "prompt_token_length",
        "input_len",
        "input_lens",  # vllm bench serve
        "input_length",
        "input_token_length",
        "input_sequence_length",
        "isl",
        "prompt_n",  # llama-server
        "prompttokens",
        "inputtokens",
        "输入长度",
        "输入token数",
        "输入tokens",
        "输入token",
        "输入词元数",
        "提示词长度",
        "提示词token数",
        "提示长度",
        "输入",
        "input",
        "inputs",
        "prompt",
    ),
    OUTPUT: (
        "completion_tokens",
        "output_tokens",
        "generated_tokens",
        "generation_tokens",
        "num_completion_tokens",
        "num_output_tokens",
        "num_generated_tokens",
        "num_generation_tokens",
        "n_output_tokens",
        "completion_token_count",
        "output_token_count",
        "candidatestokencount",
        "completion_tokens_count",
        "output_tokens_count",
        "total_output_tokens",
        "generatedtokens",
        "response_tokens",
        "decode_tokens",
        "tokens_out",
        "tokens_completion",
        "out_tokens",
        "completion_len",
        "completion_length",
        "completion_token_length",
        "output_len",
        "output_lens",
        "output_length",
        "output_token_length",
        "output_sequence_length",
        "osl",
        "response_len",
        "response_length",
        "generation_length",
        "predicted_n",
        "completiontokens",
        "outputtokens",
        "输出长度",
        "输出token数",
        "输出tokens",
        "输出token",
        "输出词元数",
        "生成长度",
        "生成token数",
        "回复长度",
        "输出",
        "output",
        "outputs",
        "completion",
        "response",
    ),
    START: (
        "start",
        "start_time",
        "start_times",
        "start_ts",
        "start_timestamp",
        "started",
        "started_at",
        "request_start",
        "request_start_time",
        "arrival",
        "arrival_time",
        "arrival_ts",
        "arrival_timestamp",
        "arrived_at",
        "received_at",
        "request_time",
        "request_timestamp",
        "submit_time",
        "begin",
        "begin_time",
        "created",
        "created_at",
        "timestamp",
        "time",
        "datetime",
        "date",
        "ts",
        "starttime",
        "开始时间",
        "请求时间",
        "到达时间",
        "时间戳",
        "时间",
    ),
    END: (
        "end",
        "end_time",
        "end_times",
        "end_ts",
        "end_timestamp",
        "ended_at",
        "finish",
        "finished",
        "finished_at",
        "finish_time",
        "finish_ts",
        "completed_at",
        "completed_time",
        "done_at",
        "endtime",
        "结束时间",
        "完成时间",
    ),
    DURATION: (
        "duration",
        "durations",
        "latency",
        "latencies",
        "e2e",
        "e2el",
        "e2e_latency",
        "e2e_time",
        "end_to_end_latency",
        "request_latency",
        "request_duration",
        "total_latency",
        "total_time",
        "total_duration",
        "elapsed",
        "elapsed_time",
        "response_time",
        "processing_time",
        "duration_time",
        "耗时",
        "总耗时",
        "时延",
        "总时延",
        "延迟",
        "持续时间",
        "响应时间",
    ),
}
UNIT_SECONDS: dict[str, float] = {
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "second": 1.0,
    "seconds": 1.0,
    "秒": 1.0,
    "ms": 1e-3,
    "msec": 1e-3,
    "millis": 1e-3,
    "milliseconds": 1e-3,
    "毫秒": 1e-3,
    "us": 1e-6,
    "micros": 1e-6,
    "microseconds": 1e-6,
    "µs": 1e-6,
    "微秒": 1e-6,
    "ns": 1e-9,
    "nanos": 1e-9,
    "nanoseconds": 1e-9,
    "min": 60.0,
    "minutes": 60.0,
}
UNITS_OF_TIME = ("s", "ms", "us", "ns", "min")
TIMES = (START, END, DURATION)
RANKS = {role: {name: rank for rank, name in enumerate(names)} for role, names in NAMES.items()}
_OTHER = re.compile(r"[^0-9a-zµ\u3400-\u9fff]+")
MAX_NAME = 60


def normal(name: str) -> str:
    """A name as names are compared."""
    return _OTHER.sub("_", name[: 4 * MAX_NAME].casefold()).strip("_")


def role_of(name: str) -> tuple[str, int, float | None] | None:
    """(role, rank among its spellings, seconds of its unit where the name says one); None for any other name."""
    plain = normal(name)
    for role in ROLES:
        rank = RANKS[role].get(plain)
        if rank is not None:
            return role, rank, None
    base, unit = _split(plain)
    if unit is None:
        return None
    for role in TIMES:
        rank = RANKS[role].get(base)
        if rank is not None:
            return role, rank, UNIT_SECONDS[unit]
    return None


def _split(plain: str) -> tuple[str, str | None]:
    """A name and the unit at its end."""
    base, _, unit = plain.rpartition("_")
    if base and unit in UNIT_SECONDS:
        return base, unit
    for unit in ("毫秒", "微秒", "秒"):
        if plain.endswith(unit) and plain != unit:
            return plain.removesuffix(unit).strip("_"), unit
    return plain, None


def candidates(names: Sequence[str]) -> dict[str, list[tuple[int, float | None]]]:
    """Role to the places of the names that may have it, best first, each with the seconds of its unit or None."""
    found: dict[str, list[tuple[int, int, float | None]]] = {}
    for place, name in enumerate(names):
        match = role_of(name)
        if match is not None:
            role, rank, unit = match
            found.setdefault(role, []).append((rank, place, unit))
    return {
        role: [(place, unit) for _rank, place, unit in sorted(items, key=lambda item: item[:2])]
        for role, items in found.items()
    }
