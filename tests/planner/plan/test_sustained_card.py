"""The card about long runs: its sentence, its bars and its table, from answers of the contract."""

from typing import Any

from django.template.loader import render_to_string

from planner.answers import estimates
from planner.catalog import load_shipped
from planner.plan.sustained_card import SustainedCard, sustained_card

CATALOG = load_shipped()
SMALL: dict[str, Any] = {
    "model": {"id": "Qwen/Qwen2.5-1.5B-Instruct"},
    "weights": "gguf-q4_k_m",
    "engine": {"name": "llama.cpp"},
    "settings": {"max_model_len": 1024, "max_num_seqs": 1},
    "workload": {"input_tokens": 512, "output_tokens": 256, "concurrency": 1},
}


def card(**more: Any) -> SustainedCard | None:
    return sustained_card(estimates.answer([{**SMALL, **more}], catalog=CATALOG)[0])


def test_phone_says_what_it_keeps_and_how_sure_that_is() -> None:
    found = card(accelerator="apple-a18-pro")
    assert found is not None
    assert "tokens/s per user for hours" in found.lead
    assert found.sentence.startswith("A phone heats up within a minute")
    assert found.sentence.endswith("Confidence: medium.")
    assert [pace.name for pace in found.paces] == ["First minutes", "For hours", "Held at 56 percent"]
    assert not found.shows_energy


def test_board_says_that_it_keeps_its_speed_and_lists_its_modes() -> None:
    found = card(accelerator="nvidia-jetson-agx-orin-64gb")
    assert found is not None
    assert found.lead.startswith("It keeps its")
    assert [pace.name for pace in found.paces][2:] == ["Mode 50W", "Mode 30W", "Mode 15W"]
    widths = [float(pace.width.rstrip("%")) for pace in found.paces]
    assert widths[0] == widths[1] > widths[2] > widths[3] > widths[4]


def test_packed_cards_say_what_a_cap_saves_and_costs() -> None:
    found = card(
        accelerator="nvidia-rtx-3090",
        parallelism={"data": 4},
        engine={"name": "vllm"},
        weights=None,
        settings={"max_model_len": 4096, "max_num_seqs": 8},
        workload={"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
    )
    assert found is not None
    # 245 of 350 W is 30 % less.
    assert "A cap at 245\N{NO-BREAK SPACE}W saves 30 percent of the power" in found.note
    assert found.shows_energy


def test_server_card_and_refused_request_have_no_card() -> None:
    assert card(accelerator="nvidia-h100-sxm5-80gb", engine={"name": "vllm"}, weights=None) is None
    assert card(accelerator="apple-a18-pro", settings={"max_model_len": 128}) is None
    assert card(accelerator=None) is None


def test_card_is_drawn_with_a_title_for_every_bar_and_no_inline_style() -> None:
    found = card(accelerator="raspberry-pi-5")
    assert found is not None
    html = render_to_string("planner/_sustained.html", {"card": found})
    assert html.count("<title>") == len(found.paces)
    assert "style=" not in html
    assert "How fast for hours, not minutes?" in html
    for pace in found.paces:
        assert pace.speed in html
