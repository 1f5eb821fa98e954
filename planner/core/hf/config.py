"""A model from the config.json of its repository. Reads numbers only: nothing of a repository is ever run."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from planner.core.hf.attention import cache_groups, read_layout
from planner.core.hf.counting import Parts, Widths, count_parts
from planner.core.hf.experts import read_moe, routing_layers
from planner.core.hf.families import ENCODER_DECODER_TYPES, ENCODER_ENDINGS, ENCODER_TYPES, FAMILIES, Family
from planner.core.hf.fields import MAX_NUMBER, ConfigReader, size_problem
from planner.core.hf.modules import modules_of
from planner.core.hf.quantization import read_quantization
from planner.core.outcome import Problem
from planner.core.specs import ModelSpec, Provenance

PATH = "model.config"
# Where wrappers of text, image and sound keep the text model.
TEXT_KEYS = ("text_config", "llm_config", "language_config", "thinker_config")
VISION_KEYS = ("vision_config", "vision_tower_config", "audio_config")
DTYPES = {
    "bfloat16": "bfloat16",
    "float16": "float16",
    "half": "float16",
    "float32": "float32",
    "float": "float32",
}
# Rope types whose factor vLLM and transformers multiply into the context; others already state it in full.
STRETCHING_ROPES = frozenset({"yarn", "linear", "dynamic"})
MAX_LAYERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TextModel:
    """What was found in a config: the readers of its outer and its text part, and the family."""

    outer: ConfigReader
    text: ConfigReader
    family: Family
    model_type: str
    architectures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadConfig:
    """What a config.json describes. unread: patterns of modules left unquantized that are not understood."""

    model: ModelSpec
    unread: tuple[str, ...] = ()


def model_from_config(
    config: Mapping[str, Any], *, parameters: int | None = None, weights_gib: float | None = None
) -> ModelSpec | list[Problem]:
    """The weight shape that a config.json describes, or every problem that keeps us from knowing it.

    `parameters` is the total the asker states, `weights_gib` the size on disk: both win over what is computed.
    """
    found = read_config(config, parameters=parameters, weights_gib=weights_gib)
    return found.model if isinstance(found, ReadConfig) else found


def read_config(
    config: Mapping[str, Any], *, parameters: int | None = None, weights_gib: float | None = None
) -> ReadConfig | list[Problem]:
    """The same, with what of the config was not understood."""
    too_big = size_problem(config)
    if too_big is not None:
        return [too_big]
    problems: list[Problem] = []
    found = _find_text_model(ConfigReader(config, PATH, problems))
    if found is None:
        return problems
    read = _build(found, parameters=parameters, weights_gib=weights_gib)
    return problems or read


def _find_text_model(outer: ConfigReader) -> TextModel | None:
    """The text part and its family; None with a problem where there is none that we know."""
    architectures = tuple(name for name in outer.items("architectures") if isinstance(name, str))
    text = _text_part(outer)
    if text is None:
        outer.problems.append(Problem(code="no_text_config", field=PATH, values={}))
        return None
    model_type = text.text("model_type", "") or outer.text("model_type", "")
    refused = _refused_kind(model_type, architectures)
    if refused is not None:
        outer.problems.append(
            Problem(code=refused, field=PATH, values={"found": _shown_kind(model_type, architectures)})
        )
        return None
    family = FAMILIES.get(model_type)
    if family is None:
        if not model_type and not architectures:
            outer.missing("model_type")
        else:
            values = {"found": _shown_kind(model_type, architectures), "known": ", ".join(sorted(FAMILIES))}
            outer.problems.append(
                Problem(code="architecture_unknown", field=f"{PATH}.model_type", values=values)
            )
        return None
    return TextModel(
        outer=outer, text=text, family=family, model_type=model_type, architectures=architectures
    )


def _text_part(outer: ConfigReader) -> ConfigReader | None:
    """The mapping that holds the text model's widths: a wrapper's inner config, or the config itself."""
    reader = outer
    for _ in range(2):  # omni models keep a text_config within their thinker_config
        key = next((name for name in TEXT_KEYS if isinstance(reader.config.get(name), Mapping)), None)
        if key is None:
            break
        inner = reader.mapping(key)
        if inner is None:
            return None
        reader = inner
    wraps = any(isinstance(outer.config.get(name), Mapping) for name in VISION_KEYS)
    if reader is outer and wraps and not outer.has("hidden_size"):
        return None
    return reader


def _refused_kind(model_type: str, architectures: tuple[str, ...]) -> str | None:
    if model_type in ENCODER_TYPES or any(name.endswith(ENCODER_ENDINGS) for name in architectures):
        return "encoder_only"
    return "encoder_decoder" if model_type in ENCODER_DECODER_TYPES else None


def _shown_kind(model_type: str, architectures: tuple[str, ...]) -> str:
    return (model_type or ", ".join(architectures))[:60]


def _build(
    found: TextModel, *, parameters: int | None, weights_gib: float | None
) -> ReadConfig | list[Problem]:
    text, family = found.text, found.family
    widths = read_widths(found)
    if text.problems:
        return text.problems
    layout = read_layout(text, family, layers=widths.layers, hidden=widths.hidden)
    moe = read_moe(text, family, widths=widths, layout=layout)
    if text.problems:
        return text.problems
    parts = count_parts(text, family, widths, layout, moe)
    vision = vision_params(found.outer)
    context = context_length(text)
    routing = routing_layers(text, family, layers=widths.layers, layout=layout) if moe is not None else ()
    quantization = read_quantization(
        found.outer if found.outer.has("quantization_config") else text,
        routed=moe is not None,
        layers=widths.layers,
        modules=partial(modules_of, family, widths, layout, moe, frozenset(routing)),
    )
    vision = fit_to_stated(text, parts, vision, stated=parameters)
    if text.problems:
        return text.problems
    model = ModelSpec(
        id=found.outer.text("_name_or_path", "")[:200] or f"config:{found.model_type}",
        family=found.model_type,
        architectures=found.architectures,
        dtype=read_dtype(found),
        native_weight_format=quantization.native_format,
        embedding_params=parts.embedding,
        lm_head_params=parts.lm_head,
        routed_params=parts.routed,
        linear_params=parts.linear,
        router_params=parts.router,
        other_params=parts.other,
        vision_params=vision,
        num_layers=widths.layers,
        hidden_size=widths.hidden,
        intermediate_size=widths.intermediate,
        num_attention_heads=layout.heads.query,
        num_kv_heads=layout.heads.key_value,
        head_dim=None if family.attention == "mla" else layout.heads.width,
        vocab_size=widths.vocabulary,
        tie_word_embeddings=widths.tied,
        moe=moe,
        max_position_embeddings=context,
        cache_groups=cache_groups(text, family, layout),
        modality=("text", "image") if vision else ("text",),
        weights_gib_stated=weights_gib,
        scheme=quantization.scheme,
        scheme_excludes=quantization.excludes,
        kept=quantization.kept,
        provenance=provenance(parameters=parameters, weights_gib=weights_gib, vision=vision),
    )
    return ReadConfig(model=model, unread=quantization.unread)


def read_widths(found: TextModel) -> Widths:
    """The widths that everything follows from; problems are noted on the reader."""
    text = found.text
    layers = text.required("num_hidden_layers", "n_layer", "num_layers")
    if layers > MAX_LAYERS:
        text.invalid("num_hidden_layers", layers)
    tied = text if text.has("tie_word_embeddings") else found.outer
    return Widths(
        hidden=text.required("hidden_size", "n_embd", "d_model"),
        intermediate=text.required("intermediate_size", "ffn_dim", "moe_intermediate_size"),
        vocabulary=text.required("vocab_size"),
        layers=layers,
        tied=tied.flag("tie_word_embeddings", found.family.tied),
    )


def context_length(text: ConfigReader) -> int:
    """Longest context in tokens, a stretching rope scaling included."""
    if text.has(
        "model_max_length"
    ):  # Cohere states a trained length above the table of positions; vLLM takes it too
        return text.required("model_max_length")
    longest = text.required("max_position_embeddings", "seq_length", "n_positions", "max_seq_len")
    rope = text.mapping("rope_scaling") or text.mapping("rope_parameters")
    if rope is None:
        return longest
    kind = rope.text("rope_type" if rope.has("rope_type") else "type", "")
    if kind not in STRETCHING_ROPES:
        return longest
    original = rope.integer("original_max_position_embeddings", default=longest)
    stretched = int(original * rope.number("factor", 1.0))
    if stretched > MAX_NUMBER:
        rope.invalid("factor", rope.config.get("factor"))
        return longest
    return stretched


def read_dtype(found: TextModel) -> str:
    """Number format of unquantized tensors; bfloat16 where nobody says."""
    for reader in (found.text, found.outer):
        name = reader.first("torch_dtype", "dtype")
        if reader.has(name):
            return DTYPES.get(reader.text(name, "").removeprefix("torch."), "bfloat16")
    return "bfloat16"


def vision_params(outer: ConfigReader) -> int:
    """Elements of an image encoder by the plain transformer rule, 0 where there is none. A rule of thumb."""
    tower = outer.mapping("vision_config")
    if tower is None:
        return 0
    width = tower.optional("hidden_size", "embed_dim", "width")
    layers = tower.optional("num_hidden_layers", "depth", "layers")
    if width is None or layers is None:
        return 0
    inner = tower.integer("intermediate_size", default=4 * width)
    return layers * (4 * width * width + 2 * width * inner)


def fit_to_stated(text: ConfigReader, parts: Parts, vision: int, *, stated: int | None) -> int:
    """Make the parts add up to the stated total; the difference is the encoder's, else the matrices'. Returns vision."""
    if stated is None:
        return vision
    if vision and stated > parts.total:
        return stated - parts.total
    matrices = parts.routed + parts.linear
    wanted = stated - vision - (parts.total - matrices)
    if wanted <= 0 or matrices == 0:
        values = {"found": str(stated), "computed": parts.total + vision}
        text.problems.append(Problem(code="parameters_below_fixed", field="model.parameters", values=values))
        return vision
    parts.routed = parts.routed * wanted // matrices
    parts.linear = wanted - parts.routed
    return vision


def provenance(*, parameters: int | None, weights_gib: float | None, vision: int) -> dict[str, Provenance]:
    """Where the counts come from."""
    stated = Provenance(kind="datasheet", source="stated with the request")
    counted = Provenance(kind="computed", source="counted from the widths of config.json")
    figures = {"parameters": stated if parameters is not None else counted, "shape": counted}
    if weights_gib is not None:
        figures["weights_gib"] = stated
    if vision and parameters is None:
        figures["vision"] = Provenance(
            kind="rule_of_thumb", source="plain transformer rule over vision_config"
        )
    return figures
