"""How likely the KV cache runs out, as the outside sees it: an estimate request in, codes with their words out."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.estimates import problem_object
from planner.answers.limits import change_name
from planner.core import CORE_VERSION
from planner.core.candidate import Candidate
from planner.core.figures import percent, short
from planner.core.lengths import Quantiles
from planner.core.outcome import Problem
from planner.core.parse import Rejected, Reserved, parse_request
from planner.core.parse.fields import Reader
from planner.core.request import EstimateRequest, Workload
from planner.core.specs import Catalog
from planner.core.traffic.exhaustion import ACCEPTED, Exhaustion, exhaustion
from planner.core.traffic.relief import relief
from planner.core.traffic.resident import Lengths, lengths_of_log, lengths_of_means, lengths_of_quantiles
from planner.core.traffic.summary import histograms_of
from planner.messages import word
from planner.messages.lengths import HELP, LENGTHS_FROM, PRICES, VERDICTS, WHEN_FULL
from planner.models import LengthLog

FIELDS = frozenset(["id", "request", "length_log", "accepted"])
LIKELY = 0.5
MINUTES = 60.0
DIGITS = 9
Logs = Callable[[str], LengthLog | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Lengths that requests have, and what is known of them: log | log_apart | quantiles | means."""

    code: str
    lengths: Lengths


def answer(objects: Sequence[Any], *, catalog: Catalog, logs: Logs) -> list[dict[str, Any]]:
    """One answer or problem object per question {"request", "length_log", "accepted"}, in order."""
    return [_answer(obj, catalog, logs) for obj in objects]


def _answer(obj: Any, catalog: Catalog, logs: Logs) -> dict[str, Any]:
    title = _("How likely its cache runs out cannot be found.")
    reader = Reader()
    fields = reader.mapping(obj, "body")
    if fields is None:
        return problem_object(None, reader.problems, title=title)
    reader.only(fields, FIELDS, "")
    asked_id = reader.text(fields["id"], "id") if fields.get("id") is not None else None
    accepted = ACCEPTED if fields.get("accepted") is None else reader.fraction(fields["accepted"], "accepted")
    parsed = parse_request(fields.get("request"), catalog)
    if isinstance(parsed, Rejected):
        reader.problems.extend(_inside(problem) for problem in parsed.problems)
    log = _log(reader, fields.get("length_log"), logs)
    if reader.problems:
        return problem_object(asked_id, reader.problems, title=title)
    if not isinstance(parsed, EstimateRequest):
        assert isinstance(parsed, Reserved)
        return {
            "id": asked_id,
            **shown(Exhaustion(code="unknown", verdict="unsupported"), None, None),
            **_basis(catalog),
        }
    found = {"id": asked_id, **answered(parsed, catalog, log=log, accepted=accepted or ACCEPTED)}
    return {**found, **_basis(catalog)}


def _inside(problem: Problem) -> Problem:
    return replace(problem, field=f"request.{problem.field}" if problem.field else "request")


def _log(reader: Reader, value: Any, logs: Logs) -> LengthLog | None:
    if value is None:
        return None
    uid = reader.text(value, "length_log")
    found = logs(uid) if uid is not None else None
    if uid is not None and found is None:
        reader.refuse("no_such_log", "length_log", found=uid[:60])
    return found


def _basis(catalog: Catalog) -> dict[str, Any]:
    return {"basis": {"catalog": catalog.hash, "core": CORE_VERSION, "calibration": None}}


def answered(
    request: EstimateRequest, catalog: Catalog, *, log: LengthLog | None = None, accepted: float = ACCEPTED
) -> dict[str, Any]:
    """The answer for one checked request, with what would help where it is more than `accepted`."""
    if request.workload is None:
        return shown(Exhaustion(code="no_workload", verdict="unknown"), None, None)
    source = source_of(request.workload, log)
    found = exhaustion(request, source.lengths, catalog, accepted=accepted)
    help_ = _help(request, found, source, catalog) if (found.probability or 0.0) > accepted else []
    return shown(found, source, request, help_)


def source_of(workload: Workload, log: LengthLog | None) -> Source:
    """Where the lengths come from: a log, else the quantiles of the workload, else its means."""
    if log is not None:
        histograms = histograms_of(log.histograms)
        code = "log" if "total" in histograms else "log_apart"
        return Source(code=code, lengths=lengths_of_log(histograms))
    prompts, answers = workload.input_quantiles, workload.output_quantiles
    if prompts is None and answers is None:
        return Source(code="means", lengths=lengths_of_means(workload.input_tokens, workload.output_tokens))
    return Source(
        code="quantiles",
        lengths=lengths_of_quantiles(
            prompts or _constant(workload.input_tokens), answers or _constant(workload.output_tokens)
        ),
    )


def _constant(tokens: int) -> Quantiles:
    return Quantiles(tokens, tokens, tokens)


def _help(
    request: EstimateRequest, found: Exhaustion, source: Source, catalog: Catalog
) -> list[dict[str, Any]]:
    return [
        {
            "code": item.candidate.code,
            "change": item.candidate.change,
            "message": help_name(item.candidate),
            "price": [{"code": code, "message": word(PRICES, code, {})} for code in item.candidate.price],
            "probability": rounded(item.after.probability),
        }
        for item in relief(request, source.lengths, catalog, before=found)
    ]


def help_name(candidate: Candidate) -> str:
    """What a change is, in words."""
    if candidate.code in HELP:
        return word(HELP, candidate.code, candidate.values)
    return change_name(candidate)


def shown(
    found: Exhaustion,
    source: Source | None,
    request: EstimateRequest | None,
    help_: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """An answer as JSON. Probabilities are of a random moment, at the peak where one was asked for."""
    cache, resident = found.cache, found.resident
    return {
        "verdict": found.verdict,
        "code": found.code,
        "message": verdict_message(found, request),
        "certainty": found.certainty,
        "probability": rounded(found.probability),
        "interval": None if found.interval is None else [rounded(end) for end in found.interval],
        "minutes_per_hour": None if found.probability is None else round(MINUTES * found.probability, 4),
        "probability_at_mean_load": rounded(found.probability_at_mean),
        "accepted": found.accepted,
        "max_num_seqs_within": None if found.within is None or found.code != "computed" else found.within,
        "concurrency_that_passes": found.passes_at,
        "running": {
            "mean": found.mean_running,
            "max_num_seqs": found.max_num_seqs,
            "replicas": found.replicas,
            "random": found.random,
            "overloaded": found.overloaded,
        },
        "cache": None
        if cache is None
        else {
            "kv_cache_tokens": None if math.isnan(cache.tokens) else int(cache.tokens),
            "unit": cache.unit,
            "units": cache.capacity,
            "units_per_request": None if found.request_units is None else round(found.request_units, 3),
            "always_enough_for": found.certain_up_to,
            "never_enough_from": found.certain_from,
        },
        "lengths": None
        if source is None
        else {
            "code": source.code,
            "message": str(LENGTHS_FROM[source.code]),
            "kind": "assumed" if source.code == "means" else "computed",
            "resident_tokens_mean": None if resident is None else round(resident.mean, 2),
            "refused_share": None if resident is None else rounded(resident.refused),
            "cut_share": None if resident is None else rounded(resident.cut),
        },
        "by_running": [
            {"running": item.running, "probability": rounded(item.probability)} for item in found.levels
        ],
        "help": list(help_),
    }


def verdict_message(found: Exhaustion, request: EstimateRequest | None) -> str:
    """How likely it is in a sentence, and what the engine does then."""
    if found.code != "computed":
        return word(VERDICTS, found.code, {})
    if found.certainty == "never":
        return word(VERDICTS, "never", {})
    probability = found.probability or 0.0
    code = (
        "always"
        if found.certainty
        else "hardly"
        if probability == 0
        else "likely"
        if probability > LIKELY
        else "some"
    )
    text = word(VERDICTS, code, {"percent": chance(probability)})
    then = WHEN_FULL.get(request.engine.name) if request is not None and code != "hardly" else None
    return f"{text} {then}" if then else text


def chance(probability: float) -> str:
    """A probability as percent without the sign: 0.00042, 0.85, 12, 99.9."""
    if 0 < probability < 0.01:
        return short(100 * probability, 2) if probability >= 1e-6 else f"{100 * probability:.0e}"
    return percent(probability)


def rounded(probability: float | None) -> float | None:
    """A probability to the digits that the transform is good for."""
    return None if probability is None else round(probability, DIGITS)
