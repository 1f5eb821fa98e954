"""The form of the command check: the command as text, and what its asker knows beside it. Nothing of it is kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from planner.core.check.words import MAX_CHARACTERS
from planner.form_inputs import Input, put, typed

EXAMPLE = (
    "docker run --rm --gpus all --ipc=host -p 8000:8000 \\\n"
    "  vllm/vllm-openai:v0.32.0 Qwen/Qwen2.5-7B-Instruct \\\n"
    "  --quantization fp8 --kv-cache-dtype int8 \\\n"
    "  --max-model-len 4096 --max-num-seqs 16 --gpu-memory-utilization 0.98"
)
EXAMPLE_CARD = "nvidia-rtx-4090"
# A command longer than this makes an address that some proxies refuse.
MAX_LINK_CHARACTERS = 4_000
INPUTS = (
    Input(key="q", path="command"),
    Input(key="e", path="engine"),
    Input(key="v", path="version"),
    Input(key="m", path="model"),
    Input(key="a", path="accelerator"),
    Input(key="n", path="count", kind="number"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pasted:
    """What stands in the form, as text. `is_example`: nothing was given, so the worked example is shown."""

    values: Mapping[str, str]
    is_example: bool = False

    def request(self) -> dict[str, Any]:
        """The question of the contract; blank fields are left out."""
        request: dict[str, Any] = {}
        for item in INPUTS:
            text = self.values[item.key]
            value = text or None if item.key == "q" else typed(item, text)
            if value is not None:
                put(request, item.path, value)
        return request

    def query(self) -> str:
        """The address of this check, "" where it would be too long for one."""
        query = urlencode([(key, text) for key, text in self.values.items() if text])
        return query if len(query) <= MAX_LINK_CHARACTERS else ""


def read_pasted(given: Mapping[str, str]) -> Pasted:
    """The check that a form or an address holds; the worked example where it holds none."""
    if "q" not in given:
        example = {"q": EXAMPLE, "a": EXAMPLE_CARD, "n": "1"}
        return Pasted(values={item.key: example.get(item.key, "") for item in INPUTS}, is_example=True)
    values = {item.key: given.get(item.key, "").strip()[:300] for item in INPUTS}
    return Pasted(values={**values, "q": given.get("q", "")[: MAX_CHARACTERS + 1].replace("\r\n", "\n")})
