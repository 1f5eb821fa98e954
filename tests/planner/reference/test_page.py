"""The reference sheet as a page: every model, links that open, words for every code, and no state."""

import re
from html import unescape

import pytest
from django.test import Client

from access.models import Role, User
from planner.core.recipe import recipe
from planner.core.reference import ROWS
from planner.core.reference_rules import SAYINGS
from planner.messages.reference import CLAIMS, FINDINGS, SOURCES, WHY
from planner.messages.reference import SAYINGS as WORDS
from planner.queries import shipped_catalog


@pytest.fixture
def client(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("viewer", role=Role.VIEWER))
    return client


def test_sheet_shows_every_model_and_no_style_of_its_own(client: Client) -> None:
    response = client.get("/reference/")
    assert response.status_code == 200
    html = response.content.decode()
    assert [name for _, name in ROWS if name not in html] == []
    for part in ("sheet", "sayings", "recipe"):
        assert f'id="{part}"' in html
    assert "<style" not in html
    assert " style=" not in html
    assert "{" not in re.sub(r"<[^>]*>|\s", "", html.split("<main")[1].split("</main>")[0])


def test_every_entry_opens_as_a_plan(client: Client) -> None:
    html = client.get("/reference/").content.decode()
    links = sorted(set(re.findall(r'href="(/plan/\?[^"]+)"', html)))
    assert len(links) > 60
    for link in links[::10]:
        assert client.get(unescape(link)).status_code == 200


def test_words_exist_for_every_saying_and_step() -> None:
    codes = {saying.code for saying in SAYINGS}
    assert codes == WORDS.keys() == SOURCES.keys() == WHY.keys()
    steps = {step.code for step in recipe(shipped_catalog())}
    assert steps == CLAIMS.keys() == FINDINGS.keys()


def test_recipe_says_what_holds_and_what_does_not(client: Client) -> None:
    html = unescape(client.get("/reference/").content.decode()).replace("\u00a0", " ")
    assert "every token takes 0.50 MiB: 65,536 tokens are 32.0 GiB" in html
    assert "No version of vLLM has a --kv-cache-dtype int8" in html
    assert "from 0.20.2 on int8_per_token_head" in html
