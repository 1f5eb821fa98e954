"""A lock that no longer answers pyproject.toml is noticed, without a package index."""

from pathlib import Path

from scripts.lock import stale_requirements

PROJECT = """
[project]
dependencies = ["Django~=5.2.0", "drf-spectacular[sidecar]>=0.30"]
[project.optional-dependencies]
dev = ["ruff>=0.13"]
"""
RUNTIME = "django==5.2.19 \\\n    --hash=sha256:00\ndrf-spectacular==0.30.0 \\\n    --hash=sha256:00\n"
WHOLE = RUNTIME + "ruff==0.13.1 \\\n    --hash=sha256:00\n"


def stale(folder: Path, *, project: str = PROJECT, whole: str = WHOLE, runtime: str = RUNTIME) -> list[str]:
    (folder / "pyproject.toml").write_text(project)
    (folder / "requirements.lock").write_text(whole)
    (folder / "requirements-runtime.lock").write_text(runtime)
    return stale_requirements(folder)


def test_fresh_lock_is_fine(tmp_path: Path) -> None:
    assert stale(tmp_path) == []


def test_requirement_without_a_pin_is_named(tmp_path: Path) -> None:
    assert stale(tmp_path, project=PROJECT.replace('"ruff', '"mypy>=1", "ruff')) == [
        "requirements.lock has nothing for mypy>=1: run make lock"
    ]


def test_pin_outside_its_requirement_is_named(tmp_path: Path) -> None:
    assert stale(tmp_path, project=PROJECT.replace("~=5.2.0", "~=5.3.0")) == [
        "requirements.lock has 5.2.19 for Django~=5.3.0: run make lock",
        "requirements-runtime.lock has 5.2.19 for Django~=5.3.0: run make lock",
    ]


def test_locks_that_differ_are_named(tmp_path: Path) -> None:
    assert stale(tmp_path, runtime=RUNTIME.replace("5.2.19", "5.2.18")) == [
        "requirements-runtime.lock has django 5.2.18 and requirements.lock 5.2.19: run make lock"
    ]


def test_lock_that_names_an_index_is_refused(tmp_path: Path) -> None:
    assert stale(tmp_path, whole="--index-url https://index.example.com/simple\n" + WHOLE) == [
        "requirements.lock names an index: run make lock"
    ]
