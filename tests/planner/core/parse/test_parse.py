"""Bad input: one clear problem per fault, naming the field; nothing raises."""

import copy
import math
from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core import matching
from planner.core.parse import Rejected, Reserved, parse_request
from planner.core.parse.fields import MAX_UNKNOWN
from planner.core.request import EstimateRequest, Parallelism, Workload

CATALOG = load_shipped()

GOOD: dict[str, Any] = {
    "id": "a",
    "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
    "weights": None,
    "kv_cache_dtype": "auto",
    "accelerator": "nvidia-rtx-4090",
    "count": 1,
    "parallelism": {"tensor": 1, "pipeline": 1, "data": 1, "expert": False},
    "interconnect": None,
    "engine": {"name": "vllm", "version": "0.19.0"},
    "settings": {"gpu_memory_utilization": 0.9, "max_model_len": 4096, "max_num_seqs": 16},
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """GOOD with one value replaced at a dotted path."""
    obj = copy.deepcopy(GOOD)
    at = obj
    *parents, last = path.split(".")
    for key in parents:
        at = at[key]
    at[last] = value
    return obj


def problems(obj: Any) -> list[tuple[str, str | None]]:
    outcome = parse_request(obj, CATALOG)
    assert isinstance(outcome, Rejected)
    return [(item.code, item.field) for item in outcome.problems]


def test_request_well_formed_is_resolved() -> None:
    request = parse_request(GOOD, CATALOG)
    assert isinstance(request, EstimateRequest)
    assert request.model.id == "Qwen/Qwen2.5-7B-Instruct"
    assert request.scheme.id == "bf16"
    assert request.accelerator is not None and request.accelerator.id == "nvidia-rtx-4090"
    assert request.engine.version == "0.19.0"
    assert request.workload == Workload(input_tokens=1024, output_tokens=256, concurrency=16)


def test_request_with_model_alone_takes_defaults() -> None:
    request = parse_request({"model": {"id": "Qwen/Qwen2.5-7B-Instruct"}}, CATALOG)
    assert isinstance(request, EstimateRequest)
    assert (request.accelerator, request.workload, request.count) == (None, None, 1)
    assert request.parallelism == Parallelism()


def test_accelerator_by_reported_name_is_the_same_card() -> None:
    # as nvidia-smi prints it
    request = parse_request(changed("accelerator", "NVIDIA GeForce RTX 4090"), CATALOG)
    assert isinstance(request, EstimateRequest)
    assert request.accelerator is not None and request.accelerator.id == "nvidia-rtx-4090"


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("GeForce RTX 4090", "nvidia-rtx-4090"),  # as the pages show it
        ("RTX 4090", "nvidia-rtx-4090"),
        ("rtx4090 24 GB", "nvidia-rtx-4090"),
        ("L4", "nvidia-l4"),  # not the L40 or the L40S
        ("H20", "nvidia-h20"),  # not the H200
        ("A100 PCIe 80GB", "nvidia-a100-pcie-80gb"),
    ],
)
def test_accelerator_by_its_whole_name_as_written_is_that_card(name: str, card: str) -> None:
    request = parse_request(changed("accelerator", name), CATALOG)
    assert isinstance(request, EstimateRequest)
    assert request.accelerator is not None and request.accelerator.id == card


def test_name_that_pages_show_is_its_own_card_for_the_whole_catalog() -> None:
    shown = {card.id: matching.as_written(CATALOG, card.name) for card in CATALOG.accelerators.values()}
    assert shown == {card: (card,) for card in CATALOG.accelerators}


def test_accelerator_whose_written_name_is_that_of_two_is_not_guessed() -> None:
    # sold with 80 GB, and with 64 GB to one computing centre
    outcome = parse_request(changed("accelerator", "H100 SXM5"), CATALOG)
    assert isinstance(outcome, Rejected)
    assert (outcome.problems[0].code, outcome.problems[0].values["candidates"]) == (
        "accelerator_ambiguous",
        "nvidia-h100-sxm5-64gb, nvidia-h100-sxm5-80gb",
    )


@pytest.mark.parametrize("name", ["4090", "A100", "H100 80GB", "24GB", "NVIDIA", "China"])
def test_accelerator_by_part_of_a_name_is_unknown(name: str) -> None:
    assert problems(changed("accelerator", name)) == [("unknown_accelerator", "accelerator")]


def test_accelerator_name_of_several_cards_is_not_guessed() -> None:
    # nvidia-smi prints the same name for the 8 GB board, which the catalog lacks
    outcome = parse_request(changed("accelerator", "NVIDIA GeForce RTX 4060 Ti"), CATALOG)
    assert isinstance(outcome, Rejected)
    assert (outcome.problems[0].code, outcome.problems[0].values["candidates"]) == (
        "accelerator_ambiguous",
        "nvidia-rtx-4060-ti-16gb",
    )


def test_accelerator_name_of_one_rare_board_is_not_taken_for_every_h100() -> None:
    # "NVIDIA H100" alone is what a custom 94 or 96 GB board prints; people type it for the 80 GB ones
    assert problems(changed("accelerator", "NVIDIA H100")) == [("accelerator_ambiguous", "accelerator")]


def test_accelerator_that_is_a_slice_is_refused_as_such() -> None:
    assert problems(changed("accelerator", "NVIDIA A10-24Q")) == [("accelerator_is_vgpu", "accelerator")]


@pytest.mark.parametrize("obj", [None, [], "text", 3, True, math.nan])
def test_request_that_is_no_object_is_refused(obj: Any) -> None:
    assert problems(obj) == [("not_an_object", None)]


def test_request_empty_names_the_model() -> None:
    assert problems({}) == [("missing", "model")]


NUMBER_FAULTS = [
    (-1, "out_of_range"),
    (0, "out_of_range"),
    (math.nan, "not_finite"),
    (math.inf, "not_finite"),
    (1e30, "out_of_range"),
    (10**400, "out_of_range"),
    (1.5, "not_whole"),
    ("16", "wrong_type"),
    (True, "wrong_type"),
    ([16], "wrong_type"),
]
WHOLE_FIELDS = [
    "workload.input_tokens",
    "workload.output_tokens",
    "workload.concurrency",
    "settings.max_model_len",
    "settings.max_num_seqs",
]


@pytest.mark.parametrize("path", WHOLE_FIELDS)
@pytest.mark.parametrize(("value", "code"), NUMBER_FAULTS)
def test_whole_number_out_of_place_is_refused(path: str, value: Any, code: str) -> None:
    assert problems(changed(path, value)) == [(code, path)]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (0, "not_a_fraction"),
        (-0.5, "not_a_fraction"),
        (1.01, "not_a_fraction"),
        (90, "not_a_fraction"),
        (math.nan, "not_finite"),
        ("0.9", "wrong_type"),
    ],
)
def test_utilization_out_of_place_is_refused(value: Any, code: str) -> None:
    path = "settings.gpu_memory_utilization"
    assert problems(changed(path, value)) == [(code, path)]


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("model.id", "Qwen/Qwen2.5-7B-Instuct", "unknown_model"),
        ("model.id", "", "unknown_model"),
        ("weights", "int3", "unknown_scheme"),
        ("kv_cache_dtype", "int7", "unknown_kv_cache_dtype"),
        ("accelerator", "nvidia-rtx-9999", "unknown_accelerator"),
        ("interconnect", "carrier-pigeon", "unknown_interconnect"),
        ("engine.name", "vlllm", "unknown_engine"),
        ("engine.version", "newest", "unreadable_engine_version"),
        ("engine.version", 0.19, "wrong_type"),
        ("model.id", "x" * 301, "too_long"),
        ("settings.enforce_eager", "yes", "wrong_type"),
        ("parallelism.tensor", 0, "out_of_range"),
        ("model", "Qwen/Qwen2.5-7B-Instruct", "wrong_type"),
        ("workload", [], "wrong_type"),
        ("settings", "automatic", "wrong_type"),
        ("id", 7, "wrong_type"),
    ],
)
def test_unknown_value_is_refused_at_its_field(path: str, value: Any, code: str) -> None:
    assert problems(changed(path, value)) == [(code, path)]


def test_model_without_its_publisher_is_the_one_that_has_the_name() -> None:
    request = parse_request(changed("model.id", "qwen2.5-7b-instruct"), CATALOG)
    assert isinstance(request, EstimateRequest)
    assert request.model.id == "Qwen/Qwen2.5-7B-Instruct"


def test_model_name_that_two_publishers_use_is_not_guessed() -> None:
    # Qwen and NVIDIA both publish a Qwen3-8B-FP8
    outcome = parse_request(changed("model.id", "Qwen3-8B-FP8"), CATALOG)
    assert isinstance(outcome, Rejected)
    assert outcome.problems[0].values["close"].split(", ")[:2] == ["Qwen/Qwen3-8B-FP8", "nvidia/Qwen3-8B-FP8"]


def test_unknown_model_is_met_with_close_names() -> None:
    outcome = parse_request(changed("model.id", "Qwen/Qwen2.5-7B-Instuct"), CATALOG)
    assert isinstance(outcome, Rejected)
    assert "Qwen/Qwen2.5-7B-Instruct" in outcome.problems[0].values["close"].split(", ")


@pytest.mark.parametrize(
    ("written", "meant"), [("H100", "nvidia-h100-sxm5-80gb"), ("A100", "nvidia-a100-pcie-80gb")]
)
def test_accelerator_named_in_part_is_met_with_the_names_that_have_it(written: str, meant: str) -> None:
    outcome = parse_request(changed("accelerator", written), CATALOG)
    assert isinstance(outcome, Rejected)
    close = outcome.problems[0].values["close"].split(", ")
    assert meant in close
    assert all(written.casefold() in name.casefold().replace("-", "").replace(" ", "") for name in close)


def test_count_that_is_not_the_product_is_refused() -> None:
    assert problems(changed("count", 2)) == [("count_mismatch", "count")]


def test_typo_in_a_key_is_refused_not_ignored() -> None:
    assert problems(changed("settings.max_model_length", 4096)) == [
        ("unknown_field", "settings.max_model_length")
    ]


def test_model_by_id_and_config_is_refused() -> None:
    assert problems(changed("model", {"id": "a", "config": {}})) == [("model_id_or_config", "model")]


def test_nvlink_on_a_card_without_it_is_refused() -> None:
    assert problems(changed("interconnect", "nvlink")) == [("link_not_on_accelerator", "interconnect")]


def test_several_faults_are_all_reported() -> None:
    obj = changed("workload.concurrency", -1)
    obj["weights"] = "int3"
    assert sorted(problems(obj)) == [("out_of_range", "workload.concurrency"), ("unknown_scheme", "weights")]


def test_derived_settings_without_workload_are_refused() -> None:
    obj = changed("settings", "derive")
    obj["workload"] = None
    assert problems(obj) == [("derive_needs_workload", "settings")]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("platform", "dgx-h100"),
        ("nodes", 2),
        ("mig_profile", "1g.10gb"),
        ("host_memory_gib", 64),
        ("speculative", {}),
        ("kv_cache_dtype", {"k": "fp8", "v": "auto"}),
        ("workload.shared_prefix_tokens", 100),
        ("settings.engine", {}),
    ],
)
def test_reserved_field_in_use_is_reserved(path: str, value: Any) -> None:
    outcome = parse_request(changed(path, value), CATALOG)
    assert isinstance(outcome, Reserved)
    assert outcome.fields == (path,)


def test_reserved_field_null_is_as_absent() -> None:
    assert isinstance(parse_request(changed("platform", None), CATALOG), EstimateRequest)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"architectures": ["LlamaForCausalLM"]},
        {"architectures": ["BertModel"], "hidden_size": 768},
        {"architectures": "LlamaForCausalLM", "hidden_size": "big"},
        {"architectures": ["LlamaForCausalLM"], "hidden_size": -1, "num_hidden_layers": 1e30},
        {"architectures": [None, 3, {}]},
        {"architectures": ["<script>alert(1)</script>"]},
        {"architectures": ["層層ForCausalLM"]},
    ],
)
def test_config_that_says_too_little_is_refused_by_field(config: dict[str, Any]) -> None:
    found = problems(changed("model", {"config": config}))
    assert found and all(field is not None and field.startswith("model.config") for _, field in found)


def test_config_nested_deeply_is_refused() -> None:
    config: dict[str, Any] = {}
    for _ in range(5000):
        config = {"text_config": config}
    found = problems(changed("model", {"config": config}))
    assert [field.split(".")[:2] for _, field in found if field] == [["model", "config"]]


def test_keys_that_nobody_reads_are_named_up_to_a_bound() -> None:
    rejected = parse_request({**GOOD, **{f"x{number}": 0 for number in range(5_000)}}, CATALOG)
    assert isinstance(rejected, Rejected)
    assert len(rejected.problems) == MAX_UNKNOWN
