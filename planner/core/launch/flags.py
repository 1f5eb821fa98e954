"""Launch flags by engine and version: the one place where a command, written or read, looks them up.

`tables` holds what the data files say, `lookup` what that means at one version, `spelling` what a typed word means.
"""

from planner.core.launch.lookup import (
    Choices,
    Range,
    Standing,
    Status,
    choices_at,
    concept_of,
    default_at,
    environment_at,
    forms_at,
    kind_at,
    names_elsewhere,
    names_of,
    range_at,
    rules_at,
    standing,
    status_at,
    takes_many,
    takes_value,
    value_table,
)
from planner.core.launch.spelling import Found, close_names, find
from planner.core.launch.tables import ENGINES, Flag, FlagTable, hosts, table

__all__ = [
    "ENGINES",
    "Choices",
    "Flag",
    "FlagTable",
    "Found",
    "Range",
    "Standing",
    "Status",
    "choices_at",
    "close_names",
    "concept_of",
    "default_at",
    "environment_at",
    "find",
    "forms_at",
    "hosts",
    "kind_at",
    "names_elsewhere",
    "names_of",
    "range_at",
    "rules_at",
    "standing",
    "status_at",
    "table",
    "takes_many",
    "takes_value",
    "value_table",
]
