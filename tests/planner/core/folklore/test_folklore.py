"""Rules of thumb against one plan: figures of the rule by hand, exact ones from an answer of their own."""

from typing import Any

import pytest

from planner.core.ruling import compared
from tests.planner.core.estimating import CHAT, answered, by_name

GIB = 2**30


def rules(**request: Any) -> dict[str, dict[str, Any]]:
    return by_name(answered(**request)["rules_of_thumb"])


def test_rule_is_agreed_within_its_tolerance_and_contradicted_beyond() -> None:
    def verdict(exact: float) -> str:
        return compared("a", (10.0, 20.0), exact, unit="GiB", tolerance=0.1, source="").verdict

    assert [verdict(exact) for exact in (8.9, 9.0, 15.0, 22.0, 22.1)] == [
        "contradicted",
        "agreed",
        "agreed",
        "agreed",
        "contradicted",
    ]
    assert verdict(float("nan")) == "unknown"


def test_usable_memory_is_held_against_the_budget() -> None:
    found = rules()["usable_memory_85"]
    # By hand: 0.85 and 0.92 (default of vLLM 0.33) of 23.55 GiB; 1.648 GiB / 57,344 B per token
    assert found["rule_value"] == pytest.approx(20.017, abs=0.001)
    assert found["exact_value"] == pytest.approx(21.666, abs=0.001)
    assert found["verdict"] == "contradicted"
    assert found["values"]["tokens"] == pytest.approx((21.6657 - 20.0172) * GIB / 57_344, rel=0.001)


def test_usable_memory_of_a_version_that_takes_less_is_agreed() -> None:
    found = rules(settings={"max_model_len": 4096, "gpu_memory_utilization": 0.85})["usable_memory_85"]
    assert found["verdict"] == "agreed"


def test_activation_is_held_against_a_share_of_the_weights() -> None:
    found = rules()["activation_of_weights"]
    memory = answered()["memory"]["per_accelerator"]
    low, high = found["rule_value"]
    assert (low, high) == pytest.approx(
        (0.10 * memory["weights_gib"], 0.15 * memory["weights_gib"]), abs=1e-3
    )
    assert found["exact_value"] == memory["activation_gib"]
    assert found["verdict"] == "contradicted"


def test_reserve_is_what_neither_weights_nor_cache_take() -> None:
    found = rules()["reserve_20"]
    memory = answered()["memory"]["per_accelerator"]
    other = memory["total_gib"] - memory["weights_gib"] - memory["kv_cache_gib"]
    assert found["rule_value"] == pytest.approx(0.2 * memory["total_gib"], abs=0.001)
    assert found["exact_value"] == pytest.approx(other, abs=0.001)


def test_parameters_times_bits_leaves_out_the_cache() -> None:
    # By hand: 7,615,616,512 parameters (the model's card) × 2 B × 1.2
    small = rules()["parameters_times_bits"]
    assert small["rule_value"] == pytest.approx(7_615_616_512 * 2 * 1.2 / GIB, rel=0.001)
    # 64 requests of 6,000 tokens: 64 × 6,000 × 56 KiB = 20.5 GiB of cache
    workload = {"input_tokens": 5900, "output_tokens": 200, "concurrency": 64}
    large = rules(accelerator="nvidia-h100-sxm5-80gb", workload=workload, settings={"max_model_len": 8192})[
        "parameters_times_bits"
    ]
    assert large["verdict"] == "contradicted"
    assert large["values"]["cache_gib"] == pytest.approx(64 * 6000 * 57_344 / GIB, rel=0.001)


@pytest.mark.parametrize(
    ("model", "rule", "exact", "verdict"),
    [
        # 2 × layers × hidden × 2 B against 2 × layers × KV heads × head size × 2 B
        ("Qwen/Qwen2.5-7B-Instruct", 2 * 28 * 3584 * 2, 2 * 28 * 4 * 128 * 2, "contradicted"),
        ("meta-llama/Llama-2-7b-hf", 2 * 32 * 4096 * 2, 2 * 32 * 32 * 128 * 2, "agreed"),
    ],
)
def test_cache_formula_holds_only_where_every_head_has_a_cache(
    model: str, rule: int, exact: int, verdict: str
) -> None:
    found = rules(model=model)["cache_of_hidden_size"]
    assert (found["rule_value"], found["exact_value"], found["verdict"]) == (rule, exact, verdict)


def test_cache_formula_is_per_card_of_a_group() -> None:
    found = rules(parallelism={"tensor": 2})["cache_of_hidden_size"]
    assert (found["rule_value"], found["exact_value"]) == (28 * 3584 * 2, 28 * 4 * 128 * 2)


@pytest.mark.parametrize(
    ("engine", "verdict", "share"),
    [
        ({"name": "vllm", "version": "0.19.0"}, "agreed", 0.9),
        ({"name": "vllm", "version": "0.33.0"}, "contradicted", 0.92),
        ({"name": "tensorrt-llm"}, "not_applicable", None),
    ],
)
def test_share_of_nine_tenths_is_a_matter_of_the_version(
    engine: dict[str, str], verdict: str, share: float | None
) -> None:
    found = rules(engine=engine)["share_always_90"]
    assert (found["verdict"], found["exact_value"]) == (verdict, share)


def test_length_rule_needs_a_p99() -> None:
    assert rules()["length_12_p99"]["verdict"] == "unknown"
    quantiles = {**CHAT, "input_tokens": {"p50": 1000, "p90": 2000, "p99": 3144}}
    found = rules(workload=quantiles)["length_12_p99"]
    # By hand: 1.2 × (3,144 + 256) = 4,080, and 4,096 are in force
    assert (found["rule_value"], found["exact_value"], found["verdict"]) == (4080, 4096, "agreed")
    short = rules(workload=quantiles, settings={"max_model_len": 3000})["length_12_p99"]
    assert short["verdict"] == "contradicted"


def test_efficiency_is_the_share_of_bandwidth_of_the_answer() -> None:
    found = rules()["efficiency_30_50"]
    assert found["rule_value"] == [0.3, 0.5]
    assert found["exact_value"] == answered()["speed"]["mbu"]
    assert found["verdict"] == "contradicted"


def test_bandwidth_over_weights_is_held_against_one_stream() -> None:
    found = rules()["bandwidth_over_weights"]
    alone = answered(workload={**CHAT, "concurrency": 1})["speed"]
    # By hand: 1,008 GB/s of the datasheet over 14.19 GiB of weights
    assert found["rule_value"] == pytest.approx(1008e9 / (14.193 * GIB), rel=0.001)
    assert found["exact_value"] == alone["output_tokens_per_s_per_user"]


def test_bandwidth_over_weights_says_nothing_of_experts() -> None:
    found = rules(model="openai/gpt-oss-20b")["bandwidth_over_weights"]
    assert found["verdict"] == "not_applicable"


def test_four_bits_are_held_against_sixteen_at_this_load() -> None:
    found = rules()["int4_four_times"]
    ratio = (
        answered(weights="int4-g128")["speed"]["output_tokens_per_s"]
        / answered()["speed"]["output_tokens_per_s"]
    )
    assert found["exact_value"] == pytest.approx(ratio, rel=1e-3)
    # Measured at batch 16: far from four times (public serving tests put it at 1.3 to 2.4 for one stream)
    assert found["verdict"] == "contradicted"
    narrow = rules(weights="int4-g128")["int4_four_times"]
    assert narrow["exact_value"] == pytest.approx(ratio, rel=1e-3)


def test_cache_first_is_held_against_the_tokens_that_weights_give() -> None:
    found = rules()["cache_before_weights"]
    now = answered()["memory"]["kv_cache_tokens"]
    by_cache = answered(kv_cache_dtype="fp8")["memory"]["kv_cache_tokens"] - now
    by_weights = answered(weights="int4-g128")["memory"]["kv_cache_tokens"] - now
    assert (found["rule_value"], found["exact_value"]) == (by_cache, by_weights)
    # By hand: half of 57,344 B per token doubles 5.5 GiB of cache; 4-bit weights free 9.0 GiB
    assert found["verdict"] == "contradicted"
    assert rules(kv_cache_dtype="fp8")["cache_before_weights"]["verdict"] == "not_applicable"


def test_start_at_eight_is_held_against_all_that_may_run() -> None:
    found = rules()["start_at_8"]
    eight = answered(settings={"max_model_len": 4096, "max_num_seqs": 8})["speed"]["output_tokens_per_s"]
    everybody = answered()["speed"]["output_tokens_per_s"]
    assert found["values"]["percent"] == pytest.approx(100 * (everybody / eight - 1), rel=1e-3)
    assert found["verdict"] == "contradicted"


def test_start_at_eight_is_agreed_where_more_break_the_target() -> None:
    few = answered(settings={"max_model_len": 4096, "max_num_seqs": 8})["speed"]["tpot_ms"]
    many = answered()["speed"]["tpot_ms"]
    assert rules(targets={"tpot_ms": (few + many) / 2})["start_at_8"]["verdict"] == "agreed"


def test_start_at_eight_says_nothing_where_fewer_ask() -> None:
    assert rules(workload={**CHAT, "concurrency": 4})["start_at_8"]["verdict"] == "not_applicable"


LARGE = {"model": "meta-llama/Llama-3.1-70B-Instruct", "weights": "fp8"}


def spread(tensor: int, **request: Any) -> dict[str, Any]:
    return {
        **LARGE,
        "accelerator": "nvidia-h100-sxm5-80gb",
        "parallelism": {"tensor": tensor},
        **request,
    }


def test_wide_groups_pay_over_a_fast_link_and_not_over_pcie() -> None:
    # Public measurements: the step from 4 to 8 gives about 1.25 over NVLink and 1.0 over PCIe
    fast, slow = rules(**spread(4)), rules(**spread(4, interconnect="pcie4-x16"))
    assert fast["tensor_at_most_4"]["verdict"] == "contradicted"
    assert slow["tensor_at_most_4"]["verdict"] == "agreed"
    four = answered(**spread(4))["speed"]["output_tokens_per_s"]
    eight = answered(**spread(8))["speed"]["output_tokens_per_s"]
    assert fast["tensor_at_most_4"]["exact_value"] == pytest.approx(eight / four, rel=1e-3)
    assert rules(**spread(8))["tensor_at_most_4"]["exact_value"] == pytest.approx(eight / four, rel=1e-3)


def test_twice_the_cards_are_held_against_half_of_them() -> None:
    found = rules(**spread(4))["tensor_doubles_speed"]
    two = answered(**spread(2))["speed"]["output_tokens_per_s"]
    four = answered(**spread(4))["speed"]["output_tokens_per_s"]
    assert found["exact_value"] == pytest.approx(four / two, rel=1e-3)
    assert (found["values"]["smaller"], found["values"]["larger"]) == (2, 4)


def test_pipeline_is_held_against_the_tensor_group() -> None:
    found = rules(**spread(4))["pipeline_unusable"]
    stages = answered(**spread(1) | {"parallelism": {"pipeline": 4}})["speed"]["output_tokens_per_s"]
    group = answered(**spread(4))["speed"]["output_tokens_per_s"]
    assert found["exact_value"] == pytest.approx(stages / group, rel=1e-3)


def test_rules_about_groups_say_nothing_of_one_card() -> None:
    found = rules()
    assert found["tensor_at_most_4"]["verdict"] == "not_applicable"
    assert found["pipeline_unusable"]["verdict"] == "not_applicable"


@pytest.mark.parametrize("request_", [{"accelerator": None}, {"accelerator": None, "workload": None}])
def test_without_a_card_there_is_nothing_to_hold_rules_against(request_: dict[str, Any]) -> None:
    assert answered(**request_)["rules_of_thumb"] == []


def test_without_a_workload_rules_of_speed_are_unknown() -> None:
    found = rules(workload=None)
    assert found["usable_memory_85"]["verdict"] == "contradicted"
    assert {found[code]["verdict"] for code in ("efficiency_30_50", "start_at_8")} == {"unknown"}
