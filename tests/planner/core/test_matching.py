"""Which reported device is which accelerator. Names and totals are those that the vendors' tools print."""

from dataclasses import replace

import pytest

from planner.catalog import load_shipped
from planner.core.matching import Match, is_vgpu, match

CATALOG = load_shipped()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NVIDIA H100 80GB HBM3", "nvidia-h100-sxm5-80gb"),
        ("NVIDIA H100 PCIe", "nvidia-h100-pcie-80gb"),
        ("NVIDIA  H200 ", "nvidia-h200-sxm5-141gb"),
        ("NVIDIA L4", "nvidia-l4"),
        ("NVIDIA L40S", "nvidia-l40s"),
        ("NVIDIA GeForce RTX 4090", "nvidia-rtx-4090"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "nvidia-rtx-4090-laptop"),
        ("Tesla T4", "nvidia-t4"),
    ],
)
def test_exact_name_is_found(name: str, expected: str) -> None:
    assert match(CATALOG, name=name).accelerator_id == expected


@pytest.mark.parametrize(
    "name",
    [
        "H20",
        "NVIDIA H",
        "NVIDIA L40S-48Q something",
        "nvidia l4",
        "NVIDIA GeForce RTX 4090 Ti Super",
        "RTX",
        "",
        " ",
    ],
)
def test_part_of_a_name_is_never_enough(name: str) -> None:
    assert match(CATALOG, name=name).accelerator_id is None


def test_every_name_of_the_catalog_finds_its_own_record() -> None:
    for name, accelerator in CATALOG.accelerator_names.items():
        assert match(CATALOG, name=name) == Match(code="exact_name", accelerator_id=accelerator)


def test_name_that_several_boards_carry_needs_the_memory() -> None:
    name = "NVIDIA GeForce RTX 3080"
    assert match(CATALOG, name=name) == Match(code="ambiguous", candidates=("nvidia-rtx-3080-10gb",))
    assert match(CATALOG, name=name, mib=10240) == Match(
        code="name_and_memory", accelerator_id="nvidia-rtx-3080-10gb"
    )
    # The board with 12 GB has another bus: it is not in the catalog, and not this one.
    assert match(CATALOG, name=name, mib=12288).accelerator_id is None


def test_known_name_with_other_memory_is_flagged() -> None:
    # Boards rebuilt with 48 GB exist.
    assert match(CATALOG, name="NVIDIA GeForce RTX 4090", mib=49140) == Match(
        code="exact_name", accelerator_id="nvidia-rtx-4090", memory_differs=True
    )


def test_pci_id_needs_the_memory_as_well() -> None:
    name = "NVIDIA Graphics Device"  # what a driver older than the board prints
    assert match(CATALOG, name=name, pci_device_id="10de:2684", mib=24564) == Match(
        code="pci_and_memory", accelerator_id="nvidia-rtx-4090"
    )
    assert match(CATALOG, name=name, pci_device_id="10de:2684").code == "unknown"
    assert match(CATALOG, name=name, pci_device_id="10de:2684", mib=8192).code == "unknown"


@pytest.mark.parametrize("name", ["NVIDIA A10-24Q", "GRID A100DX-80C", "NVIDIA H20-96C", "NVIDIA A16-4A"])
def test_virtual_gpu_is_named_as_such(name: str) -> None:
    assert is_vgpu(name)
    assert match(CATALOG, name=name, pci_device_id="10DE:2236", mib=23028) == Match(code="vgpu")


def test_no_name_of_the_catalog_reads_as_a_virtual_gpu() -> None:
    assert [name for name in CATALOG.accelerator_names if is_vgpu(name)] == []


def test_operator_may_map_what_the_catalog_does_not_know() -> None:
    catalog = replace(CATALOG, accelerator_mappings={"NVIDIA Secret Board": "nvidia-l4"})
    assert match(catalog, name="NVIDIA  Secret Board") == Match(code="operator", accelerator_id="nvidia-l4")


def test_operator_mapping_to_something_gone_is_ignored() -> None:
    catalog = replace(CATALOG, accelerator_mappings={"NVIDIA Secret Board": "retired-card"})
    assert match(catalog, name="NVIDIA Secret Board") == Match(code="unknown")
