"""Forms with which a team makes the catalog its own: kept, refused beside the field, two editors, reset, retired."""

from typing import Any

import pytest
from django.test import Client

from access.models import User
from access.roles import Role
from planner.answers.catalog import ACCELERATORS, PLATFORMS, change, create, shown_accelerator, shown_platform
from planner.answers.catalog_fields import ACCELERATOR_FIGURES, PLATFORM_FIGURES
from planner.browse.entry_form import entry_form
from planner.models import Accelerator, ModelShape, Platform
from planner.queries.entries import source_words
from tests.access.people import person, signed_in
from tests.planner.browse.small import CARD, MODEL, own_card
from tests.planner.browse.test_lists import text_of

pytestmark = pytest.mark.usefixtures("catalog")
EDIT = f"/catalog/accelerators/{CARD}/edit/"
RESET = f"/catalog/accelerators/{CARD}/reset/"


def card() -> Accelerator:
    return Accelerator.objects.get(key=CARD)


def typed(kind: Any, figures: Any, entry: Any, **changes: Any) -> dict[str, Any]:
    """What the form sends when only `changes` were typed into it; dots of a name are written as __."""
    form = entry_form(kind, figures, entry=entry, words=source_words())
    data: dict[str, Any] = {"revision": str(entry.revision)}
    for item in form.inputs:
        data[item.name] = list(item.chosen) if item.form == "checks" else item.value
    for row in form.figures:
        data |= {f"figures.{row.name}.{part}": getattr(row, part) for part in ("value", "kind", "source")}
    return {**data, **{name.replace("__", "."): value for name, value in changes.items()}}


def card_form(**changes: Any) -> dict[str, Any]:
    return typed(ACCELERATORS, ACCELERATOR_FIGURES, card(), **changes)


FASTER = {
    "figures__bandwidth_gb_s__value": "290",
    "figures__bandwidth_gb_s__kind": "measured",
    "figures__bandwidth_gb_s__source": "stream test",
}


def test_form_sent_back_as_it_is_changes_nothing(browser_of_operator: Client) -> None:
    assert browser_of_operator.post(EDIT, card_form()).status_code == 302
    assert card().edited is None
    platform = Platform.objects.get(key="dgx-a100-640gb")
    data = typed(PLATFORMS, PLATFORM_FIGURES, platform)
    assert browser_of_operator.post("/catalog/platforms/dgx-a100-640gb/edit/", data).status_code == 302
    assert Platform.objects.get(key="dgx-a100-640gb").edited is None


def test_typed_figure_is_laid_over_the_shipped_one(browser_of_operator: Client) -> None:
    response = browser_of_operator.post(EDIT, card_form(**FASTER))
    assert (response.status_code, response["Location"]) == (302, f"/catalog/accelerators/{CARD}/")
    figure = shown_accelerator(card(), source_words())["figures"]["bandwidth_gb_s"]
    assert (figure["value"], figure["kind"], figure["source"]) == (290, "measured", "stream test")
    assert figure["shipped"]["value"] == 300


def test_blank_figure_is_as_shipped(browser_of_operator: Client) -> None:
    browser_of_operator.post(EDIT, card_form(**FASTER))
    browser_of_operator.post(EDIT, card_form(figures__bandwidth_gb_s__value=""))
    assert card().edited is None


def test_errors_stand_beside_what_they_are_about_and_keep_what_was_typed(browser_of_operator: Client) -> None:
    response = browser_of_operator.post(
        EDIT, card_form(name="", figures__tdp_w__value="a lot", figures__bandwidth_gb_s__value="290")
    )
    assert (response.status_code, card().edited) == (422, None)
    content = response.content.decode()
    assert "3 inputs need a look. Nothing is kept yet." in content
    assert 'value="a lot"' in content
    assert "A number above zero, in W." in content
    assert "The value is another than this source says." in text_of(response)
    assert "This field is required." in content


def test_second_editor_loses_nothing(browser_of_operator: Client, operator: User) -> None:
    mine = card_form(**FASTER)
    power = {"value": 60, "kind": "measured", "source": "wall meter"}
    change(ACCELERATORS, card(), {"figures": {"tdp_w": power}}, revision=1, actor=operator)
    response = browser_of_operator.post(EDIT, mine)
    assert (response.status_code, card().bandwidth_gb_s) == (409, 300)
    text = text_of(response)
    assert "Somebody else changed this meanwhile." in text
    assert "Memory bandwidth 300 (datasheet;" in text
    assert "290 (measured; stream test)" in text
    assert 'value="290"' in response.content.decode()
    assert browser_of_operator.post(EDIT, {**mine, "revision": "2"}).status_code == 302
    assert card().bandwidth_gb_s == 290


@pytest.mark.parametrize("revision", ["", "x", "-1", "99999999999", "²"])
def test_revision_that_is_none_is_a_conflict(browser_of_operator: Client, revision: str) -> None:
    assert browser_of_operator.post(EDIT, card_form(revision=revision)).status_code == 409


def test_new_card_is_added_and_found(browser_of_operator: Client) -> None:
    data = {
        "id": "acme-x1-48gb",
        "name": "Acme X1",
        "vendor": "Acme",
        "class": "edge",
        "native_dtypes": ["bf16", "int8"],
        "link.kind": "nvlink",
        "link.domain_size": "2",
        "reported_names": "ACME X1\nACME X1 rev B",
        "figures.memory_gib.value": "47.4",
        "figures.memory_gib.kind": "measured",
        "figures.memory_gib.source": "acme-smi",
        "figures.bandwidth_gb_s.value": "1,008",
        "figures.bandwidth_gb_s.kind": "datasheet",
        "figures.bandwidth_gb_s.source": "brief",
        "source": "brief",
    }
    response = browser_of_operator.post("/catalog/accelerators/new/", data)
    assert (response.status_code, response["Location"]) == (302, "/catalog/accelerators/acme-x1-48gb/")
    record = Accelerator.objects.get(key="acme-x1-48gb").record
    assert record["figures"]["bandwidth_gb_s"]["value"] == 1008
    assert record["names"]["reported"] == ["ACME X1", "ACME X1 rev B"]
    assert record["link"] == {"kind": "nvlink", "name": "nvlink", "bridge": False, "domain_size": 2}
    again = browser_of_operator.post("/catalog/accelerators/new/", data)
    assert again.status_code == 422
    assert "There is one of this id already." in again.content.decode()


def test_new_platform_takes_lines_of_parts(browser_of_operator: Client) -> None:
    data = {
        "id": "acme-box",
        "name": "Acme Box",
        "kind": "server",
        "accelerators": f"4 x {CARD}\n2 amd-mi300x",
        "interconnect.type": "PCIe only",
        "host.cpu": "2x EPYC",
        "figures.typical_power_w.value": "2,000-2,500",
        "figures.typical_power_w.kind": "measured",
        "figures.typical_power_w.source": "wall meter",
    }
    assert browser_of_operator.post("/catalog/platforms/new/", data).status_code == 302
    shown = shown_platform(Platform.objects.get(key="acme-box"), source_words())
    assert shown["accelerators"] == [{"id": CARD, "count": 4}, {"id": "amd-mi300x", "count": 2}]
    assert shown["figures"]["typical_power_w"]["value"] == [2000, 2500]
    refused = browser_of_operator.post(
        "/catalog/platforms/new/", {**data, "id": "b2", "accelerators": "many cards"}
    )
    assert refused.status_code == 422
    assert "Each is an object with id and count." in refused.content.decode()


def test_reset_names_what_goes_and_takes_one_figure_back(browser_of_operator: Client) -> None:
    power = {
        "figures__tdp_w__value": "60",
        "figures__tdp_w__kind": "measured",
        "figures__tdp_w__source": "wall meter",
    }
    browser_of_operator.post(EDIT, card_form(**FASTER, **power))
    page = browser_of_operator.get(f"{RESET}?figure=tdp_w")
    assert "Reset “Board power” of nvidia-l4?" in text_of(page)
    assert "60 W 72 W" in text_of(page)
    assert card().tdp_w == 60
    browser_of_operator.post(RESET, {"figure": "tdp_w", "revision": "2"})
    assert (card().tdp_w, card().bandwidth_gb_s) == (72, 290)
    browser_of_operator.post(RESET, {"revision": "3"})
    assert (card().bandwidth_gb_s, card().edited) == (300, None)


def test_reset_names_what_is_no_figure_too(browser_of_operator: Client) -> None:
    browser_of_operator.post(EDIT, card_form(name="L4 in our racks"))
    assert "Name L4 in our racks L4 " in text_of(browser_of_operator.get(RESET))


def test_reset_from_an_older_revision_takes_nothing_back(browser_of_operator: Client) -> None:
    browser_of_operator.post(EDIT, card_form(**FASTER))
    browser_of_operator.post(RESET, {"revision": "1"})
    assert card().bandwidth_gb_s == 290


def test_own_card_is_retired_and_brought_back(browser_of_operator: Client, operator: User) -> None:
    create(ACCELERATORS, own_card(), actor=operator)
    path = "/catalog/accelerators/acme-x1-48gb/retire/"
    assert "Retire Acme X1 48GB?" in text_of(browser_of_operator.get(path))
    browser_of_operator.post(path, {"revision": "1"})
    assert Accelerator.objects.get(key="acme-x1-48gb").retired_at is not None
    browser_of_operator.post(path, {"revision": "2"})
    assert Accelerator.objects.get(key="acme-x1-48gb").retired_at is None


def test_shipped_card_cannot_be_retired(browser_of_operator: Client) -> None:
    assert (
        browser_of_operator.post(f"/catalog/accelerators/{CARD}/retire/", {"revision": "1"}).status_code
        == 404
    )


def test_card_in_use_says_what_names_it(browser_of_operator: Client, operator: User) -> None:
    create(ACCELERATORS, own_card(), actor=operator)
    parts = [{"id": "acme-x1-48gb", "count": 2}]
    body = {"id": "acme-box", "name": "Acme Box", "kind": "server", "accelerators": parts}
    create(PLATFORMS, body, actor=operator)
    response = browser_of_operator.post("/catalog/accelerators/acme-x1-48gb/retire/", {"revision": "1"})
    assert response.status_code == 409
    assert "Acme X1 48GB cannot be retired yet" in text_of(response)
    assert "Acme Box" in text_of(response)


def test_model_takes_context_engines_and_a_note(browser_of_operator: Client) -> None:
    path = f"/catalog/models/{MODEL}/edit/"
    assert MODEL in text_of(browser_of_operator.get(path))
    data = {
        "revision": "1",
        "context": "65536",
        "kind": "measured",
        "source": "our needle test",
        "engine.vllm": "native",
        "engine.tensorrt-llm": "until 1.0.0",
        "engines_source": "our lab",
        "notes": "Keep to the instruct template.",
    }
    assert browser_of_operator.post(path, data).status_code == 302
    record = ModelShape.objects.get(key=MODEL).record
    assert record["figures"]["context"]["value"]["max_position_embeddings"] == 65_536
    assert record["figures"]["engines"]["value"] == {"vllm": "native", "tensorrt-llm": "until 1.0.0"}
    assert record["notes"] == "Keep to the instruct template."
    conflict = browser_of_operator.post(path, data)
    assert conflict.status_code == 409
    assert "our needle test" in conflict.content.decode()
    browser_of_operator.post(f"/catalog/models/{MODEL}/reset/", {"revision": "2"})
    assert ModelShape.objects.get(key=MODEL).edited is None


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("context", "long", "A whole number from 1"),
        ("engine.vllm", "perhaps", "native, transformers, absent, or until"),
        ("notes", "x" * 201, "From 1 to 200 printable characters."),
    ],
)
def test_model_form_refuses_beside_the_field(
    browser_of_operator: Client, field: str, value: str, message: str
) -> None:
    data = {"revision": "1", "context": "32768", "kind": "measured", "source": "ours", field: value}
    response = browser_of_operator.post(f"/catalog/models/{MODEL}/edit/", data)
    assert response.status_code == 422
    assert message in response.content.decode()


def test_viewer_writes_nothing() -> None:
    viewer = signed_in(person(Role.VIEWER, name="reader"))
    for path in (EDIT, RESET, "/catalog/accelerators/new/", "/catalog/platforms/new/", "/catalog/names/map/"):
        assert viewer.post(path, {}).status_code == 403
