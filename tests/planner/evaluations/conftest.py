"""A small catalog and people for the tests of judging plans again."""

from pathlib import Path

import pytest

from access.models import User
from access.roles import Role
from tests.access.people import person
from tests.planner.browse.small import small_catalog


@pytest.fixture
def catalog(db: None, tmp_path: Path) -> None:
    """The small catalog, synced."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    small_catalog(folder)


@pytest.fixture
def operator(catalog: None) -> User:
    return person(Role.OPERATOR, name="ada")
