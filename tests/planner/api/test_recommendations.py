"""POST /api/v1/recommendations: ranked options that keep the contract, errors as problem JSON."""

from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.models import Role, User
from planner.schemas import PROBLEM
from planner.schemas.recommend import RECOMMENDATION, SEARCH, SEARCH_EXAMPLE

URL = "/api/v1/recommendations"
# A search of three cards is quick, and enough to see an order.
SMALL: dict[str, Any] = {
    **SEARCH_EXAMPLE,
    "accelerators": ["nvidia-l4", "nvidia-rtx-4090", "nvidia-h100-sxm5-80gb"],
    "counts": [1, 2],
    "engine": {"name": "vllm"},
    "constraints": None,
}

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("ada", role=Role.VIEWER))
    return client


def post(client: Client, body: Any, url: str = URL) -> Any:
    return client.post(url, body, content_type="application/json")


def test_recommendation_keeps_the_contract(viewer: Client) -> None:
    response = post(viewer, SMALL)
    assert response.status_code == 200
    found = response.json()
    Draft202012Validator(RECOMMENDATION).validate(found)
    assert found["id"] == "chat-7b"
    assert [option["rank"] for option in found["options"]][:3] == [1, 2, 3]
    assert found["matching"] + sum(group["count"] for group in found["excluded"]) == found["searched"]
    assert all(option["reason"]["message"] for option in found["options"])


def test_recommendation_option_is_the_estimate_of_its_request(viewer: Client) -> None:
    [best, *_others] = post(viewer, SMALL).json()["options"]
    estimated = post(viewer, best["request"], "/api/v1/estimates").json()
    assert (estimated["speed"], estimated["memory"], estimated["targets"]) == (
        best["speed"],
        best["memory"],
        best["targets"],
    )


def test_recommendation_example_keeps_the_schema_of_requests() -> None:
    Draft202012Validator(SEARCH).validate(SEARCH_EXAMPLE)
    Draft202012Validator(SEARCH).validate(SMALL)


def test_recommendation_with_impossible_targets_says_what_comes_nearest(viewer: Client) -> None:
    found = post(viewer, {**SMALL, "targets": {"tpot_ms": 0.1}}).json()
    Draft202012Validator(RECOMMENDATION).validate(found)
    assert (found["options"], found["winners"]["balanced"], found["workload_shape"]) == ([], None, None)
    assert found["nearest"][0]["misses"][0]["limit"] == 0.1
    assert found["excluded"][0]["message"]


def test_recommendation_says_everything_in_words(viewer: Client) -> None:
    owned = {"nvidia-l4": 1, "nvidia-p100-pcie-16gb": 2, "amd-mi300x": 1, "nvidia-rtx-4090": 2}
    for objective in ("balanced", "lowest_cost", "lowest_tpot", "highest_throughput", "lowest_power"):
        asked = {
            **SMALL,
            "accelerators": None,
            "engine": None,
            "objective": objective,
            "constraints": {"owned": owned, "ecc": True, "power_w": 300},
        }
        found = post(viewer, asked).json()
        Draft202012Validator(RECOMMENDATION).validate(found)
        said = [option["reason"]["message"] for option in found["options"]]
        said += [item["message"] for item in (*found["excluded"], *found["reasons"], *found["nearest"])]
        said += [part["message"] for group in found["excluded"] for part in group["details"]]
        # a code without words would show as itself, a value that is missing as a question mark
        assert [
            text for text in said if "_" in text.replace("max_model_len", "") or "?" in text or "None" in text
        ] == []


def test_recommendation_with_prices_names_the_cheapest(viewer: Client) -> None:
    prices = {"nvidia-l4": 2500, "nvidia-rtx-4090": 2000}
    asked = {**SMALL, "constraints": {"prices": prices, "currency": "USD", "budget": 2100}}
    found = post(viewer, asked).json()
    Draft202012Validator(RECOMMENDATION).validate(found)
    cheapest = next(option for option in found["options"] if option["rank"] == found["winners"]["cheapest"])
    # the one card that two thousand buys
    assert (cheapest["accelerator"], cheapest["count"]) == ("nvidia-rtx-4090", 1)
    assert (cheapest["cost"]["purchase"], cheapest["cost"]["currency"]) == (2000, "USD")
    assert cheapest["cost"]["price"]["kind"] == "given"
    bill = cheapest["bill_of_materials"][0]
    assert (bill["quantity"], bill["unit_price"], bill["currency"], bill["total"]) == (1, 2000, "USD", 2000)
    assert "over_budget" in {group["reason"] for group in found["excluded"]}


def test_recommendation_of_a_pasted_config_gives_requests_that_can_be_asked(viewer: Client) -> None:
    config = {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": 1536,
        "intermediate_size": 8960,
        "num_hidden_layers": 28,
        "num_attention_heads": 12,
        "num_key_value_heads": 2,
        "vocab_size": 151936,
        "max_position_embeddings": 32768,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
    }
    [best, *_others] = post(viewer, {**SMALL, "model": {"config": config}}).json()["options"]
    assert best["request"]["model"] == {"config": config}
    assert post(viewer, best["request"], "/api/v1/estimates").json()["speed"] == best["speed"]


def test_recommendation_of_a_list_keeps_order_and_answers_round_a_bad_one(viewer: Client) -> None:
    first, bad, last = post(viewer, [SMALL, {"id": "bad"}, {**SMALL, "id": "c"}]).json()
    assert (first["id"], bad["id"], last["id"]) == ("chat-7b", "bad", "c")
    Draft202012Validator(PROBLEM).validate(bad)
    assert first["options"] == last["options"]  # the same question has the same answer


def test_recommendation_that_is_wrong_is_problem_json_with_its_fields(viewer: Client) -> None:
    response = post(viewer, {**SMALL, "accelerators": ["rtx-9999"], "objective": "best"})
    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")
    assert [(item["field"], item["code"]) for item in response.json()["errors"]] == [
        ("accelerators[0]", "unknown_accelerator"),
        ("objective", "unknown_choice"),
    ]


def test_recommendation_that_asks_for_too_much_is_refused_before_the_work(viewer: Client) -> None:
    wide = {
        "model": SMALL["model"],
        "workload": SMALL["workload"],
        "engines": [{"name": "vllm", "version": f"0.{minor}.0"} for minor in range(10, 18)],
        "weights": ["bf16", "fp8", "awq-int4", "gptq-int4", "int8-w8a8"],
        "constraints": {"max_count": 64},
    }
    response = post(viewer, wide)
    assert response.status_code == 422
    assert [item["code"] for item in response.json()["errors"]] == ["too_many_candidates"]


def test_recommendation_list_is_bounded(viewer: Client, settings: Any) -> None:
    settings.RECOMMENDATIONS_PER_CALL = 2
    assert post(viewer, [SMALL] * 3).json()["errors"][0]["code"] == "batch_too_long"
    assert post(viewer, []).json()["errors"][0]["code"] == "batch_empty"


def test_nobody_gets_no_recommendation() -> None:
    assert post(Client(), SMALL).status_code == 401
