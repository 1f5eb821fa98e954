"""Saved plans as JSON: in lists, whole, and what belongs to them."""

import copy
from typing import Any

from planner.answers.plans import figures_of, in_words
from planner.models import PlanComment, PlanShare, PlanVersion, SavedPlan


def row(plan: SavedPlan) -> dict[str, Any]:
    """A plan as lists have it, with the figures of its newest evaluation."""
    return {
        "uid": plan.uid,
        "name": plan.name,
        "owner": plan.owner.username,
        "state": plan.state,
        "archived": plan.archived_at is not None,
        "version": plan.number,
        "revision": plan.revision,
        "model": plan.model,
        "accelerator": plan.accelerator or None,
        "count": plan.count,
        "engine": plan.engine,
        "verdict": plan.verdict,
        "tpot_ms": plan.tpot_ms,
        "output_tokens_per_s": plan.output_tokens_per_s,
        "purchase": None if plan.purchase is None else float(plan.purchase),
        "currency": plan.currency,
        "flipped": [code for code in plan.flipped.split(",") if code],
        "evaluated_at": plan.evaluated_at,
        "created_at": plan.created_at,
        "updated_at": plan.updated_at,
    }


def whole(plan: SavedPlan, version: PlanVersion) -> dict[str, Any]:
    """A plan with its notes and with what its newest version asks."""
    return {**row(plan), "notes": plan.notes, "content": version.content, "basis": version.basis}


def version_row(version: PlanVersion) -> dict[str, Any]:
    """A version as lists have it: who kept it and why."""
    return {
        "number": version.number,
        "note": version.note,
        "author": version.author.username,
        "created_at": version.created_at,
        "basis": version.basis,
    }


def version_whole(version: PlanVersion) -> dict[str, Any]:
    """A version with what was asked and what was answered then, its words in the reader's language."""
    return {
        **version_row(version),
        "content": version.content,
        "answer": in_words(copy.deepcopy(version.answer)),
        "figures": figures_of(version.answer),
    }


def comment_row(comment: PlanComment) -> dict[str, Any]:
    """What somebody said."""
    return {
        "id": comment.pk,
        "version": comment.number,
        "author": comment.author.username,
        "text": comment.text,
        "created_at": comment.created_at,
    }


def share_row(share: PlanShare) -> dict[str, Any]:
    """A link without its secret, which nobody can read again."""
    return {
        "id": share.pk,
        "with_prices": share.with_prices,
        "is_live": share.is_live,
        "created_by": share.created_by.username,
        "created_at": share.created_at,
        "expires_at": share.expires_at,
        "revoked_at": share.revoked_at,
    }
