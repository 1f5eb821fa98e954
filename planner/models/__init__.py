"""The rows of the planner: the team's catalog, prices, saved plans, length logs."""

from planner.models.catalog import (
    Accelerator,
    AcceleratorMapping,
    CatalogDocument,
    CatalogEntry,
    CatalogState,
    EngineTable,
    ModelShape,
    Platform,
    WeightScheme,
    difference,
    figure_value,
    merged,
)
from planner.models.imports import HubEndpoint, ModelImport
from planner.models.lengths import LengthLog
from planner.models.money import ExchangeRate, Quote
from planner.models.plans import (
    PlanComment,
    PlanDecision,
    PlanEvaluation,
    PlanShare,
    PlanVersion,
    SavedPlan,
)
from planner.models.team import TeamSettings

__all__ = [
    "Accelerator",
    "AcceleratorMapping",
    "CatalogDocument",
    "CatalogEntry",
    "CatalogState",
    "EngineTable",
    "ExchangeRate",
    "HubEndpoint",
    "LengthLog",
    "ModelImport",
    "ModelShape",
    "PlanComment",
    "PlanDecision",
    "PlanEvaluation",
    "PlanShare",
    "PlanVersion",
    "Platform",
    "Quote",
    "SavedPlan",
    "TeamSettings",
    "WeightScheme",
    "difference",
    "figure_value",
    "merged",
]
