"""Which spreads and formats a search looks at."""

from dataclasses import replace

import pytest

from planner.core.request import Parallelism
from planner.core.search.boards import Boards, boards_for
from planner.core.search.plans import Span, plans_for, span_of
from planner.core.search.schemes import cache_dtypes_for, is_computed, schemes_for
from planner.core.search.space import space_of
from tests.planner.core.asking import CATALOG
from tests.planner.core.search.searching import SMALL, engine, seek

LARGE = "meta-llama/Llama-3.3-70B-Instruct"


def _spreads(model, span, count, name="vllm"):
    found = plans_for(CATALOG.models[model], engine(name), span, (count,))
    return {(p.tensor, p.pipeline, p.data, p.expert) for p in found}


def test_eight_cards_on_one_fast_link_are_never_a_pipeline():
    # 64 heads and 8 KV heads divide by 1, 2, 4 and 8
    assert _spreads(LARGE, Span(8, 8), 8) == {
        (8, 1, 1, False),
        (4, 1, 2, False),
        (2, 1, 4, False),
        (1, 1, 8, False),
    }


def test_cards_without_a_fast_link_may_be_a_pipeline():
    assert _spreads(LARGE, Span(8, 1), 2) == {(2, 1, 1, False), (1, 2, 1, False), (1, 1, 2, False)}


def test_bridged_pairs_are_tensor_groups_of_a_pipeline():
    assert (2, 2, 1, False) in _spreads(LARGE, Span(8, 2), 4)


def test_a_count_that_the_model_does_not_divide_by_is_stages_or_replicas():
    # 28 heads, 4 KV heads: no tensor group of 3
    assert _spreads(SMALL, Span(8, 8), 3) == {(1, 3, 1, False), (1, 1, 3, False)}


def test_experts_are_spread_where_a_fast_link_carries_them():
    assert (8, 1, 1, True) in _spreads("deepseek-ai/DeepSeek-V3", Span(8, 8), 8)
    assert not any(expert for *_, expert in _spreads("deepseek-ai/DeepSeek-V3", Span(8, 1), 8))
    assert not any(expert for *_, expert in _spreads(LARGE, Span(8, 8), 8))


def test_an_engine_that_splits_by_layers_has_stages_and_replicas():
    assert _spreads(LARGE, Span(8, 8), 4, "llama.cpp") == {
        (1, 4, 1, False),
        (1, 2, 2, False),
        (1, 1, 4, False),
    }


def test_no_count_and_no_room_is_no_spread():
    assert plans_for(CATALOG.models[SMALL], engine("vllm"), Span(1, 1), (2,)) == ()
    assert plans_for(CATALOG.models[SMALL], engine("vllm"), Span(8, 8), ()) == ()
    assert plans_for(CATALOG.models[SMALL], engine("vllm"), Span(8, 8), (1,)) == (Parallelism(),)


@pytest.mark.parametrize(
    ("name", "most", "fast"),
    [
        ("nvidia-h100-sxm5-80gb", 8, 8),
        ("nvidia-rtx-4090", 8, 1),
        ("apple-m2-ultra", 1, 1),
        ("nvidia-jetson-agx-orin-64gb", 1, 1),
        ("nvidia-gb10-dgx-spark", 2, 1),
    ],
)
def test_how_far_cards_reach(name, most, fast):
    assert span_of(CATALOG.accelerators[name], 8) == Span(most, fast)


def _formats(model, name="vllm"):
    return [scheme.id for scheme in schemes_for(CATALOG.models[model], engine(name), CATALOG)]


def test_a_wide_checkpoint_is_offered_narrower_in_the_format_somebody_published():
    # Qwen publishes this model as AWQ itself
    assert _formats(SMALL) == ["bf16", "fp8", "int8-w8a8", "gptq-int8", "awq-int4", "nvfp4"]


def test_a_narrow_checkpoint_is_never_offered_wider():
    assert _formats("openai/gpt-oss-120b") == ["mxfp4"]
    assert _formats("openai/gpt-oss-120b", "llama.cpp") == ["gguf-mxfp4"]
    assert "bf16" not in _formats("deepseek-ai/DeepSeek-V3")


def test_a_quantized_release_comes_in_its_own_format():
    assert _formats("Qwen/Qwen2.5-7B-Instruct-AWQ") == ["awq-int4"]


@pytest.mark.parametrize(
    ("card", "computed"),
    [
        ("nvidia-a100-sxm4-80gb", {"bf16", "int8-w8a8", "awq-int4"}),
        ("nvidia-h100-sxm5-80gb", {"bf16", "fp8", "awq-int4"}),
        ("nvidia-b200-sxm", {"bf16", "fp8", "awq-int4", "nvfp4"}),
        ("amd-mi355x", {"bf16", "fp8"}),  # its table promises neither AWQ nor GPTQ on ROCm
    ],
)
def test_cards_are_offered_what_they_compute(card, computed):
    offered = {
        name
        for name in _formats(SMALL)
        if is_computed(engine("vllm"), CATALOG.schemes[name], CATALOG.accelerators[card], "bf16")
    }
    assert offered == computed


@pytest.mark.parametrize(
    ("name", "dtypes"),
    [
        ("vllm", ("auto", "fp8")),
        ("sglang", ("auto", "fp8_e4m3")),
        ("tensorrt-llm", ("auto", "fp8")),
        ("llama.cpp", ("auto", "q8_0")),
    ],
)
def test_caches_are_the_engines_own_and_its_8_bit_one(name, dtypes):
    assert cache_dtypes_for(engine(name)) == dtypes


def test_formats_that_are_asked_for_are_searched_on_every_card():
    space = space_of(seek(schemes=["nvfp4"], accelerators=["amd-mi300x"], counts=[1]), CATALOG)
    assert [scheme.id for scheme in space.schemes] == ["nvfp4"]
    assert len(space) == 2


def test_counts_beyond_what_is_allowed_are_not_searched():
    space = space_of(seek(accelerators=["nvidia-l4"], max_count=2), CATALOG)
    assert sorted(set(space.count)) == [1, 2]


@pytest.mark.parametrize(
    ("card", "counts"),
    [
        ("nvidia-h100-sxm5-80gb", {1, 2, 4, 8}),  # boards of four and eight
        ("nvidia-gb200", {1, 2, 4, 8}),  # trays of four
        ("nvidia-gh200-96gb", {1, 2, 3, 4, 5, 6, 7, 8}),  # a machine each
        ("nvidia-rtx-4090", {1, 2, 3, 4, 5, 6, 7, 8}),
        ("nvidia-h100-nvl-94gb", {1, 2, 3, 4, 5, 6, 7, 8}),  # cards, with a bridge between two
    ],
)
def test_modules_are_searched_in_the_numbers_that_machines_have(card, counts):
    assert set(space_of(seek(accelerators=[card]), CATALOG).count) == counts


def test_more_than_a_board_of_modules_is_whole_boards():
    space = space_of(seek(accelerators=["nvidia-b200-sxm"], max_count=20), CATALOG)
    assert set(space.count) == {1, 2, 4, 8, 16}


def test_the_asker_may_ask_for_numbers_that_no_machine_has():
    card = "nvidia-h100-sxm5-80gb"
    assert set(space_of(seek(accelerators=[card], counts=[3]), CATALOG).count) == {3}
    assert 3 in space_of(seek(owned={card: 3}), CATALOG).count


def _unsold(card):
    records = {**CATALOG.accelerator_records}
    records[card] = {**records[card], "on_sale": False}
    return replace(CATALOG, accelerator_records=records)


def test_what_was_never_on_sale_is_left_out_unless_it_is_meant():
    card = "nvidia-l4"
    catalog = _unsold(card)
    left_out = {
        (reason, space_of(seek(), catalog).accelerators[index].id)
        for reason, index, _ in space_of(seek(), catalog).filtered
        if reason == "not_on_sale"
    }
    assert ("not_on_sale", card) in left_out
    for meant in ({"accelerators": [card]}, {"owned": {card: 1}}, {"prices": {card: 2500.0}}):
        assert "not_on_sale" not in {
            reason
            for reason, index, _ in space_of(seek(**meant), catalog).filtered
            if space_of(seek(**meant), catalog).accelerators[index].id == card
        }


@pytest.mark.parametrize(
    ("count", "boards"),
    [
        (1, Boards(size=4, boards=1, used=1)),
        (8, Boards(size=8, boards=1, used=8)),
        (6, Boards(size=8, boards=1, used=6)),
        (12, Boards(size=8, boards=2, used=12)),
    ],
)
def test_boards_are_the_smallest_that_hold_the_modules(count, boards):
    # HGX A100 and H100 come with four and with eight
    assert boards_for(CATALOG.accelerators["nvidia-h100-sxm5-80gb"], count) == boards


def test_attention_is_copied_by_groups_only_where_an_engine_does_that():
    # TensorRT-LLM copies it on every rank of the tensor group or on none
    model, span = "deepseek-ai/DeepSeek-V3", Span(8, 8)
    assert (2, 1, 4, True) in _spreads(model, span, 8, "sglang")
    assert (1, 1, 8, True) in _spreads(model, span, 8, "tensorrt-llm")
    assert (2, 1, 4, True) not in _spreads(model, span, 8, "tensorrt-llm")


def test_engine_with_a_quantizer_of_its_own_is_offered_no_files_of_others():
    # Qwen publishes AWQ files, which TensorRT-LLM does not read
    assert "awq-int4" in _formats("Qwen/Qwen2.5-7B-Instruct", "vllm")
    found = _formats("Qwen/Qwen2.5-7B-Instruct", "tensorrt-llm")
    assert "awq-int4" not in found and "int4-g128" in found


def test_experts_are_not_offered_in_a_format_without_kernels_for_them():
    assert "int4-g128" not in _formats("deepseek-ai/DeepSeek-V3", "tensorrt-llm")
    assert "nvfp4" in _formats("deepseek-ai/DeepSeek-V3", "tensorrt-llm")
