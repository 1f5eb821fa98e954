"""A model that a program brings in: the body of the call, and the answer."""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.hubs import HubError, Wanted, fetch
from planner.answers.imports import CONFIG_NAME, Looked, Offered, message
from planner.core.checkpoint.index import NAME as INDEX_NAME
from planner.core.model_facts import cache_facts
from planner.core.outcome import Problem
from planner.core.owned import parameters_of
from planner.core.specs import Catalog
from planner.core.weights import part_bytes, published_scheme_id
from planner.messages import word
from planner.messages.catalog import PARTS
from planner.messages.imports import REMARKS
from planner.models import ModelImport
from planner.queries.imports import hub as hub_of

Errors = list[dict[str, Any]]
KINDS: dict[str, tuple[type, ...]] = {
    "id": (str,),
    "config": (dict,),
    "index": (dict,),
    "headers": (dict,),
    "hub": (dict,),
    "keep": (bool,),
    "revision": (int,),
}
HUB_FIELDS = ("id", "model", "revision", "file")
MOST_FILES = 300
MOST_TEXT = 200


def error(place: str | None, code: str, text: str) -> dict[str, Any]:
    """One thing wrong with a body."""
    return {"field": place, "code": code, "message": text}


def errors_of(problems: list[Problem]) -> Errors:
    """Problems of reading as the errors of a call."""
    return [error(_place(item.field), item.code, message(item)) for item in problems]


def _place(field: str | None) -> str | None:
    """The field as this call has it: an estimate has its config within the model, headers are files."""
    if field is None:
        return None
    return re.sub(r"^files$", "headers", re.sub(r"^model\.config", "config", field))


def body_errors(body: Any) -> Errors:
    """What is wrong with the form of a body, before anything of it is read."""
    if not isinstance(body, Mapping):
        return [error(None, "wrong_type", _("Send a JSON object."))]
    known = _("No such field. Known here: %(known)s.") % {"known": ", ".join(KINDS)}
    errors = [error(str(name)[:60], "unknown_field", known) for name in body if name not in KINDS][:20]
    errors += _wrong_types(body)
    if not errors and (body.get("hub") is None) == all(
        body.get(name) is None for name in ("config", "index", "headers")
    ):
        text = _("Send either a hub with the id of a model, or config, index and headers.")
        errors.append(error("config", "files_or_hub", text))
    return errors


def _wrong_types(body: Mapping[str, Any]) -> Errors:
    errors = []
    for name, kinds in KINDS.items():
        value = body.get(name)
        is_flag = isinstance(value, bool) and bool not in kinds
        if value is not None and (is_flag or not isinstance(value, kinds)):
            errors.append(error(name, "wrong_type", _("This is of another type than is expected here.")))
    for name in HUB_FIELDS if isinstance(body.get("hub"), dict) else ():
        value = body["hub"].get(name)
        if value is None and name in ("id", "model"):
            errors.append(error(f"hub.{name}", "missing", _("This field is required.")))
        elif value is not None and not (isinstance(value, str) and len(value) <= MOST_TEXT):
            errors.append(error(f"hub.{name}", "wrong_type", _("Expected text of up to 200 characters.")))
    return errors


def offered(body: Mapping[str, Any]) -> Offered | Errors:
    """What a body whose form is right offers; of a hub, fetched from it."""
    if body.get("hub") is not None:
        return _of_hub(body["hub"])
    files: dict[str, bytes] = {}
    for name, value in ((CONFIG_NAME, body.get("config")), (INDEX_NAME, body.get("index"))):
        if value is not None:
            files[name] = json.dumps(value).encode()
    headers: Mapping[str, Any] = body.get("headers") or {}
    if len(headers) > MOST_FILES:
        text = _("Send at most %s headers.") % MOST_FILES
        return [error("headers", "too_many", text)]
    for name, value in headers.items():
        raw = _decoded(value)
        if raw is None or not name.isprintable() or len(name) > MOST_TEXT or name in files:
            text = _("Each header is the beginning of a file in base64, by the name of the file.")
            return [error("headers", "not_base64", text)]
        files[name] = raw
    return Offered(files=files, origin="paste")


def _decoded(value: Any) -> bytes | None:
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else None
    except (binascii.Error, ValueError):
        return None


def _of_hub(asked: Mapping[str, Any]) -> Offered | Errors:
    hub = hub_of(asked["id"])
    if hub is None or not hub.is_active:
        return [error("hub.id", "hub_unknown", message(Problem(code="hub_unknown", field=None)))]
    wanted = Wanted(
        hub=hub,
        model=asked["model"],
        revision=asked.get("revision") or "",
        file=asked.get("file") or "",
    )
    try:
        found = fetch(wanted)
    except HubError as failed:
        problem = failed.problem
        place = "hub" if problem.field == "hub" else f"hub.{problem.field}"
        return [error(place, problem.code, message(problem))]
    return Offered(
        files=found.files,
        origin=hub.kind,
        name=asked["model"],
        address=found.address,
        commit=found.commit,
        remarks=found.remarks,
    )


def answer(
    looked: Looked, catalog: Catalog, *, key: str, outcome: str, revision: int | None
) -> dict[str, Any]:
    """What was read, and what was done with it."""
    model = looked.model
    scheme = catalog.schemes[published_scheme_id(model)]
    sizes, caches = part_bytes(model, scheme), cache_facts(model, catalog)
    return {
        "outcome": outcome,
        "id": key,
        "revision": revision,
        "parameters": round(parameters_of(model)),
        "parts": {
            name: {"weights": getattr(model, f"{name}_params"), "bytes": round(getattr(sizes, name))}
            for name in PARTS
        },
        "total_bytes": round(sizes.total),
        "bytes_from": looked.bytes_from,
        "scheme": scheme.id,
        "kv_bytes_per_token": caches[0].bytes_per_token if caches else None,
        "context_tokens": model.max_position_embeddings,
        "origin": looked.origin,
        "address": looked.address,
        "commit": looked.commit,
        "files": looked.files,
        "remarks": [
            {
                "code": item["code"],
                "severity": item["severity"],
                "message": word(REMARKS, item["code"], item["values"]),
            }
            for item in looked.remarks
        ],
    }


def shown(row: ModelImport) -> dict[str, Any]:
    """One import as lists show it."""
    return {
        "model": row.model.key,
        "origin": row.origin,
        "address": row.address,
        "commit": row.commit,
        "checkpoint": row.checkpoint,
        "imported_by": row.imported_by.username if row.imported_by is not None else None,
        "created_at": row.created_at.isoformat(),
    }
