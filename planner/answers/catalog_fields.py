"""What a team may state of its own accelerators, platforms and models: fields, their forms, units and bounds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CLASSES = ("datacenter", "workstation", "consumer", "edge", "apple", "npu", "cpu")
DTYPES = ("bf16", "fp8", "int8", "int4", "fp4")
KINDS = ("datasheet", "measured", "calibrated", "computed", "rule_of_thumb", "assumed", "unsure")
LINKS = ("nvlink", "xgmi", "hccs", "ethernet", "metaxlink", "mtlink", "xe-link", "unified-bus", "other")
ENGINE_WORDS = re.compile(r"native|transformers|absent|until [0-9.]+")
ID_FORM = re.compile(r"[a-z0-9][a-z0-9.-]{0,99}")
PCIE_FORM = re.compile(r"pcie[1-7]-x(1|2|4|8|16)")
TEXT_LIMIT = 200
SOURCE_LIMIT = 500
LIST_LIMIT = 40
MOST = 1e9
# Below it a ratio of two figures could leave what a float holds.
LEAST = 1e-6

UNITS: dict[str, str] = {
    "memory_gb": "GB",
    "memory_gib": "GiB",
    "memory_gib_torch": "GiB",
    "bandwidth_gb_s": "GB/s",
    "bus_bits": "bit",
    "data_rate_gt_s": "GT/s",
    "fp16_tflops": "TFLOPS",
    "fp8_tflops": "TFLOPS",
    "fp4_tflops": "TFLOPS",
    "int8_tops": "TOPS",
    "int4_tops": "TOPS",
    "fp32_shader_tflops": "TFLOPS",
    "link_gb_s": "GB/s",
    "pcie_gb_s": "GB/s",
    "tdp_w": "W",
    "decode_stream_gb_s": "GB/s",
    "decode_stream_fp8_gb_s": "GB/s",
    "decode_stream_nvfp4_gb_s": "GB/s",
    "gemm_bf16_tflops": "TFLOPS",
    "gemm_fp8_tflops": "TFLOPS",
    "gemm_nvfp4_tflops": "TFLOPS",
    "power_limit_w": "W",
    "max_power_w": "W",
    "typical_power_w": "W",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field. form: text | choice | whole | flag | choices | texts | numbers | pcie | link | parts | between | host."""

    name: str
    form: str
    required: bool = False
    choices: Sequence[str] = ()
    low: int = 0
    high: int = 10**9
    blank: Any = None  # what an own record has where nothing is stated


ACCELERATOR_FIELDS = (
    Field(name="name", form="text", required=True),
    Field(name="vendor", form="text", required=True),
    Field(name="class", form="choice", required=True, choices=CLASSES),
    Field(name="architecture", form="text"),
    Field(name="compute_capability", form="text"),
    Field(name="launch_year", form="whole", low=2000, high=2100),
    Field(name="memory_type", form="text"),
    Field(name="unified_memory", form="flag", blank=False),
    Field(name="ecc", form="flag"),
    Field(name="logical_devices", form="whole", low=1, high=64, blank=1),
    Field(name="native_dtypes", form="choices", choices=DTYPES, blank=()),
    Field(name="unknown_dtypes", form="choices", choices=DTYPES, blank=()),
    Field(name="link", form="link"),
    Field(name="pcie", form="pcie"),
    Field(name="reported_names", form="texts", blank=()),
    Field(name="reported_mib", form="numbers", blank=()),
)
ACCELERATOR_FIGURES = (
    "memory_gib",
    "memory_gb",
    "bandwidth_gb_s",
    "tdp_w",
    "fp16_tflops",
    "fp8_tflops",
    "fp4_tflops",
    "int8_tops",
    "int4_tops",
    "fp32_shader_tflops",
    "link_gb_s",
    "pcie_gb_s",
    "bus_bits",
    "data_rate_gt_s",
    "memory_gib_torch",
)
PLATFORM_FIELDS = (
    Field(name="name", form="text", required=True),
    Field(name="kind", form="text", required=True),
    Field(name="launch_year", form="whole", low=2000, high=2100),
    Field(name="form", form="text"),
    Field(name="accelerators", form="parts", required=True),
    Field(name="interconnect", form="between"),
    Field(name="host", form="host", blank={}),
)
PLATFORM_FIGURES = ("max_power_w", "typical_power_w", "link_gb_s")
HOST_PARTS = ("cpu", "pcie", "nics")


def blank_accelerator(key: str) -> dict[str, Any]:
    """A record of the team's own before anything is stated of it."""
    return {
        "id": key,
        "architecture": None,
        "capacity_options_gb": [],
        "compute_capability": None,
        "confidence": "medium",
        "ecc": None,
        "figures": {},
        "launch_year": None,
        "link": None,
        "logical_devices": 1,
        "memory_type": None,
        "names": {"other": [], "pci_device_ids": [], "reported": [], "shared": [], "sources": []},
        "native_dtypes": [],
        "pcie": None,
        "reported_mib": [],
        "unified_memory": False,
        "unknown_dtypes": [],
    }


def blank_platform(key: str) -> dict[str, Any]:
    """A platform of the team's own before anything is stated of it."""
    return {
        "id": key,
        "accelerators": [],
        "confidence": "medium",
        "figures": {},
        "form": None,
        "host": dict.fromkeys(HOST_PARTS),
        "interconnect": {"type": None, "domain_size": None},
        "launch_year": None,
        "sources": [],
    }


def stated_value(record: Mapping[str, Any], name: str) -> Any:
    """A field of a record as it is stated and shown: flat where the record nests it."""
    if name == "reported_names":
        return list(record["names"]["reported"])
    if name == "pcie":
        return record["pcie"]["kind"] if record["pcie"] else None
    if name == "link":
        link = record["link"]
        return link and {part: link.get(part) for part in ("kind", "name", "domain_size", "bridge")}
    return record.get(name)
