"""What an engine prints at start. The lines are those of public start-up logs of these versions."""

from planner.plan.startup_lines import startup_lines

LOG = {
    "weights_gib": 14.2487,
    "available_kv_cache_gib": 4.786,
    "kv_cache_tokens": 89344,
    "max_concurrency": 21.8125,
}


def lines(engine: str, version: str, log: dict | None = None) -> list[str]:
    return startup_lines(engine, version, log or LOG, max_model_len=4096, block_size=16)


def test_vllm_before_its_second_engine() -> None:
    assert lines("vllm", "0.7.3") == [
        "Loading model weights took 14.2487 GB",
        "# GPU blocks: 5584, # CPU blocks: …",
        "Maximum concurrency for 4096 tokens per request: 21.81x",
    ]


def test_vllm_with_its_second_engine() -> None:
    assert lines("vllm", "0.10.2") == [
        "Model loading took 14.2487 GiB and … seconds",
        "Available KV cache memory: 4.79 GiB",
        "GPU KV cache size: 89,344 tokens",
        "Maximum concurrency for 4,096 tokens per request: 21.81x",
    ]


def test_vllm_joins_two_lines_from_0_20_2() -> None:
    assert lines("vllm", "0.20.2")[2:] == [
        "GPU KV cache size: 89,344 tokens, Maximum concurrency for 4,096 tokens per request: 21.81x"
    ]
    assert len(lines("vllm", "0.20.1")) == 4


def test_engine_that_stops_for_want_of_memory_prints_no_tokens() -> None:
    short = {**LOG, "available_kv_cache_gib": -7.88, "kv_cache_tokens": 0, "max_concurrency": 0}
    assert lines("vllm", "0.19.0", short)[1:] == ["Available KV cache memory: -7.88 GiB"]


def test_line_of_an_unknown_figure_is_left_out() -> None:
    assert lines("sglang", "0.5.2", {**LOG, "weights_gib": None}) == [
        "KV Cache is allocated. #tokens: 89344, …"
    ]


def test_engine_without_a_table_prints_nothing() -> None:
    assert lines("mlx", "1.0") == []


def test_llama_cpp_counts_in_mib() -> None:
    assert lines("llama.cpp", "b4800", {**LOG, "weights_gib": 2.0, "available_kv_cache_gib": 0.5}) == [
        "load_tensors: … model buffer size = 2048.00 MiB",
        "llama_kv_cache: … size = 512.00 MiB",
    ]
