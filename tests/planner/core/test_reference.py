"""The reference sheet against sums by hand, the sayings, and the recipe."""

import math

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import estimate
from planner.core.recipe import recipe
from planner.core.reference import CARDS, LOADS, ROWS, SheetRow, sheet
from planner.core.reference_rules import Checked, checked
from planner.core.specs import Catalog

CATALOG = load_shipped()
GIB = 1 << 30


@pytest.fixture(scope="module")
def rows() -> dict[str, SheetRow]:
    return {row.model.id: row for row in sheet(CATALOG)}


@pytest.fixture(scope="module")
def sayings() -> dict[str, Checked]:
    return {item.saying.code: item for item in checked(CATALOG)}


def test_catalog_has_every_row_and_card() -> None:
    assert {name for _, name in ROWS} <= CATALOG.models.keys()
    assert set(CARDS) <= CATALOG.accelerators.keys()


def test_weights_and_cache_are_those_of_the_shape(rows: dict[str, SheetRow]) -> None:
    llama = rows["meta-llama/Llama-3.3-70B-Instruct"]
    widest = llama.precisions[0]
    # 70,553,706,496 parameters × 2 bytes, as its publisher counts them
    assert widest.weights_gib == pytest.approx(70_553_706_496 * 2 / GIB, rel=2e-3)
    # 80 layers × 2 × 8 KV heads × 128 × 2 bytes × 1,000 tokens
    assert widest.kv_gib_per_1k_tokens == pytest.approx(80 * 2 * 8 * 128 * 2 * 1000 / GIB)
    assert [item.scheme.id for item in llama.precisions] == ["bf16", "fp8", "int4-g128"]
    assert [item.published for item in llama.precisions] == [True, False, False]


def test_a_model_published_in_four_bits_is_not_widened(rows: dict[str, SheetRow]) -> None:
    assert [item.scheme.id for item in rows["openai/gpt-oss-120b"].precisions] == ["mxfp4"]


def test_context_beyond_the_model_has_no_set_up(rows: dict[str, SheetRow]) -> None:
    old = rows["meta-llama/Llama-2-7b-hf"]
    # max_position_embeddings 4096
    assert old.beyond == (False, False, True)
    assert {item.smallest[2] for item in old.precisions} == {None}


def test_every_set_up_holds_its_load_when_asked_as_an_estimate(rows: dict[str, SheetRow]) -> None:
    for row in rows.values():
        for item in row.precisions:
            for load, *held in zip(LOADS, item.smallest, item.fewest_cards, strict=True):
                for one in [found for found in held if found is not None]:
                    (answer,) = estimate([one.request], CATALOG)
                    room = answer["memory"]["max_concurrency"] * one.request.parallelism.data
                    assert answer["verdict"] == "fits"
                    assert room >= load.users - 0.01


def test_smaller_loads_and_narrower_weights_never_take_more(rows: dict[str, SheetRow]) -> None:
    for row in rows.values():
        for item in row.precisions:
            first, second = item.smallest[:2]
            assert first is not None
            assert second is None or first.total_gib <= second.total_gib
        for wide, narrow in zip(row.precisions, row.precisions[1:], strict=False):
            for held, less in zip(wide.smallest, narrow.smallest, strict=True):
                assert held is None or (less is not None and less.total_gib <= held.total_gib)


def test_seven_billion_in_16_bits_do_not_start_on_16_gb(sayings: dict[str, Checked]) -> None:
    found = sayings["two_bytes_per_parameter"]
    # 7.6 B × 2 bytes are 14.2 GiB of a card that shows 15.6
    assert found.weights_gib == pytest.approx(14.19, abs=0.02)
    assert found.holds == (False, False, False)
    assert found.short_gib > 0


def test_seventy_billion_in_four_bits_hold_one_user_on_48_gb(sayings: dict[str, Checked]) -> None:
    found = sayings["seventy_on_48"]
    assert found.holds == (True, False, False)
    # 80 layers × 2 × 8 × 128 × 2 bytes × 4,096 tokens
    assert found.kv_per_context_gib == pytest.approx(1.25)
    assert found.contexts[1] == pytest.approx(found.left_gib / 1.25, abs=0.01)


def test_a_mixture_does_not_fit_by_its_active_parameters(sayings: dict[str, Checked]) -> None:
    found = sayings["active_parameters_only"]
    # 30.5 B parameters at a good half byte
    assert 15 < found.weights_gib < 17
    assert math.isnan(found.contexts[0])


def test_recipe_is_reckoned_from_its_shape() -> None:
    steps = {step.code: step for step in recipe(CATALOG) if step.code != "recipe_cache_8_bit"}
    weights = steps["recipe_weights"].values
    # 2 × 32,000 × 4,096 × 2 bytes of embedding and head
    assert weights["wide_gib"] == pytest.approx(2 * 32_000 * 4096 * 2 / GIB)
    assert 3.5 < weights["weights_gib"] < 3.9
    cache = steps["recipe_cache_16_bit"]
    # 32 layers × 2 × 32 heads × 128 × 2 bytes, and 16 × 4,096 of them
    assert cache.values["per_token_mib"] == 0.5
    assert cache.values["needed_gib"] == 32
    assert cache.holds is False
    spelling = steps["recipe_int8"]
    assert (spelling.holds, spelling.values["verdict"], spelling.values["since"]) == (
        False,
        "unsupported",
        "0.20.2",
    )
    # (1,024 + 256 / 2) tokens × 16 × 0.5 MiB
    assert steps["recipe_real_lengths"].values["needed_gib"] == 9
    assert steps["recipe_real_lengths"].holds is True
    # 28 layers × 2 × 4 KV heads × 128 × 2 bytes
    assert steps["recipe_grouped_heads"].values["per_token_kib"] == 56
    assert steps["recipe_grouped_heads"].holds is True


def test_recipe_fits_with_eight_bits_by_a_small_margin() -> None:
    found = {step.values["dtype"]: step for step in recipe(CATALOG) if step.code == "recipe_cache_8_bit"}
    assert found["fp8"].values["needed_gib"] == 16
    # one scale of 4 bytes for K and one for V beside 2 × 128 bytes: 264 / 256 of it
    assert found["int8_per_token_head"].values["needed_gib"] == 16.5
    assert all(step.holds and 0 < step.values["left_gib"] < 2 for step in found.values())


def test_recipe_of_a_catalog_without_its_model_is_empty() -> None:
    bare = Catalog(
        hash="bare",
        accelerators=CATALOG.accelerators,
        accelerator_names={},
        models={},
        schemes=CATALOG.schemes,
        engines=CATALOG.engines,
        links=CATALOG.links,
    )
    assert recipe(bare) == []
    assert sheet(bare) == []
    assert checked(bare) == []
