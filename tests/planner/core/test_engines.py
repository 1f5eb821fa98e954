"""Versions: which row of a table holds."""

import pytest

from planner.core.engines import release_of, resolve_engine
from planner.core.outcome import Problem
from tests.planner.core.asking import CATALOG


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.22.0 + patch", (0, 22)),
        ("v0.19.1", (0, 19, 1)),
        ("0.6.6.post1", (0, 6, 6)),
        ("0.29.0.dev12+g1234567", (0, 29)),
        ("1.2.0rc5", (1, 2)),
        ("b10434", (10434,)),
        ("newest", None),
        ("0.", None),
        ("", None),
    ],
)
def test_release_of_a_version(text, expected):
    assert release_of(text) == expected


@pytest.mark.parametrize(
    ("version", "share", "inside"),
    [("0.6.3", 0.9, False), ("0.19.1", 0.9, False), ("0.20.2", 0.92, True), (None, 0.92, True)],
)
def test_nearest_older_row_holds(version, share, inside):
    engine = resolve_engine(CATALOG.engines, "vllm", version)
    assert engine.values["gpu_memory_utilization"] == share
    assert engine.values["cuda_graphs"]["inside_budget"] is inside


def test_version_beyond_the_newest_is_marked():
    assert resolve_engine(CATALOG.engines, "vllm", "0.99.0").beyond_newest
    assert not resolve_engine(CATALOG.engines, "vllm", "0.33.0 + patch").beyond_newest


@pytest.mark.parametrize(
    ("name", "version", "code"),
    [
        ("ollama", None, "unknown_engine"),
        ("vllm", "latest", "unreadable_engine_version"),
        ("vllm", "0.1.7", "engine_version_too_old"),
    ],
)
def test_engine_that_cannot_be_resolved(name, version, code):
    found = resolve_engine(CATALOG.engines, name, version)
    assert isinstance(found, Problem)
    assert found.code == code


def test_llama_cpp_build_named_by_commit_counts_as_newest():
    engine = resolve_engine(CATALOG.engines, "llama.cpp", "0c1e57098")
    assert engine.values["hybrid_pages"] == "separate_pools"


def test_every_table_is_ascending_and_begins_together():
    for table in CATALOG.engines.values():
        starts = set()
        for rows in table["values"].values():
            releases = [release_of(row["from"]) for row in rows["by_version"]]
            assert releases == sorted(releases)
            starts.add(releases[0])
            assert rows["source"]
        assert len(starts) == 1


def test_a_version_in_digits_of_another_script_is_not_read() -> None:
    # it would become the tag of an image that does not exist
    assert release_of("\uff10.\uff19.\uff10") is None
