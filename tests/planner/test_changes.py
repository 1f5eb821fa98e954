"""The changes that a plan in want of memory is offered."""

from planner import estimates
from planner.catalog import load_shipped
from planner.changes import helpful_changes
from planner.core.parse import parse_request
from planner.forms import read_plan

CATALOG = load_shipped()


def offered(keys: dict[str, str]) -> list[str]:
    plan = read_plan(keys)
    request = plan.request()
    (answer,) = estimates.answer([request], catalog=CATALOG)
    found = helpful_changes(plan, answer, request, parse_request(request, CATALOG), CATALOG)
    return [change.name for change in found]


def test_llama_cpp_with_memory_left_is_offered_a_context_for_all_users() -> None:
    # 16 users × (1024 + 256) tokens and a fifth: 24,576. An M2 Ultra has room for it beside a 70B at 4 bits.
    names = offered(
        {
            "m": "meta-llama/Llama-3.3-70B-Instruct",
            "w": "gguf-q4_k_m",
            "a": "apple-m2-ultra",
            "e": "llama.cpp",
            "u": "16",
        }
    )
    assert names[0] == "max_model_len 24,576"


def test_weights_of_four_bits_are_not_offered_other_weights_of_four_bits() -> None:
    names = offered(
        {
            "m": "openai/gpt-oss-120b",
            "a": "nvidia-h100-sxm5-80gb",
            "len": "8192",
            "i": "7680",
            "o": "512",
            "u": "16",
        }
    )
    assert names == ["FP8 KV cache", "2 cards, tensor parallel 2"]
