"""The catalog in the database: synced all or nothing, the team's edits kept."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from access.models import AuditEvent, User
from access.roles import Role
from planner.actions.catalog import CatalogFaultsError, sync_catalog
from planner.actions.entries import edit_entry, map_accelerator
from planner.catalog import SHIPPED, load_shipped
from planner.core.matching import match
from planner.models import Accelerator, CatalogState, EngineTable, ModelShape, merged
from planner.queries import catalog as queries

pytestmark = pytest.mark.django_db
CARD = "nvidia-l4"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A small catalog of its own: two cards, one model, everything that they refer to."""
    shutil.copytree(SHIPPED / "engines", tmp_path / "engines")
    for name in ("schemes.json", "links.json", "sources.json", "power.json"):
        shutil.copy(SHIPPED / name, tmp_path / name)
    write(tmp_path / "accelerators.jsonl", pick("accelerators.jsonl", CARD, "nvidia-t4"))
    write(tmp_path / "models.jsonl", pick("models.jsonl", "openai/gpt-oss-20b"))
    write(tmp_path / "platforms.jsonl", [])
    return tmp_path


@pytest.fixture
def operator() -> User:
    return User.objects.create_user("ops", role=Role.OPERATOR)


def pick(name: str, *ids: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (SHIPPED / name).read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["id"] in ids]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def change(directory: Path, **changes: Any) -> None:
    """Put values into the record of CARD."""
    rows = pick("accelerators.jsonl", CARD, "nvidia-t4")
    next(row for row in rows if row["id"] == CARD).update(changes)
    write(directory / "accelerators.jsonl", rows)


def test_first_sync_adds_and_second_keeps(directory: Path) -> None:
    first, second = sync_catalog(directory)["Accelerator"], sync_catalog(directory)["Accelerator"]
    assert (first.added, first.changed, first.kept) == (2, 0, 0)
    assert (second.added, second.changed, second.kept) == (0, 0, 2)


def test_sync_that_changes_nothing_leaves_stamp_and_audit_alone(directory: Path) -> None:
    sync_catalog(directory)
    before = CatalogState.objects.get().stamp
    sync_catalog(directory)
    assert CatalogState.objects.get().stamp == before
    assert AuditEvent.objects.filter(action="catalog.sync").count() == 1


def test_changed_record_is_replaced_with_its_columns(directory: Path) -> None:
    sync_catalog(directory)
    change(directory, vendor="Somebody")
    counts = sync_catalog(directory)["Accelerator"]
    assert (counts.added, counts.changed, counts.kept) == (0, 1, 1)
    assert Accelerator.objects.get(key=CARD).vendor == "Somebody"


def test_edits_of_the_team_outlive_a_sync(directory: Path, operator: User) -> None:
    sync_catalog(directory)
    figure = {"value": 290.0, "kind": "measured", "sources": ["unattributed"]}
    edit_entry(Accelerator.objects.get(key=CARD), {"figures": {"bandwidth_gb_s": figure}}, actor=operator)
    change(directory, vendor="Somebody")
    counts = sync_catalog(directory)["Accelerator"]
    card = Accelerator.objects.get(key=CARD)
    assert (counts.changed, counts.edited) == (1, 1)
    assert (card.vendor, card.bandwidth_gb_s) == ("Somebody", 290.0)
    assert queries.catalog_from_database().accelerators[CARD].bandwidth_gb_s == 290.0


def test_edit_taken_back_shows_the_shipped_figure(directory: Path, operator: User) -> None:
    sync_catalog(directory)
    card = Accelerator.objects.get(key=CARD)
    edit_entry(card, {"vendor": "Somebody"}, actor=operator)
    edit_entry(card, None, actor=operator)
    assert queries.catalog_from_database().accelerators[CARD].vendor == "NVIDIA"


def test_unsound_edit_is_refused(directory: Path, operator: User) -> None:
    sync_catalog(directory)
    with pytest.raises(CatalogFaultsError, match="class"):
        edit_entry(Accelerator.objects.get(key=CARD), {"class": "toaster"}, actor=operator)
    assert Accelerator.objects.get(key=CARD).edited is None


def test_record_that_is_gone_is_retired_and_comes_back(directory: Path) -> None:
    sync_catalog(directory)
    write(directory / "accelerators.jsonl", pick("accelerators.jsonl", "nvidia-t4"))
    assert sync_catalog(directory)["Accelerator"].retired == 1
    assert CARD not in queries.catalog_from_database().accelerators
    change(directory)
    assert sync_catalog(directory)["Accelerator"].changed == 1
    assert CARD in queries.catalog_from_database().accelerators


def test_record_of_the_team_alone_is_never_retired(directory: Path) -> None:
    sync_catalog(directory)
    own = {**pick("accelerators.jsonl", CARD)[0], "id": "our-own-card"}
    entry = Accelerator(key="our-own-card", edited=own)
    entry.fill_columns()
    entry.save()
    assert sync_catalog(directory)["Accelerator"].retired == 0
    assert Accelerator.objects.get(key="our-own-card").retired_at is None


def test_one_bad_row_writes_nothing_and_is_named(directory: Path) -> None:
    rows = pick("accelerators.jsonl", CARD, "nvidia-t4")
    rows[1]["figures"]["bandwidth_gb_s"]["value"] = "fast"
    write(directory / "accelerators.jsonl", rows)
    with pytest.raises(CommandError) as caught:
        call_command("sync_catalog", dir=directory)
    assert str(caught.value).splitlines() == [
        "Nothing was written.",
        f"accelerators.jsonl, line 2, {rows[1]['id']}: figures.bandwidth_gb_s.value: 'fast' is not of type 'number'",
    ]
    assert (Accelerator.objects.count(), ModelShape.objects.count(), CatalogState.objects.count()) == (
        0,
        0,
        0,
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{not json", "accelerators.jsonl, line 1: not JSON"),
        ("[" * 5000, "accelerators.jsonl, line 1: not JSON"),
        ("[]", "accelerators.jsonl, line 1: not a JSON object"),
        ("\udcff", "accelerators.jsonl: cannot be read"),
    ],
)
def test_file_that_is_no_catalog_writes_nothing(directory: Path, content: str, said: str) -> None:
    (directory / "accelerators.jsonl").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(CommandError, match=said):
        call_command("sync_catalog", dir=directory)
    assert Accelerator.objects.count() == 0


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("schemes.json", '{"schemes": 3}', "schemes.json: has no list of schemes"),
        ("schemes.json", '{"schemes": [3]}', "schemes.json: record: 3 is not of type 'object'"),
        ("sources.json", '{"a": 3}', "sources.json, a: record: 3 is not of type 'object'"),
        (
            "platforms.jsonl",
            '{"watts": NaN}',
            "platforms.jsonl, line 1: not JSON .NaN is not a finite number",
        ),
        ("platforms.jsonl", '{"watts": 1e999}', "platforms.jsonl, line 1: not JSON .1e999 is not a finite"),
    ],
)
def test_file_with_a_wrong_shape_writes_nothing(directory: Path, file: str, content: str, said: str) -> None:
    (directory / file).write_text(content, encoding="utf-8")
    with pytest.raises(CommandError, match=said):
        call_command("sync_catalog", dir=directory)
    assert Accelerator.objects.count() == 0


def test_directory_without_engines_retires_none(directory: Path) -> None:
    sync_catalog(directory)
    shutil.rmtree(directory / "engines")
    with pytest.raises(CommandError, match="engines: holds no engine"):
        call_command("sync_catalog", dir=directory)
    assert set(EngineTable.objects.values_list("retired_at", flat=True)) == {None}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": "nvidia-t4"}, "nvidia-t4: id: used twice"),
        ({"variant_of": "nowhere"}, "variant_of: nothing is named nowhere"),
        ({"native_dtypes": ["fp4"], "unknown_dtypes": ["fp4"]}, "both native and unknown"),
    ],
)
def test_records_that_contradict_each_other_are_refused(
    directory: Path, changes: dict[str, Any], said: str
) -> None:
    change(directory, **changes)
    with pytest.raises(CatalogFaultsError, match=said):
        sync_catalog(directory)


def test_bandwidth_that_is_not_bus_times_rate_is_refused(directory: Path) -> None:
    rows = pick("accelerators.jsonl", CARD)
    rows[0]["figures"]["bandwidth_gb_s"]["value"] = 3000
    write(directory / "accelerators.jsonl", rows)
    with pytest.raises(CatalogFaultsError, match="3000 GB/s is not bus x rate"):
        sync_catalog(directory)


def test_shipped_catalog_is_the_same_from_the_database() -> None:
    sync_catalog()
    found, shipped = queries.catalog_from_database(), load_shipped()
    assert found.hash == shipped.hash
    assert dict(found.accelerators) == dict(shipped.accelerators)
    assert set(found.models) == set(shipped.models)
    assert found.models["openai/gpt-oss-20b"] == shipped.models["openai/gpt-oss-20b"]


def test_catalog_is_read_with_a_constant_number_of_queries(
    directory: Path, django_assert_num_queries: Any
) -> None:
    sync_catalog(directory)
    # Two of each are the savepoint that the transaction around a test asks for.
    with django_assert_num_queries(8 + 2):
        queries.catalog_from_database()
    with django_assert_num_queries(1 + 2):
        queries.catalog_from_database()


def test_catalog_is_the_shipped_one_until_it_is_synced(directory: Path) -> None:
    assert not queries.catalog_is_loaded()
    assert queries.current_catalog() is load_shipped()
    with pytest.raises(queries.CatalogNotLoadedError):
        queries.current_catalog("database")
    sync_catalog(directory)
    assert set(queries.current_catalog().accelerators) == {CARD, "nvidia-t4"}
    assert queries.current_catalog("shipped") is load_shipped()


def test_mapping_of_the_operator_is_found(directory: Path, operator: User) -> None:
    sync_catalog(directory)
    map_accelerator("NVIDIA  Secret Board", Accelerator.objects.get(key=CARD), actor=operator)
    assert match(queries.catalog_from_database(), name="NVIDIA Secret Board").accelerator_id == CARD


def test_merge_replaces_a_figure_whole() -> None:
    shipped = {
        "link": None,
        "figures": {"a": {"value": 1, "kind": "datasheet", "rule": "r"}, "b": {"value": 2}},
    }
    edited = {"figures": {"a": {"value": 3, "kind": "measured"}}}
    assert merged(shipped, edited) == {
        "link": None,
        "figures": {"a": {"value": 3, "kind": "measured"}, "b": {"value": 2}},
    }
