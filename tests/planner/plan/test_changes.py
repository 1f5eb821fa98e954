"""The changes that a plan in want of memory or speed is offered, in words and with links."""

from planner.answers import estimates
from planner.catalog import load_shipped
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from planner.plan.changes import Change, helpful_changes
from planner.plan.form import read_plan
from planner.plan.limit_figures import limit_figures

CATALOG = load_shipped()
MAC = {
    "m": "meta-llama/Llama-3.3-70B-Instruct",
    "w": "gguf-q4_k_m",
    "a": "apple-m2-ultra",
    "e": "llama.cpp",
    "u": "16",
}


def parsed(keys: dict[str, str]) -> EstimateRequest:
    request = parse_request(read_plan(keys).request(), CATALOG)
    assert isinstance(request, EstimateRequest)
    return request


def offered(keys: dict[str, str]) -> list[Change]:
    plan = read_plan(keys)
    request = plan.request()
    (answer,) = estimates.answer([request], catalog=CATALOG)
    return helpful_changes(plan, answer, request, parsed(keys), CATALOG)


def test_llama_cpp_without_slots_is_offered_one_for_each_user() -> None:
    # It shares one context of 4,096 among all; an M2 Ultra has room for 16 of them beside a 70B at 4 bits.
    first = offered(MAC)[0]
    assert (first.name, first.state, first.gain) == ("max_num_seqs 16", "ok", "all 16 users")
    assert first.link.endswith("&seqs=16")


def test_weights_of_four_bits_are_not_offered_other_weights_of_four_bits() -> None:
    found = offered(
        {
            "m": "openai/gpt-oss-120b",
            "a": "nvidia-h100-sxm5-80gb",
            "len": "8192",
            "i": "7680",
            "o": "512",
            "u": "16",
        }
    )
    assert [(change.name, change.state) for change in found if change.state != "crit"] == [
        ("gpu_memory_utilization 0.95", "warn"),
        ("fp8 KV cache", "warn"),
        ("gpu_memory_utilization 0.94 and fp8 KV cache", "ok"),
        ("2 cards, TP 2", "ok"),
        ("6 users at once", "ok"),
        ("1 × H100 NVL 94GB", "ok"),
    ]


def test_change_says_what_it_brings_and_what_it_costs() -> None:
    first = offered({"m": "Qwen/Qwen2.5-14B-Instruct"})[0]
    assert (first.name, first.gain) == ("fp8 weights", "all 16 users")
    assert "to spare per card" in first.detail
    assert first.price == "8-bit weights: rarely measurable, check your task."
    assert first.link == "?m=Qwen%2FQwen2.5-14B-Instruct&w=fp8"


def test_change_that_does_not_help_says_by_how_much_it_falls_short() -> None:
    last = [change for change in offered({"m": "Qwen/Qwen2.5-14B-Instruct"}) if change.state == "crit"]
    assert [(change.name, change.gain) for change in last] == [
        ("fp8 KV cache", "does not start"),
        ("2 cards, DP 2", "does not start"),
    ]
    assert last[0].detail.startswith("Still short by ")


def test_figures_say_the_limits_and_what_stops_them() -> None:
    context, users = limit_figures(parsed({"seqs": "16"}), CATALOG)
    assert (context.name, context.value) == ("Longest context", "32,768")
    assert context.sub == "7,840 each for 16 at once; alone, the limit is the model's own limit"
    assert (users.name, users.value) == ("Most users", "16")
    assert users.sub == "limited by max_num_seqs 16; with a slot for each, 103"


def test_figures_of_a_plan_that_does_not_start_tell_no_users() -> None:
    (users,) = limit_figures(parsed({"m": "Qwen/Qwen2.5-14B-Instruct"}), CATALOG)
    assert (users.value, users.sub) == ("\u2013", "limited by it does not start")


def test_change_that_speeds_up_too_little_is_said_to_be_not_enough() -> None:
    slow = {"m": "Qwen/Qwen2.5-32B-Instruct-AWQ", "n": "2", "tp": "2", "o": "512", "seqs": "16", "tpot": "20"}
    gains = {change.name: change.gain for change in offered(slow) if change.state == "crit"}
    # two replicas take 5.6 ms longer per token, the narrow cache saves 1.5 of 33.8 ms
    assert gains["fp8 KV cache"] == "not enough"
    assert gains["DP 2 on the same cards"].startswith("+")


def test_single_user_is_not_spoken_of_as_many() -> None:
    gains = [change.gain for change in offered({"m": "Qwen/Qwen2.5-14B-Instruct", "u": "1"})]
    assert gains[0] == "all 1 user"


def test_gain_is_told_in_the_figure_that_missed_its_target() -> None:
    late = {"i": "8000", "len": "16384", "u": "8", "ttft": "1500"}
    found = [change for change in offered(late) if change.state == "ok"]
    assert found
    assert all(change.gain.startswith("\u2212") and change.gain.endswith("s") for change in found)
    per_user = {"u": "16", "tps": "60"}
    gains = [change.gain for change in offered(per_user) if change.state == "ok"]
    assert gains[0].startswith("+")
    assert gains[0].endswith("tok/s")
