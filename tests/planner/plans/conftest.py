"""A small catalog and people for the tests of saved plans."""

from pathlib import Path

import pytest
from django.test import Client

from access.models import User
from access.roles import Role
from planner.models import SavedPlan
from tests.access.people import person, signed_in
from tests.planner.browse.small import small_catalog
from tests.planner.evaluations.plans import kept_plan


@pytest.fixture
def catalog(db: None, tmp_path: Path) -> None:
    """The small catalog, synced."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    small_catalog(folder)


@pytest.fixture
def operator(catalog: None) -> User:
    return person(Role.OPERATOR, name="ada")


@pytest.fixture
def approver(catalog: None) -> User:
    return person(Role.APPROVER, name="grace")


@pytest.fixture
def plan(operator: User) -> SavedPlan:
    """Eight users of Qwen2.5 7B on one L4."""
    return kept_plan(operator)


@pytest.fixture
def client(operator: User) -> Client:
    return signed_in(operator)
