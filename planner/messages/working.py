"""Formulas and sources of the working that are words, marked for translation. Symbols and citations stay."""

from django.utils.translation import gettext_noop as _

WORKING_TEXTS = frozenset(
    {
        _("(matmuls + embedding + head) / tensor + what every rank holds, of the tightest stage"),
        _("2 × layers × all-reduce(sequences × hidden × 2 B) + (stages − 1) × hop"),
        _("KV memory / cost of one request × its length; whole blocks"),
        _("budget − weights − activation − non-torch − graphs inside the budget"),
        _("budget − weights − non-torch"),
        _("by tensor degree and link"),
        _("bytes read per step / step / (bandwidth × accelerators of a replica)"),
        _("cache of the whole context"),
        _("concurrency × output tokens / (TTFT + (output tokens − 1) × TPOT)"),
        _("fixed + captured sizes × (share per size + layers × cost), 0 in eager mode"),
        _("layers × launch and ramp + expert layers × routing + sequences × scheduling"),
        _("max(batch × hidden × 2 + c × sequences × vocabulary, batch × widest layer) + experts' workspace"),
        _("min(concurrency / replicas, max_num_seqs, cache / bytes of a sequence at the mean context)"),
        _(
            "overlap of (dense + touched experts) / (bandwidth × stream) with 2 × active parameters × sequences / compute"
        ),
        _("own prompt + wait behind other prompts + queue while more is asked than runs"),
        _("reported memory − what driver or system keeps"),
        _("sequences × cache bytes read per step / (bandwidth × stream)"),
        _("share × (sequences − 1) × time of one prompt / output tokens"),
        _("share × (total − weights − activation − non-torch − graphs)"),
        _("total"),
        _("total × static share"),
        _("total × utilization"),
        _("weights + kv + prefill + interconnect + host"),
        _("Σ groups blocks × bytes per block at max_model_len"),
        _("Σ layers × KV heads of a rank × (K width + V width) × bytes per element, groups padded"),
        _("CUDA context and cuBLAS workspace per device"),
        _("as vLLM"),
        _("as vLLM; outside the pool, so it decides no start"),
        _("compute buffer: fp32 logits of one micro-batch"),
        _("fitted on public measurements"),
        _("fp32 logits of one batch"),
        _("free memory before and after load in start-up logs"),
        _(
            "free memory of idle machines that share it with the system; on Apple, the working set that Metal recommends"
        ),
        _("llama.cpp source and start-up logs"),
        _("shapes of the model; page sizes of the engine's cache specifications"),
        _("whole blocks of the pool"),
    }
)
