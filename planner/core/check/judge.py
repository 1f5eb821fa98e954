"""A launch command judged: would this engine version accept and start it, and what would mend it.

Nothing is executed. Codes and values only; words are put beside them outside.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.core.check import fit
from planner.core.check.amounts import Amounts, amounts
from planner.core.check.arguments import read_arguments
from planner.core.check.around import around_findings, flags_before_image, free_word_is_model
from planner.core.check.conflicts import conflict_findings
from planner.core.check.conflicts_other import other_conflicts
from planner.core.check.explained import engine_of, explained
from planner.core.check.found import Edit, Finding, mended, without_repeats
from planner.core.check.image import opened
from planner.core.check.launch import Launch, digits_of
from planner.core.check.names import CardName, ModelName, card_name, model_name
from planner.core.check.program import Program
from planner.core.check.typed import typed_text
from planner.core.check.unknown import as_meant
from planner.core.check.values import flag_findings
from planner.core.check.weights_asked import (
    bitsandbytes_findings,
    card_findings,
    checkpoint_findings,
    idle_cards,
)
from planner.core.check.words import Script, read_script
from planner.core.check.written import read_written
from planner.core.estimate import estimate
from planner.core.launch.lookup import standing
from planner.core.launch.tables import hosts, table
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog

VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")
ROUNDS = 4
MOST_PROBLEMS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A command and what its asker says beside it; what the command itself says wins."""

    id: str | None
    command: str
    engine: str | None = None
    version: str | None = None
    model: str | None = None
    accelerator: str | None = None
    count: int | None = None
    ports_in_use: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    text: str
    findings: tuple[Finding, ...]
    editable: bool
    launch: Launch | None = None
    read: Mapping[str, Any] | None = None
    answer: Mapping[str, Any] | None = None

    @property
    def errors(self) -> list[Finding]:
        return [item for item in self.findings if item.severity == "error"]


def check(asked: Asked, catalog: Catalog) -> dict[str, Any]:
    """The answer of the contract, with codes and values in the place of messages."""
    judged = _judge(asked, catalog)
    launch = judged.launch
    return {
        "id": asked.id,
        "valid": not judged.errors,
        "problems": [_problem(item, launch) for item in judged.findings[:MOST_PROBLEMS]],
        "mended_command": _mended(asked, judged, catalog) if judged.errors else None,
        "engine": engine_of(launch),
        "flags": explained(launch) if launch is not None else [],
        "read": judged.read,
        "estimate": judged.answer,
    }


def _problem(item: Finding, launch: Launch | None) -> dict[str, Any]:
    given = launch.arguments.given if launch is not None else ()
    return {
        "code": item.code,
        "severity": item.severity,
        "flag": item.flag,
        "name": next((one.name for one in given if one.typed == item.flag), None),
        "values": dict(item.values),
        "fix": item.fix,
    }


def _mended(asked: Asked, judged: _Judged, catalog: Catalog) -> str | None:
    """The command with every error mended, once it is judged valid itself; None where a person must decide."""
    for _ in range(ROUNDS):
        if not judged.editable or any(not item.edits and item.fix is None for item in judged.errors):
            return None
        text = mended(judged.text, judged.errors)
        if text == judged.text and not _was_typed_wrong(judged):
            return None
        judged = _judge(replace(asked, command=text), catalog)
        if not judged.errors:
            return judged.text
    return None


def _was_typed_wrong(judged: _Judged) -> bool:
    """Quotes, dashes and blanks are mended while reading: the text differs from the pasted one already."""
    return any(item.code.startswith(("typographic", "blank_after")) for item in judged.errors)


def _judge(asked: Asked, catalog: Catalog) -> _Judged:
    text, findings = typed_text(asked.command)
    program, kind = read_written(text)
    wanted = {"engine": asked.engine, "version": asked.version}
    script = Script(text=text, commands=())
    program = opened(program, script, hosts(catalog.flags), wanted)
    found = [*findings, *program.findings]
    if program.engine is None and asked.engine is not None and program.container is None:
        program, found = _flags_only(program, asked.engine, text, found)
    if program.engine is None or program.engine not in catalog.flags:
        return _Judged(text=text, findings=tuple(without_repeats(found)), editable=program.editable)
    same = asked.engine in (None, program.engine)
    version = program.version or (asked.version if same else None)
    launch = _launch(program.engine, replace(program, version=version), text, kind, catalog)
    return _judge_launch(launch, asked, catalog, found)


def _flags_only(
    program: Program, engine: str, text: str, found: list[Finding]
) -> tuple[Program, list[Finding]]:
    """Text that begins with a flag or a model, from an asker who named the engine."""
    commands = read_script(text).commands
    first = commands[0].words[0].text if commands and commands[0].words else ""
    if not first.startswith("-"):
        return program, found
    rest = [item for item in found if item.code != "no_engine_found"]
    return replace(
        program, engine=engine, form="console", arguments=commands[0].words, env=commands[0].env
    ), rest


def _launch(engine: str, program: Program, text: str, kind: str, catalog: Catalog) -> Launch:
    flags = table(catalog.flags, engine)
    version = program.version
    at = standing(flags, version)
    if at.kind == "unreadable":
        version, at = None, standing(flags, None)
    arguments = read_arguments(
        program.arguments,
        table=flags,
        version=version,
        text=text,
        model_is_free_word=engine == "tensorrt-llm" or (engine == "vllm" and program.form == "console"),
    )
    launch = Launch(
        text=text,
        kind=kind,
        program=program,
        engine=engine,
        version=version,
        table=flags,
        flags=catalog.flags,
        standing=at,
        arguments=arguments,
        model=None,
    )
    return _with_model(launch)


def _with_model(launch: Launch) -> Launch:
    if launch.arguments.positionals and free_word_is_model(launch):
        word = launch.arguments.positionals[0]
        known = None if word.variable or word.placeholder else word.text
        return replace(launch, model=known)
    given = launch.of("model")
    if given is None:
        return launch
    return replace(launch, model=given.value, model_flag=given.typed)


def _judge_launch(typed: Launch, asked: Asked, catalog: Catalog, found: list[Finding]) -> _Judged:
    flags = list(flag_findings(typed))
    launch = _with_model(as_meant(typed, flags))
    model = model_name(catalog, launch.model, asked.model)
    read = amounts(launch, model, catalog)
    container = launch.program.container
    misplaced = list(flags_before_image(launch, container)) if container is not None else []
    found = [
        item
        for item in found
        if item.code != "docker_option_unknown" or item.flag not in {one.flag for one in misplaced}
    ]
    card = card_name(catalog, asked.accelerator) if asked.accelerator else CardName(ids=())
    count = _count(launch, asked, card)
    spec = catalog.models.get(model.id or "")
    findings = [
        *found,
        *launch.arguments.findings,
        *_placeholders(launch),
        *_version_findings(launch, asked),
        *flags,
        *(conflict_findings(launch, spec) if launch.engine == "vllm" else other_conflicts(launch)),
        *around_findings(launch, asked.ports_in_use),
        *_model_findings(launch, model),
        *checkpoint_findings(launch, model.id, catalog),
        *(bitsandbytes_findings(launch, model.id, catalog) if launch.engine == "vllm" else ()),
        *read.notes,
    ]
    plain = fit.parsed_of(read, catalog, None)
    findings.extend(fit.too_many_ranks(launch, read, plain, count))
    request, answer, more = _on_card(launch, read, card, asked=asked, count=count, catalog=catalog)
    findings.extend(_not_hidden(more, findings, launch))
    findings.extend(fit.risks(launch, plain))
    findings.extend(idle_cards(launch, read, count))
    shown = {
        **read.request,
        "id": asked.id,
        "accelerator": request.accelerator.id if request and request.accelerator else None,
    }
    return _Judged(
        text=launch.text,
        findings=tuple(without_repeats(_said_once(findings))),
        editable=launch.program.editable,
        launch=typed,
        read=shown if read.request["model"] is not None else None,
        answer=answer,
    )


def _not_hidden(more: Sequence[Finding], findings: Sequence[Finding], launch: Launch) -> list[Finding]:
    """What the estimate refuses, without what a wrong value of a flag explains already."""
    wrong = {item.flag for item in findings if item.severity == "error"}
    hidden: set[str] = set()
    if wrong & {launch.typed("weight_quantization"), launch.typed("load_format")} - {""}:
        hidden |= {"scheme_not_in_engine", "scheme_not_on_card"}
    if launch.typed("kv_dtype") in wrong:
        hidden |= {"kv_cache_dtype_not_in_engine", "kv_cache_dtype_not_on_card"}
    return [item for item in more if item.code not in hidden]


def _said_once(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Of errors about the same flag only the first: what the parser refuses hides what comes later."""
    seen: set[str] = set()
    for item in findings:
        flag = item.flag or ""
        if item.severity == "error" and flag:
            if flag in seen:
                continue
            seen.add(flag)
        yield item


def _placeholders(launch: Launch) -> Iterator[Finding]:
    words = (*launch.program.arguments, *launch.arguments.positionals)
    for word in {word.start: word for word in words if word.placeholder}.values():
        yield Finding(code="placeholder_left", flag=word.text[:60])


def _version_findings(launch: Launch, asked: Asked) -> Iterator[Finding]:
    wanted = launch.program.version or asked.version
    if launch.version is None and wanted:
        yield Finding(
            code="version_unreadable",
            severity="warning",
            flag=None,
            values={"version": wanted[:60], "engine": launch.engine},
        )
    kind = launch.standing.kind
    if kind in ("between", "beyond", "before"):
        yield Finding(
            code=f"version_{kind}",
            severity="warning",
            flag=None,
            values={
                "engine": launch.engine,
                "version": launch.version,
                "older": launch.standing.older,
                "newer": launch.standing.newer,
            },
        )
    forms = launch.table.raw.get("forms", ())
    words = [word.text for word in launch.program.name]
    if launch.engine == "vllm" and words[:2] == ["vllm", "serve"] and kind in ("read", "before"):
        came = next((form.get("came") for form in forms if form["words"] == ["vllm", "serve"]), None)
        if came is not None and launch.version == came[0]:
            name = launch.program.name
            fix = "python3 -m vllm.entrypoints.openai.api_server --model"
            yield Finding(
                code="serve_not_in_version",
                flag="serve",
                values={"engine": launch.engine, "version": launch.version, "first_with": came[1]},
                fix=fix,
                edits=(Edit(name[0].start, name[-1].end, fix),),
            )


def _count(launch: Launch, asked: Asked, card: CardName) -> int | None:
    """Cards that the program sees: those of the machine, or fewer where the command picks some."""
    told = asked.count if asked.count is not None else card.count
    picked = next((launch.env[name] for name in VISIBLE if launch.env.get(name)), "")
    picked = "" if picked in ("all", "void", "none") else picked
    container = launch.program.container
    gpus = container.option("gpus") if container is not None else None
    wanted = digits_of(gpus.value) if gpus is not None else None
    if gpus is not None and "device=" in gpus.value:
        picked = gpus.value.replace('"', "").partition("device=")[2]
    elif wanted is not None:
        return wanted if told is None else min(wanted, told)
    seen = len([part for part in picked.split(",") if part.strip()]) if picked and "$" not in picked else None
    if seen is None:
        return told
    return seen if told is None else min(seen, told)


def _model_findings(launch: Launch, model: ModelName) -> Iterator[Finding]:
    if launch.model is not None and model.id is None:
        yield Finding(
            code="model_not_in_catalog",
            severity="warning",
            flag=launch.model_flag,
            values={"model": launch.model[:200], "close": model.close},
        )
    if model.how == "letters":
        yield Finding(
            code="model_letters",
            severity="warning",
            flag=launch.model_flag,
            values={"model": (launch.model or "")[:200], "known": model.id},
            fix=model.id,
        )


def _on_card(
    launch: Launch, read: Amounts, card: CardName, *, asked: Asked, count: int | None, catalog: Catalog
) -> tuple[EstimateRequest | None, Mapping[str, Any] | None, list[Finding]]:
    """Estimate on each card that the name may mean; refusals count where the cards agree."""
    findings: list[Finding] = []
    if asked.accelerator and not card.ids:
        values = {"name": asked.accelerator[:100], "close": card.close}
        findings.append(Finding(code="accelerator_unknown", severity="warning", values=values))
    requests = [fit.parsed_of(read, catalog, name) for name in (card.ids or (None,))]
    wide = [fit.widened(launch, read, request) for request in requests if request is not None]
    if not wide:
        return None, None, findings
    known = [request for request, _ in wide]
    findings.extend(wide[0][1])
    answers = estimate(known, catalog)
    refused = [
        [*fit.refusals(launch, read, request, answer, count=count), *card_findings(launch, request)]
        for request, answer in zip(known, answers, strict=True)
    ]
    if len(known) > 1:
        findings.append(_ambiguous(asked, card, answers))
        shared = set.intersection(*({item.code for item in items} for items in refused))
        findings.extend(item for item in refused[0] if item.code in shared)
        findings.extend(replace(item, severity="warning") for item in refused[0] if item.code not in shared)
    else:
        findings.extend(refused[0])
    return known[0], answers[0], findings


def _ambiguous(asked: Asked, card: CardName, answers: Sequence[Mapping[str, Any]]) -> Finding:
    verdicts = {answer["verdict"] for answer in answers}
    return Finding(
        code="accelerator_ambiguous",
        severity="warning",
        values={
            "name": (asked.accelerator or "")[:100],
            "candidates": ", ".join(card.ids),
            "taken": card.ids[0],
            "agree": len(verdicts) == 1,
        },
    )
