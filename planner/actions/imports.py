"""Models that the team brings in, and the hubs that they may be fetched from."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from access.actions import record_audit
from access.models import User
from access.sealing import seal
from planner.actions.entries import EntryExistsError, create_entry, edit_entry
from planner.models import HubEndpoint, ModelImport, ModelShape

HUB_FIELDS = ("name", "kind", "base_url", "is_active")


@transaction.atomic
def keep_import(
    record: Mapping[str, Any],
    *,
    sources: Mapping[str, str],
    given: Mapping[str, Any],
    actor: User,
    revision: int | None = None,
) -> tuple[ModelShape, str]:
    """Put a model that was read into the catalog, and say what that did: created | updated | unchanged.

    `given` are the fields of ModelImport that tell where it is from. `revision`: of the team's own model of the same
    id, which it replaces. Raises EntryExistsError where one is there and no revision is given, ConflictError where the
    revision is past, CatalogFaultsError where the record is unsound.
    """
    key = str(record["id"])
    existing = ModelShape.objects.filter(key=key).first()
    if existing is not None and existing.retired_at is None and existing.record == dict(record):
        return existing, "unchanged"
    if existing is None:
        entry, done = create_entry(ModelShape, key, record, actor=actor, sources=sources), "created"
    elif revision is None or existing.shipped is not None:
        raise EntryExistsError(existing)
    else:
        entry = edit_entry(existing, record, actor=actor, revision=revision, sources=sources, back=True)
        done = "updated"
    assert isinstance(entry, ModelShape)
    ModelImport.objects.create(model=entry, imported_by=actor, **given)
    record_audit(
        "catalog.import",
        actor=actor,
        about=entry,
        key=key,
        **{name: given[name] for name in ("origin", "address", "commit")},
    )
    return entry, done


@transaction.atomic
def create_hub(*, token: str, actor: User, **values: Any) -> HubEndpoint:
    """A hub that models may be fetched from. Its token is sealed and not shown again."""
    hub = HubEndpoint.objects.create(sealed_token=seal(token) if token else "", **values)
    record_audit("hub.create", actor=actor, about=hub, with_token=bool(token), **_said(hub))
    return hub


@transaction.atomic
def change_hub(
    hub: HubEndpoint, *, actor: User, token: str = "", forget_token: bool = False, **values: Any
) -> HubEndpoint:
    """Change a hub. Its token stays unless another is given or it is to be forgotten.

    A token belongs to the address that it was given for: with another address it is forgotten.
    """
    locked = HubEndpoint.objects.select_for_update().get(pk=hub.pk)
    before = _said(locked)
    for name, value in values.items():
        setattr(locked, name, value)
    if token:
        locked.sealed_token = seal(token)
    elif forget_token or locked.base_url != before["base_url"]:
        locked.sealed_token = ""
    locked.save()
    after = _said(locked)
    changed = {
        name: {"before": before[name], "after": after[name]} for name in after if before[name] != after[name]
    }
    record_audit("hub.change", actor=actor, about=locked, new_token=bool(token), changed=changed)
    return locked


@transaction.atomic
def delete_hub(hub: HubEndpoint, *, actor: User) -> None:
    """Forget a hub and its token. Models that came from it stay."""
    record_audit("hub.delete", actor=actor, about=hub, **_said(hub))
    hub.delete()


def _said(hub: HubEndpoint) -> dict[str, Any]:
    return {name: getattr(hub, name) for name in HUB_FIELDS}
