"""Reported names: tried, mapped, changed, removed and put back."""

import pytest
from django.test import Client

from access.models import User
from planner.actions.entries import map_accelerator
from planner.models import Accelerator, AcceleratorMapping
from tests.planner.browse.small import CARD
from tests.planner.browse.test_lists import text_of

pytestmark = pytest.mark.usefixtures("catalog")


def tried(client: Client, name: str, mib: str = "") -> str:
    return text_of(client.get("/catalog/names/", {"name": name, "mib": mib}))


@pytest.mark.parametrize(
    ("name", "mib", "expected"),
    [
        ("NVIDIA L4", "", "L4 : A name that this part alone prints."),
        ("NVIDIA  GeForce RTX 4090", "24564", "GeForce RTX 4090 : A name that this part alone prints."),
        ("NVIDIA GeForce RTX 4090", "49140", "The memory is not what this part is known to print"),
        ("NVIDIA A10-24Q", "", "This is a slice of a virtualised card."),
        ("NVIDIA Whatever", "", "Nothing in the catalog has this name."),
        ("NVIDIA L4", "lots", "The memory is no number of MiB and was left out."),
    ],
)
def test_name_is_tried_as_a_machine_would_report_it(
    viewer: Client, name: str, mib: str, expected: str
) -> None:
    assert expected in tried(viewer, name, mib)


def mapped(client: Client, name: str, card: str, revision: str = "0") -> int:
    data = {"reported": name, "accelerator": card, "revision": revision}
    return client.post("/catalog/names/map/", data).status_code


def test_mapping_is_said_changed_and_felt(browser_of_operator: Client) -> None:
    assert mapped(browser_of_operator, "Secret  Board", CARD) == 302
    assert "L4 : By the team's own word below." in tried(browser_of_operator, "Secret Board")
    assert mapped(browser_of_operator, "Secret Board", "amd-mi300x", "1") == 302
    assert AcceleratorMapping.objects.get().accelerator.key == "amd-mi300x"


def test_name_that_the_catalog_knows_is_refused(browser_of_operator: Client) -> None:
    data = {"reported": "NVIDIA L4", "accelerator": "amd-mi300x", "revision": "0"}
    response = browser_of_operator.post("/catalog/names/map/", data)
    assert response.status_code == 422
    assert "The catalog knows this name already: it is L4, and that counts first." in text_of(response)


def test_card_that_is_not_there_is_refused_with_what_was_meant(browser_of_operator: Client) -> None:
    data = {"reported": "Secret Board", "accelerator": "nvidia-l5", "revision": "0"}
    response = browser_of_operator.post("/catalog/names/map/", data)
    assert "Did you mean nvidia-l4?" in text_of(response)
    assert 'value="Secret Board"' in response.content.decode()


def test_second_mapper_is_told_and_loses_nothing(browser_of_operator: Client, operator: User) -> None:
    map_accelerator("Secret Board", Accelerator.objects.get(key="amd-mi300x"), actor=operator)
    data = {"reported": "Secret Board", "accelerator": CARD, "revision": "0"}
    response = browser_of_operator.post("/catalog/names/map/", data)
    assert response.status_code == 409
    assert "Somebody else said meanwhile that it is Instinct MI300X." in text_of(response)
    assert mapped(browser_of_operator, "Secret Board", CARD, "1") == 302


def test_removed_mapping_can_be_put_back(browser_of_operator: Client, operator: User) -> None:
    mapping = map_accelerator("Secret Board", Accelerator.objects.get(key=CARD), actor=operator)
    response = browser_of_operator.post(
        f"/catalog/names/{mapping.pk}/remove/", {"revision": "1"}, follow=True
    )
    assert not AcceleratorMapping.objects.exists()
    content = response.content.decode()
    assert 'name="accelerator" list="cards" value="nvidia-l4"' in content
    assert 'name="reported" value="Secret Board"' in content


def test_mapping_is_not_removed_from_an_older_revision(browser_of_operator: Client, operator: User) -> None:
    mapping = map_accelerator("Secret Board", Accelerator.objects.get(key=CARD), actor=operator)
    browser_of_operator.post(f"/catalog/names/{mapping.pk}/remove/", {"revision": "7"})
    assert AcceleratorMapping.objects.exists()
