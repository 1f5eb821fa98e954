"""The form of a model: its context, the engines that run it and a note, each with where it is from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from planner.browse.entry_form import typed_number
from planner.messages.catalog import FIGURE_KINDS
from planner.models import ModelShape
from planner.queries.entries import in_words
from planner.setup import ENGINE_NAMES

MAX_TYPED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineInput:
    """The word of one engine."""

    key: str
    label: str
    value: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelForm:
    """The context of templates/planner/browse/model_form.html."""

    context: str
    kind: str
    source: str
    shipped: str
    engines: Sequence[EngineInput]
    engines_source: str
    notes: str
    kinds: Sequence[tuple[str, Any]]
    errors: Mapping[str, str]


def statement_of(post: QueryDict, engines: Sequence[str]) -> dict[str, Any]:
    """What was typed, as the API takes it."""

    def text(name: str) -> str | None:
        return post.get(name, "")[:MAX_TYPED].strip() or None

    context = text("context")
    return {
        "max_context_tokens": context
        and {"value": typed_number(context), "kind": text("kind"), "source": text("source")},
        "engines": {name: text(f"engine.{name}") for name in engines},
        "engines_source": text("engines_source"),
        "notes": text("notes"),
    }


def model_form(
    entry: ModelShape,
    *,
    engines: Sequence[str],
    words: Mapping[str, str],
    post: QueryDict | None = None,
    errors: Sequence[Mapping[str, Any]] = (),
) -> ModelForm:
    """The inputs, filled with what was typed, else with the model as it counts."""
    record, found = entry.record, {str(error["field"]): str(error["message"]) for error in reversed(errors)}
    context, support = record["figures"]["context"], record["figures"]["engines"]["value"]
    now = {
        "context": str(context["value"]["max_position_embeddings"]),
        "kind": context["kind"],
        "source": in_words(context["sources"], words),
        "notes": record.get("notes") or "",
        "engines_source": "",
        **{f"engine.{name}": support.get(name, "") for name in engines},
    }
    shown = {name: post.get(name, "") if post is not None else text for name, text in now.items()}
    under = (entry.shipped or {}).get("figures", {}).get("context", {}).get("value", {})
    return ModelForm(
        context=shown["context"],
        kind=shown["kind"],
        source=shown["source"],
        shipped=str(under.get("max_position_embeddings", "")),
        engines=[
            EngineInput(
                key=name,
                label=ENGINE_NAMES.get(name, name),
                value=shown[f"engine.{name}"],
                error=found.get(f"engines.{name}", ""),
            )
            for name in engines
        ],
        engines_source=shown["engines_source"],
        notes=shown["notes"],
        kinds=list(FIGURE_KINDS.items()),
        errors={
            "context": " ".join(
                text for field, text in found.items() if field.startswith("max_context_tokens")
            ),
            "notes": found.get("notes", ""),
            "engines": " ".join(found[field] for field in ("engines", "engines_source") if field in found),
        },
    )
