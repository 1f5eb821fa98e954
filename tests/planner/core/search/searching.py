"""Questions of a search against the shipped catalog."""

from typing import Any

from planner.core.engines import resolve_engine
from planner.core.request import Targets, Workload
from planner.core.search.asked import Constraints, SearchRequest
from planner.core.specs import AcceleratorSpec, EngineSpec
from tests.planner.core.asking import CATALOG

SMALL = "Qwen/Qwen2.5-7B-Instruct"


def engine(name: str) -> EngineSpec:
    """The newest version."""
    found = resolve_engine(CATALOG.engines, name, None)
    assert isinstance(found, EngineSpec)
    return found


def cards(*names: str) -> tuple[AcceleratorSpec, ...]:
    """Accelerators by id."""
    return tuple(CATALOG.accelerators[name] for name in names)


def seek(model: str = SMALL, **more: Any) -> SearchRequest:
    """A checked question; names of schemes, engines and accelerators as text, constraints by their name."""
    load = {"input_tokens": 1000, "output_tokens": 250, "concurrency": 8}
    load.update({name: more.pop(name) for name in list(more) if name in Workload.__dataclass_fields__})
    targets = {name: more.pop(name) for name in list(more) if name in Targets.__dataclass_fields__}
    limits = {name: more.pop(name) for name in list(more) if name in Constraints.__dataclass_fields__}
    return SearchRequest(
        id=more.pop("id", None),
        model=CATALOG.models[model],
        schemes=tuple(CATALOG.schemes[name] for name in more.pop("schemes", ())),
        kv_cache_dtypes=tuple(more.pop("kv_cache_dtypes", ())),
        engines=tuple(engine(name) for name in more.pop("engines", ("vllm",))),
        accelerators=cards(*more.pop("accelerators", ())),
        counts=tuple(more.pop("counts", ())),
        workload=Workload(**load),
        targets=Targets(**targets),
        constraints=Constraints(**limits),
        objective=more.pop("objective", "balanced"),
        limit=more.pop("limit", 5),
    )
