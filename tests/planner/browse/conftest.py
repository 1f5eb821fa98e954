"""What the tests of the catalog's pages share."""

from pathlib import Path

import pytest
from django.test import Client

from access.models import User
from access.roles import Role
from tests.access.people import person, signed_in
from tests.planner.browse.small import small_catalog


@pytest.fixture
def catalog(db: None, tmp_path: Path) -> None:
    """The small catalog, synced."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    small_catalog(folder)


@pytest.fixture
def operator(db: None) -> User:
    return person(Role.OPERATOR)


@pytest.fixture
def browser_of_operator(operator: User) -> Client:
    return signed_in(operator)


@pytest.fixture
def viewer(db: None) -> Client:
    return signed_in(person(Role.VIEWER))
