"""The team's own words over the catalog: written with their audit, felt by estimates at once, lost to nobody."""

from typing import Any

import pytest

from access.models import AuditEvent, User
from planner.actions.catalog import CatalogFaultsError
from planner.actions.conflict import ConflictError
from planner.actions.entries import (
    EntryExistsError,
    EntryInUseError,
    create_entry,
    edit_entry,
    map_accelerator,
    remove_mapping,
    retire_entry,
    source_key,
)
from planner.answers import estimates
from planner.answers.catalog import ACCELERATORS, PLATFORMS, change, create
from planner.core.matching import match
from planner.models import Accelerator, AcceleratorMapping, CatalogDocument, Platform, SavedPlan
from planner.queries import current_catalog
from tests.planner.browse.small import CARD, MODEL, own_card

pytestmark = pytest.mark.usefixtures("catalog")
FASTER = {"value": 600, "kind": "measured", "source": "our own stream test"}


def card(key: str = CARD) -> Accelerator:
    return Accelerator.objects.get(key=key)


def changed(body: dict[str, Any], actor: User, **more: Any) -> Any:
    entry = more.pop("entry", None) or card()
    return change(ACCELERATORS, entry, body, revision=entry.revision, actor=actor, **more)


def tpot() -> float:
    request = {
        "model": {"id": MODEL},
        "weights": "awq-int4",
        "accelerator": CARD,
        "engine": {"name": "vllm"},
        "workload": {"input_tokens": 512, "output_tokens": 128, "concurrency": 1},
    }
    answer = estimates.answer([request], catalog=current_catalog())[0]
    return float(answer["speed"]["tpot_ms"])


def test_edited_bandwidth_changes_estimates_at_once_and_reset_takes_it_back(operator: User) -> None:
    before = tpot()
    entry, errors = changed({"figures": {"bandwidth_gb_s": FASTER}}, operator)
    assert (errors, entry.origin) == ([], "edited")
    # twice the 300 GB/s of the L4: reading weights takes half as long, the rest stays
    assert tpot() < 0.7 * before
    edit_entry(entry, None, actor=operator, revision=entry.revision)
    assert (tpot(), card().origin) == (before, "shipped")


def test_only_what_differs_is_the_teams(operator: User) -> None:
    entry, _errors = changed({"name": "L4", "figures": {"bandwidth_gb_s": FASTER}}, operator)
    key = source_key("our own stream test")
    assert entry.edited == {
        "figures": {"bandwidth_gb_s": {"value": 600, "kind": "measured", "sources": [key]}}
    }
    assert CatalogDocument.objects.get(key="sources").record[key]["ref"] == "our own stream test"


def test_audit_keeps_before_and_after(operator: User) -> None:
    changed({"figures": {"bandwidth_gb_s": FASTER}}, operator)
    event = AuditEvent.objects.get(action="catalog.edit")
    told = event.data["changed"]["figures.bandwidth_gb_s"]
    assert (event.actor, told["before"]["value"], told["after"]["value"]) == (operator, 300, 600)
    assert list(event.data["changed"]) == ["figures.bandwidth_gb_s"]


def test_older_revision_is_refused_and_writes_nothing(operator: User) -> None:
    stale = card()
    changed({"figures": {"bandwidth_gb_s": FASTER}}, operator)
    with pytest.raises(ConflictError) as caught:
        changed({"name": "Other"}, operator, entry=stale)
    assert caught.value.current.revision == stale.revision + 1  # type: ignore[attr-defined]
    assert card().name == "L4"


def test_null_takes_one_figure_back_and_leaves_the_others(operator: User) -> None:
    power = {"value": 60, "kind": "measured", "source": "wall meter"}
    changed({"figures": {"bandwidth_gb_s": FASTER, "tdp_w": power}}, operator)
    entry, _errors = changed({"figures": {"bandwidth_gb_s": None}}, operator)
    assert list(entry.edited["figures"]) == ["tdp_w"]


def test_whole_statement_leaves_out_what_it_does_not_say(operator: User) -> None:
    changed({"name": "Ours", "figures": {"bandwidth_gb_s": FASTER}}, operator)
    entry, _errors = changed({"name": "Ours"}, operator, whole=True)
    assert entry.edited == {"name": "Ours"}


def test_own_card_is_planned_with(operator: User) -> None:
    entry, errors = create(ACCELERATORS, own_card(), actor=operator)
    assert errors == []
    assert entry is not None
    assert (entry.origin, entry.revision) == ("own", 1)
    found = current_catalog().accelerators["acme-x1-48gb"]
    assert (found.bandwidth_gb_s, found.memory_gib) == (768.0, 47.4)
    assert found.provenance["bandwidth_gb_s"].source == "Acme brief"
    assert match(current_catalog(), name="ACME X1").accelerator_id == "acme-x1-48gb"


def test_id_that_is_taken_is_refused(operator: User) -> None:
    with pytest.raises(EntryExistsError):
        create(ACCELERATORS, own_card(id=CARD), actor=operator)


def test_own_card_in_a_platform_is_not_retired(operator: User) -> None:
    entry, _errors = create(ACCELERATORS, own_card(), actor=operator)
    body = {
        "id": "acme-box",
        "name": "Acme Box",
        "kind": "server",
        "accelerators": [{"id": "acme-x1-48gb", "count": 4}],
    }
    platform, errors = create(PLATFORMS, body, actor=operator)
    assert errors == []
    assert entry is not None
    with pytest.raises(EntryInUseError) as caught:
        retire_entry(entry, revision=entry.revision, actor=operator)
    assert [(use.kind, use.id) for use in caught.value.uses] == [("platform", "acme-box")]
    assert platform is not None
    retire_entry(platform, revision=platform.revision, actor=operator)
    retire_entry(entry, revision=entry.revision, actor=operator)
    assert "acme-x1-48gb" not in current_catalog().accelerators


def test_own_card_that_a_plan_names_is_not_retired(operator: User) -> None:
    entry, _errors = create(ACCELERATORS, own_card(), actor=operator)
    assert entry is not None
    SavedPlan.objects.create(
        name="For the lab", owner=operator, model=MODEL, accelerator=entry.key, engine="vllm", verdict="fits"
    )
    with pytest.raises(EntryInUseError) as caught:
        retire_entry(entry, revision=entry.revision, actor=operator)
    assert [(use.kind, use.name) for use in caught.value.uses] == [("plan", "For the lab")]


def test_retired_card_can_be_brought_back(operator: User) -> None:
    entry, _errors = create(ACCELERATORS, own_card(), actor=operator)
    assert entry is not None
    retired = retire_entry(entry, revision=1, actor=operator)
    back = retire_entry(retired, revision=2, actor=operator, back=True)
    assert (back.retired_at, back.revision) == (None, 3)
    assert "acme-x1-48gb" in current_catalog().accelerators
    assert list(
        AuditEvent.objects.filter(action__startswith="catalog.re").values_list("action", flat=True)
    ) == [
        "catalog.restore",
        "catalog.retire",
    ]


def test_platform_of_unknown_cards_is_refused(operator: User) -> None:
    body = {"id": "box", "name": "Box", "kind": "server", "accelerators": [{"id": "nothing", "count": 2}]}
    entry, errors = create(PLATFORMS, body, actor=operator)
    assert (entry, [(error["field"], error["code"]) for error in errors]) == (
        None,
        [("accelerators", "contradiction")],
    )
    assert not Platform.objects.filter(key="box").exists()


def test_memory_that_does_not_go_with_the_box_is_refused(operator: User) -> None:
    memory = {"value": 48, "kind": "measured", "source": "rebuilt board"}
    entry, errors = changed({"figures": {"memory_gib": memory}}, operator)
    assert (entry, [error["field"] for error in errors]) == (None, ["figures.memory_gib"])
    both = {"memory_gib": memory, "memory_gb": {**memory, "value": 51.5}}
    entry, errors = changed({"figures": both}, operator)
    assert (entry.memory_gib, errors) == (48, [])


def test_source_that_nobody_keeps_is_refused(operator: User) -> None:
    figure = {"value": 290, "kind": "measured", "sources": ["team_nothing"]}
    with pytest.raises(CatalogFaultsError, match="no source named team_nothing"):
        edit_entry(card(), {"figures": {"tdp_w": figure}}, actor=operator)


def test_record_without_its_fields_is_refused_by_the_schema(operator: User) -> None:
    with pytest.raises(CatalogFaultsError):
        create_entry(Accelerator, "half", {"id": "half"}, actor=operator)
    assert not Accelerator.objects.filter(key="half").exists()


def test_mapping_is_written_changed_and_removed_with_its_audit(operator: User) -> None:
    mapping = map_accelerator("Secret  Board", card(), actor=operator, revision=0)
    assert match(current_catalog(), name="Secret Board").accelerator_id == CARD
    with pytest.raises(ConflictError):
        map_accelerator("Secret Board", card(), actor=operator, revision=0)
    changed_to = map_accelerator(
        "Secret Board", card("amd-mi300x"), actor=operator, revision=mapping.revision
    )
    with pytest.raises(ConflictError):
        remove_mapping(mapping, revision=1, actor=operator)
    remove_mapping(changed_to, revision=2, actor=operator)
    assert not AcceleratorMapping.objects.exists()
    assert match(current_catalog(), name="Secret Board").code == "unknown"
    events = AuditEvent.objects.filter(action__in=["catalog.map", "catalog.unmap"]).order_by("pk")
    assert [(event.action, event.data.get("before"), event.data.get("after")) for event in events] == [
        ("catalog.map", None, CARD),
        ("catalog.map", CARD, "amd-mi300x"),
        ("catalog.unmap", "amd-mi300x", None),
    ]
