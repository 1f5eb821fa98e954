"""The shipped catalog: accelerators, platforms, models, schemes, engines and links, each figure with its source."""

from functools import cache
from pathlib import Path

from planner.catalog.build import build_catalog
from planner.catalog.files import SHIPPED, read_rows
from planner.core.specs import Catalog

__all__ = ["SHIPPED", "build_catalog", "load_shipped"]


@cache
def load_shipped(directory: Path = SHIPPED) -> Catalog:
    """The catalog of the shipped files, read once per process."""
    return build_catalog(read_rows(directory))
