"""A world for the calls."""

from typing import Any

import pytest

from tests.api.world import HOSTS, World, make_world


@pytest.fixture
def world(db: None, settings: Any) -> World:
    """A team with something of everything."""
    settings.OUTGOING_ALLOWED = HOSTS
    return make_world()
