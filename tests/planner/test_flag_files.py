"""The files of launch flags: sound, and refused with the place where they are not."""

import copy
from typing import Any

import pytest

from planner.catalog.files import shipped_flags
from planner.catalog.flag_checks import flag_faults


def changed(engine: str, change: Any) -> list[tuple[str, str, str]]:
    flags = {**shipped_flags(), engine: copy.deepcopy(shipped_flags()[engine])}
    change(flags[engine])
    return list(flag_faults(flags))


def flag_of(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(flag for flag in document["flags"] if flag["name"] == name)


def test_shipped_flags_have_no_fault() -> None:
    assert list(flag_faults(shipped_flags())) == []


def test_missing_engine_is_named() -> None:
    flags = {name: document for name, document in shipped_flags().items() if name != "sglang"}
    assert ("flags/sglang.json", "", "is missing") in list(flag_faults(flags))


def test_boundary_over_a_version_that_was_read_is_a_fault() -> None:
    """Between 0.17.1 and 0.19.0 lie 0.18.0 and 0.18.1, which were read: such a boundary would hide what is known."""

    def widen(document: dict[str, Any]) -> None:
        flag_of(document, "--swap-space")["went"] = ["0.17.1", "0.19.0"]

    [(file, field, detail)] = changed("vllm", widen)
    assert (file, field) == ("flags/vllm.json", "--swap-space")
    assert "not two versions read one after the other" in detail


def test_flag_that_goes_before_it_comes_is_a_fault() -> None:
    def turn(document: dict[str, Any]) -> None:
        flag_of(document, "--seed")["seen"] = ["0.33.0", "0.5.0"]

    assert [field for _, field, _ in changed("vllm", turn)] == ["--seed"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("takes", "whatever"), ("seen", ["0.5.0"]), ("name", "seed"), ("colour", "red"), ("came", ["a", "b"])],
)
def test_record_of_the_wrong_shape_is_a_fault(field: str, value: Any) -> None:
    def spoil(document: dict[str, Any]) -> None:
        flag_of(document, "--seed")[field] = value

    faults = changed("vllm", spoil)
    assert [file for file, _, _ in faults][:1] == ["flags/vllm.json"]


def test_concern_that_names_no_flag_is_a_fault() -> None:
    def rename(document: dict[str, Any]) -> None:
        document["concepts"][0]["vllm"] = ["--modell"]

    assert changed("hosts", rename) == [("flags/hosts.json", "model", "vllm has no flag --modell")]


def test_flags_have_a_source_and_rules_too() -> None:
    for name, document in shipped_flags().items():
        if name != "hosts":
            assert document["sources"], name
            assert all(rule["source"] for rule in document["rules"]), name
