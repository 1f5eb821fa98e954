"""How long a search over the whole catalog takes: one engine and all four, for a small, a large and a very large model.

cold: the model was never asked about in this process, accelerators were; warm: it was. CPU time of one core, median;
answers with 10 full estimates, and the share of them.
"""

import statistics
import time
from collections.abc import Callable, Sequence

from planner.catalog import load_shipped
from planner.core import layout, weights, work
from planner.core.engines import resolve_engine
from planner.core.request import Targets, Workload
from planner.core.search import recommend
from planner.core.search.asked import Constraints, SearchRequest
from planner.core.search.figures import figures_of
from planner.core.search.space import space_of
from planner.core.specs import Catalog, EngineSpec

MODELS = {
    "7B dense": "Qwen/Qwen2.5-7B-Instruct",
    "70B dense": "meta-llama/Llama-3.3-70B-Instruct",
    "671B of experts": "deepseek-ai/DeepSeek-V3",
}
ROUNDS = 11


def question(model: str, engines: Sequence[str], catalog: Catalog, *, rate: float | None) -> SearchRequest:
    """A chat service, with users at the same time or with a rate of requests."""
    found = [resolve_engine(catalog.engines, name, None) for name in engines]
    return SearchRequest(
        id=None,
        model=catalog.models[model],
        schemes=(),
        kv_cache_dtypes=(),
        engines=tuple(one for one in found if isinstance(one, EngineSpec)),
        accelerators=(),
        counts=(),
        workload=Workload(input_tokens=1500, output_tokens=300, concurrency=16, requests_per_s=rate),
        targets=Targets(tpot_ms=50.0, ttft_ms=2000.0),
        constraints=Constraints(),
        objective="balanced",
        limit=10,
    )


def forget_models() -> None:
    """Drop everything that is remembered of models."""
    layout.forget()
    weights.part_bytes.cache_clear()
    work.model_work.cache_clear()


def median_ms(call: Callable[[], object], before: Callable[[], None] | None = None) -> float:
    """Median CPU time of a call in ms; `before` each of them is not counted."""
    times = []
    for _ in range(ROUNDS):
        if before is not None:
            before()
        start = time.process_time()
        call()
        times.append((time.process_time() - start) * 1e3)
    return statistics.median(times)


def main() -> None:
    """Print one line per model and choice of engines."""
    catalog = load_shipped()
    every = sorted(catalog.engines)
    for name, model in MODELS.items():
        for label, engines, rate in (
            ("vLLM", ["vllm"], None),
            ("four engines", every, None),
            ("vLLM, requests per day", ["vllm"], 1.0),
        ):
            asked = question(model, engines, catalog, rate=rate)
            searched = recommend(asked, catalog)["searched"]
            cold = median_ms(lambda: recommend(asked, catalog), forget_models)  # noqa: B023
            warm = median_ms(lambda: recommend(asked, catalog))  # noqa: B023
            figures = median_ms(lambda: figures_of(asked, space_of(asked, catalog), catalog))  # noqa: B023
            print(
                f"{name:16s} {label:24s} {searched:7,d} candidates   cold {cold:6.1f} ms   warm {warm:6.1f} ms   "
                f"of it space and figures {figures:6.1f} ms"
            )


if __name__ == "__main__":
    main()
