"""The reference sheet: well-known sizes × precision, what they weigh, and the smallest set-ups that hold a load."""

from collections.abc import Sequence
from dataclasses import dataclass

from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.engines import resolve_engine
from planner.core.estimate import evaluate
from planner.core.owned import parameters_of
from planner.core.request import EstimateRequest, Parallelism, Settings, Workload
from planner.core.search.plans import plans_for, span_of
from planner.core.search.schemes import int4_name, schemes_for
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec, ModelSpec, Scheme
from planner.core.weights import published_scheme_id

ENGINE = "vllm"
# Sizes that people ask for, dense ones by their usual name and mixtures by model; left out where a catalog lacks them.
ROWS = (
    ("7B", "meta-llama/Llama-2-7b-hf"),
    ("7B", "Qwen/Qwen2.5-7B-Instruct"),
    ("8B", "meta-llama/Llama-3.1-8B-Instruct"),
    ("13B", "meta-llama/Llama-2-13b-hf"),
    ("14B", "Qwen/Qwen3-14B"),
    ("32B", "Qwen/Qwen3-32B"),
    ("70B", "meta-llama/Llama-3.3-70B-Instruct"),
    ("MoE", "openai/gpt-oss-20b"),
    ("MoE", "Qwen/Qwen3-30B-A3B"),
    ("MoE", "zai-org/GLM-4.5-Air"),
    ("MoE", "meta-llama/Llama-4-Scout-17B-16E-Instruct"),
    ("MoE", "openai/gpt-oss-120b"),
    ("MoE", "Qwen/Qwen3-235B-A22B"),
    ("MoE", "deepseek-ai/DeepSeek-R1"),
)
# One card of each size that is bought today, and how many of them stand in one machine.
CARDS = (
    "nvidia-rtx-4060-ti-16gb",
    "nvidia-rtx-4090",
    "nvidia-rtx-5090",
    "nvidia-l40s",
    "nvidia-h100-sxm5-80gb",
    "nvidia-rtx-pro-6000-blackwell-server",
    "nvidia-h200-sxm5-141gb",
    "amd-mi300x",
    "nvidia-b200-sxm",
)
COUNTS = (1, 2, 4, 8)
OUTPUT_SHARE = 4  # a quarter of a full context is answer, for the speed beside it


@dataclass(frozen=True, slots=True)
class Load:
    """Users that each hold a full context at the same time."""

    users: int
    context: int


LOADS = (Load(1, 4096), Load(16, 4096), Load(16, 32_768))
SPEED_OF = 1  # the load whose set-up the speed is told of


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A set-up that holds a load. GiB of all its cards together; tpot in ms with its 80 % interval, NaN: not known."""

    request: EstimateRequest
    total_gib: float
    tpot_ms: float
    tpot_low_ms: float
    tpot_high_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """One precision of one model, on one card for weights and cache. `smallest`: per load, None where nothing holds it."""

    scheme: Scheme
    published: bool
    weights_gib: float
    kv_gib_per_1k_tokens: float
    smallest: tuple[Held | None, ...]
    fewest_cards: tuple[Held | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """One model. `beyond`: per load, whether its context is longer than the model's limit."""

    label: str
    model: ModelSpec
    parameters: float
    beyond: tuple[bool, ...]
    precisions: tuple[Precision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    """A candidate set-up for one load of one precision."""

    load: int
    request: EstimateRequest
    total_gib: float


def sheet(catalog: Catalog) -> list[SheetRow]:
    """All rows. A second or so for the shipped catalog: remember it."""
    known = [(label, catalog.models[name]) for label, name in ROWS if name in catalog.models]
    return [sheet_row(label, model, catalog) for label, model in known]


def sheet_row(label: str, model: ModelSpec, catalog: Catalog) -> SheetRow:
    """One row, of any model; some 40 ms."""
    engine = resolve_engine(catalog.engines, ENGINE, None)
    assert isinstance(engine, EngineSpec)  # the newest version of a table is always known
    cards = [catalog.accelerators[name] for name in CARDS if name in catalog.accelerators]
    return SheetRow(
        label=label,
        model=model,
        parameters=parameters_of(model),
        beyond=tuple(load.context > model.max_position_embeddings for load in LOADS),
        precisions=tuple(
            _precision(model, scheme, engine, cards, catalog)
            for scheme in _precisions(model, engine, catalog)
        ),
    )


def _precisions(model: ModelSpec, engine: EngineSpec, catalog: Catalog) -> list[Scheme]:
    """As published, 8 bits and 4 bits, the widest first and none twice."""
    wanted = {published_scheme_id(model), "fp8", int4_name(model, engine)}
    found = [scheme for scheme in schemes_for(model, engine, catalog) if scheme.id in wanted]
    return sorted(found, key=lambda scheme: -scheme.bytes_per_weight)


def _precision(
    model: ModelSpec,
    scheme: Scheme,
    engine: EngineSpec,
    cards: Sequence[AcceleratorSpec],
    catalog: Catalog,
) -> Precision:
    bare = asked(model, scheme, engine, card=None, plan=Parallelism(), load=LOADS[0])
    _, alone, _ = evaluate([bare], catalog)
    tries = [
        item
        for index, load in enumerate(LOADS)
        if load.context <= model.max_position_embeddings
        for item in _tries(bare, index, load, cards, at_least_gib=float(alone.weights_gib[0]))
    ]
    _, memory, speed = evaluate([item.request for item in tries], catalog)
    held = [
        (item, row) for row, item in enumerate(tries) if holds(memory, row, item.request, LOADS[item.load])
    ]
    return Precision(
        scheme=scheme,
        published=scheme.id == published_scheme_id(model),
        weights_gib=float(alone.weights_gib[0]),
        kv_gib_per_1k_tokens=float(alone.kv_bytes_per_token[0]) * 1000 / (1 << 30),
        smallest=tuple(_first(held, load, speed, by_cards=False) for load in range(len(LOADS))),
        fewest_cards=tuple(_first(held, load, speed, by_cards=True) for load in range(len(LOADS))),
    )


def _tries(
    bare: EstimateRequest, index: int, load: Load, cards: Sequence[AcceleratorSpec], *, at_least_gib: float
) -> list[_Try]:
    """Every card and count whose memory is not below the weights alone, spread in each way that makes sense."""
    found: list[_Try] = []
    for card in cards:
        for count in COUNTS:
            total = count * (card.memory_gib or 0.0)
            if total > at_least_gib:
                plans = plans_for(bare.model, bare.engine, span_of(card, count), (count,))
                found += [
                    _Try(
                        load=index,
                        request=asked(bare.model, bare.scheme, bare.engine, card=card, plan=plan, load=load),
                        total_gib=total,
                    )
                    for plan in plans
                ]
    return found


def _first(held: Sequence[tuple[_Try, int]], load: int, speed: SpeedBatch, *, by_cards: bool) -> Held | None:
    """The set-up with least memory, or with fewest cards; of its spreads the fastest."""

    def order(item: tuple[_Try, int]) -> tuple[float | str, ...]:
        trying, row = item
        count, card = trying.request.count, trying.request.accelerator
        size = (count, trying.total_gib) if by_cards else (trying.total_gib, count)
        return (*size, card.id if card else "", float(speed.tpot_ms[row]))

    own = [item for item in held if item[0].load == load]
    if not own:
        return None
    trying, row = min(own, key=order)
    return Held(
        request=trying.request,
        total_gib=trying.total_gib,
        tpot_ms=float(speed.tpot_ms[row]),
        tpot_low_ms=float(speed.tpot_low_ms[row]),
        tpot_high_ms=float(speed.tpot_high_ms[row]),
    )


def asked(
    model: ModelSpec,
    scheme: Scheme,
    engine: EngineSpec,
    *,
    card: AcceleratorSpec | None,
    plan: Parallelism,
    load: Load,
) -> EstimateRequest:
    """The estimate of one set-up for one load, a slot for each user."""
    output = load.context // OUTPUT_SHARE
    return EstimateRequest(
        id=None,
        model=model,
        scheme=scheme,
        scheme_as_published=scheme.id == published_scheme_id(model),
        kv_cache_dtype="auto",
        accelerator=card,
        count=plan.tensor * plan.pipeline * plan.data,
        parallelism=plan,
        link=None if card is None else card.link or card.pcie,
        engine=engine,
        settings=Settings(max_model_len=load.context, max_num_seqs=-(-load.users // plan.data)),
        workload=Workload(input_tokens=load.context - output, output_tokens=output, concurrency=load.users),
    )


def holds(memory: MemoryBatch, row: int, request: EstimateRequest, load: Load) -> bool:
    """Whether a set-up starts and keeps a full context for every user at the same time."""
    room = float(memory.max_concurrency[row]) * request.parallelism.data
    return memory.verdicts[row] == "fits" and room >= load.users * (1 - 1e-6)
