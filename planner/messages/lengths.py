"""Words about length logs and about a cache that runs out."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from planner.messages import limits as messages_limits

PROBLEMS: dict[str, Any] = {
    "no_such_log": _("There is no length log {found!r}."),
}

# Why a log cannot be read, and what to do.
REFUSALS: dict[str, Any] = {
    "empty": _("There is nothing in it. Choose a file or paste its lines."),
    "line_too_long": _(
        "A line is longer than {limit} bytes. Leave out the columns that hold prompts and answers."
    ),
    "cell_too_long": _(
        "Line {line} holds a cell of more than {limit} characters. Leave out the columns that hold prompts and answers."
    ),
    "too_many_columns": _(
        "The first line has {found} columns; at most {limit} are read. Is the delimiter right?"
    ),
    "too_many_rows": _("It has more than {limit} rows. A day of them is enough: send a part."),
    "no_column": _("No column is known to hold the tokens of {role}. Say which one does. Found: {names}."),
    "column_of_text": _(
        "The column {name} holds text where the tokens of {role} should be. Say which one holds them."
    ),
    "no_such_column": _(
        "There is no column {name!r} for {role}. Give its name as in the first line, or its number."
    ),
    "no_rows": _("None of its {read} rows has two lengths that can be read."),
    "no_requests": _(
        "None of its {read} values has the tokens of input and output. Known are usage objects, "
        "prompt_tokens and completion_tokens, input_lens and output_lens, and names like them."
    ),
    "no_engine": _(
        "No metric of vLLM, SGLang, TensorRT-LLM or llama.cpp is in it. Paste the whole of the engine's /metrics."
    ),
    "several_models": _("It holds {count} models. Say which one: {models}."),
    "no_such_model": _("It holds no model {name!r}. There are: {models}."),
    "other_model": _("The second reading is of {second}, the first of {first}."),
    "too_many_series": _("It holds {found} lines of metrics; at most {limit} are read."),
    "bucket_unreadable": _("A bucket of {name} has a bound or a count that is no number."),
    "not_cumulative": _(
        "The buckets of {name} fall, or differ between engines: a part of the dump is missing. Paste it whole."
    ),
    "no_last_bucket": _("The bucket +Inf of {name} is missing. Paste the dump whole."),
    "means_alone": _(
        "{engine} counts no lengths here, only totals: {input} tokens in and {output} out on average of {requests} "
        "requests. Give these as means in a plan."
    ),
    "totals_alone": _(
        "{engine} counts all tokens and no requests: {input} in and {output} out since its start. Nothing follows about "
        "one request. Send its log of requests as CSV or JSON Lines."
    ),
    "no_requests_counted": _("{engine} has finished no request yet, or none between the two readings."),
    "too_long": _("It is longer than {limit} characters. Send it as a file."),
    "file_too_large": _("It is larger than {limit} MB. A day of requests is enough: send a part."),
}
# What "means_alone" needs to know of SGLang.
HINTS: dict[str, Any] = {
    "sglang": _("Start SGLang with --collect-tokens-histogram, and it counts lengths."),
}

LEFT_OUT: dict[str, Any] = {
    "not_a_number": _("no number where a length should be"),
    "negative": _("a negative length"),
    "not_finite": _("a length that is not finite"),
    "too_large": _("a length above 100 million tokens"),
    "not_whole": _("a length that is no whole number"),
    "no_tokens": _("no tokens at all: it failed"),
    "short_row": _("fewer cells than the columns need"),
    "no_lengths": _("no lengths in it"),
}
ROLES: dict[str, Any] = {
    "input": _("input"),
    "output": _("output"),
    "start": _("start"),
    "end": _("end"),
    "duration": _("duration"),
}
UNITS: dict[float, Any] = {
    1.0: _("seconds"),
    1e-3: _("milliseconds"),
    1e-6: _("microseconds"),
    1e-9: _("nanoseconds"),
    60.0: _("minutes"),
}

# What an engine does when the cache is full, by its name.
WHEN_FULL: dict[str, Any] = {
    "vllm": _("vLLM then sends the youngest requests back to the queue and computes them anew."),
    "sglang": _("SGLang then retracts requests to the queue and computes them anew."),
    "tensorrt-llm": _("TensorRT-LLM then pauses requests, or lets fewer in from the start."),
    "llama.cpp": _("llama.cpp then stops a request for want of room."),
}
# How likely it is, in a sentence.
VERDICTS: dict[str, Any] = {
    "never": _("Never: even the longest requests together fit into the KV cache."),
    "always": _("Always: even the shortest requests together do not fit into the KV cache."),
    "reserved": _("Never: each slot has a cache of its own from the start."),
    "hardly": _("Hardly ever: less than once in a billion moments."),
    "some": _("{percent} percent of the time the running requests need more KV cache than there is."),
    "likely": _(
        "Most of the time, {percent} percent of it, the running requests need more KV cache than there is."
    ),
    "not_started": _("It does not start, so nothing runs out."),
    "unknown": _("Not known: a figure that it follows from is not stated anywhere."),
    "no_workload": _("Give a workload: lengths, and users at once or requests a day."),
    "no_output": _("No request that fits into the context generates anything."),
}
LENGTHS_FROM: dict[str, Any] = {
    "log": _("lengths as logged, each input with its own output"),
    "log_apart": _("lengths as logged, inputs and outputs taken as independent"),
    "quantiles": _(
        "log-normal lengths through P50 and P90, cut at P99, inputs and outputs taken as independent"
    ),
    "means": _("every request of the mean length, which real ones are not"),
}
HELP: dict[str, Any] = {"fewer_slots": "max_num_seqs {max_num_seqs}"}
PRICES: dict[str, Any] = {
    **messages_limits.PRICES,
    "others_queue": _("The other requests wait in the queue: their first token comes later."),
}
MODEL_SOURCE = _(
    "A running request holds its prompt and what it has generated so far. A random moment meets requests in proportion to "
    "their output, at an age spread evenly over it. The sum over the running requests is exact, by Fourier transform; "
    "prefixes that requests share, prompts that are being read in pieces, and tokens in flight of windowed layers are not counted."
)
