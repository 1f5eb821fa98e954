"""What the description of the REST interface gives a name: a schema that several calls share stands in it once.

Generated clients make one class of each. A body or an answer that is no part of the list stays where it is used.
"""

import json
from pathlib import Path
from typing import Any

from planner import schemas
from planner.schemas import (
    catalog,
    check,
    costs,
    evaluations,
    fits,
    imports,
    lengths,
    limits,
    plan_files,
    plans,
    quotes,
    recommend,
    webhooks,
)

NAMED: dict[str, dict[str, Any]] = {
    "Problem": schemas.PROBLEM,
    "EstimateRequest": schemas.REQUEST,
    "Estimate": schemas.ANSWER,
    "RecommendationRequest": recommend.SEARCH,
    "RecommendedOption": recommend.OPTION,
    "Recommendation": recommend.RECOMMENDATION,
    "Limits": limits.LIMITS_ANSWER,
    "FitsRequest": fits.FITS_REQUEST,
    "Fits": fits.FITS_ANSWER,
    "CommandCheckRequest": check.REQUEST_OF_CHECK,
    "CommandCheck": check.CHECK_ANSWER,
    "CostRequest": costs.COST_REQUEST,
    "Cost": costs.COST_ANSWER,
    "CostAssumptions": costs.ASSUMPTIONS_ANSWER,
    "NewCostAssumptions": costs.NEW_ASSUMPTIONS,
    "Accelerator": catalog.ACCELERATOR,
    "NewAccelerator": catalog.NEW_ACCELERATOR,
    "AcceleratorChange": catalog.ACCELERATOR_CHANGE,
    "Platform": catalog.PLATFORM,
    "NewPlatform": catalog.NEW_PLATFORM,
    "PlatformChange": catalog.PLATFORM_CHANGE,
    "CatalogFigure": catalog.FIGURE,
    "ModelRow": catalog.MODEL_LISTED,
    "Model": catalog.MODEL,
    "ModelChange": catalog.MODEL_CHANGE,
    "ModelImportRow": imports.LISTED_IMPORT,
    "ModelImport": imports.IMPORTED,
    "NewModelImport": imports.NEW_IMPORT,
    "EngineRow": catalog.ENGINE_LISTED,
    "Engine": catalog.ENGINE,
    "WeightScheme": catalog.SCHEME,
    "AcceleratorName": catalog.REPORTED,
    "NewAcceleratorName": catalog.NEW_REPORTED,
    "AcceleratorNameChange": catalog.REPORTED_CHANGE,
    "Quote": quotes.QUOTE,
    "NewQuote": quotes.NEW_QUOTE,
    "QuoteChange": quotes.QUOTE_CHANGE,
    "Withdrawal": quotes.WITHDRAWAL,
    "ExchangeRate": quotes.RATE,
    "NewExchangeRate": quotes.NEW_RATE,
    "LengthLogRow": lengths.LOG,
    "LengthLog": lengths.WHOLE_LOG,
    "NewLengthLog": lengths.NEW_LOG,
    "KvExhaustionRequest": lengths.EXHAUSTION_REQUEST,
    "KvExhaustion": lengths.EXHAUSTION_ANSWER,
    "PlanRow": plans.PLAN_ROW,
    "Plan": plans.PLAN,
    "NewPlan": plans.NEW_PLAN,
    "PlanChange": plans.PLAN_CHANGE,
    "PlanContent": plans.CONTENT,
    "PlanConflict": plans.CONFLICT,
    "PlanVersionRow": plans.VERSION_ROW,
    "PlanVersion": plans.VERSION,
    "NewPlanVersion": plans.NEW_VERSION,
    "PlanDifference": plans.DIFFERENCE,
    "PlanComment": plans.COMMENT,
    "NewPlanComment": plans.NEW_COMMENT,
    "PlanStep": plans.REASON,
    "PlanShare": plans.SHARE,
    "NewPlanShare": plans.NEW_SHARE,
    "MadePlanShare": plans.MADE_SHARE,
    "PlanComparisonRequest": plans.NEW_COMPARISON,
    "PlanComparison": plans.COMPARISON,
    "PlanEvaluation": evaluations.EVALUATION,
    "BillOfMaterials": plan_files.BILL,
    "PlanDocument": plan_files.DOCUMENT,
    "Webhook": webhooks.WEBHOOK,
    "NewWebhook": webhooks.NEW_WEBHOOK,
    "MadeWebhook": webhooks.MADE_WEBHOOK,
    "WebhookChange": webhooks.WEBHOOK_CHANGE,
    "WebhookDelivery": webhooks.DELIVERY,
}
# What is shown, not what is asked of a value: a schema's name may stand in it by chance
_VALUES = frozenset({"example", "examples", "default", "enum", "const"})


ANSWERS = Path(__file__).with_name("answers.json")


def show_answers(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Give each answer its example: what a server said once, its lists cut short. A hook of drf-spectacular."""
    shown = json.loads(ANSWERS.read_text(encoding="utf-8"))
    for item in result["paths"].values():
        for operation in item.values():
            for status, response in operation["responses"].items():
                media = response.get("content", {}).get("application/json")
                if media is not None and operation["operationId"] in shown and status.startswith("2"):
                    media["example"] = shown[operation["operationId"]]
    return result


def name_components(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Put the named schemas under `components` and a reference where each stood. A hook of drf-spectacular."""
    names = {_text(schema): name for name, schema in NAMED.items()}
    result["paths"] = _referring(result["paths"], names)
    components = result.setdefault("components", {}).setdefault("schemas", {})
    for name, schema in NAMED.items():
        components[name] = {key: _referring(value, names) for key, value in schema.items()}
    return result


def _referring(node: Any, names: dict[str, str]) -> Any:
    if isinstance(node, list):
        return [_referring(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    name = names.get(_text(node)) if "properties" in node else None
    if name is None:
        return {key: value if key in _VALUES else _referring(value, names) for key, value in node.items()}
    said = node.get("description")
    own = said is not None and said != NAMED[name].get("description")
    return {"$ref": f"#/components/schemas/{name}", **({"description": said} if own else {})}


def _text(schema: dict[str, Any]) -> str:
    """A schema but for its own description, so that each place may say what it is there."""
    return json.dumps({key: value for key, value in schema.items() if key != "description"}, sort_keys=True)
