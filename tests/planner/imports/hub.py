"""A hub that speaks as Hugging Face and ModelScope do, with one small Llama."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from planner.models import HubEndpoint
from tests.access.answering import Said
from tests.planner.core.checkpoint.files import LLAMA_CONFIG, llama_tensors, safetensors_header

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MODEL = "team/tiny"
NAMES = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")


def llama_files() -> dict[str, bytes]:
    """Config, index and two files of weights with more behind their headers."""
    tensors = llama_tensors()
    halves = [dict(list(tensors.items())[place::2]) for place in range(2)]
    where = {name: NAMES[place] for place, half in enumerate(halves) for name in half}
    index = {"metadata": {"total_size": 3_410_432}, "weight_map": where}
    return {
        "config.json": json.dumps(LLAMA_CONFIG).encode(),
        "model.safetensors.index.json": json.dumps(index).encode(),
        **{name: safetensors_header(half) + bytes(9_000) for name, half in zip(NAMES, halves, strict=True)},
    }


def as_hugging_face(files: Mapping[str, bytes], *, model: str = MODEL) -> dict[str, Said]:
    """Answers of Hugging Face by path."""
    listing: Any = {"sha": COMMIT, "siblings": [{"rfilename": name} for name in files]}
    return {
        f"/api/models/{model}/revision/main": Said(json.dumps(listing).encode()),
        **{f"/{model}/resolve/{COMMIT}/{name}": Said(body) for name, body in files.items()},
    }


def as_modelscope(files: Mapping[str, bytes], *, model: str = MODEL) -> dict[str, Said]:
    """Answers of ModelScope by path."""
    base = f"/api/v1/models/{model}/repo"
    listing = {"Code": 200, "Data": {"Files": [{"Path": name, "Type": "blob"} for name in files]}}
    found = {f"{base}/files?Revision=master&Recursive=true": Said(json.dumps(listing).encode())}
    for name, body in files.items():
        found[f"{base}?{urlencode({'Revision': 'master', 'FilePath': name})}"] = Said(body)
    return found


def hub_at(url: str, *, kind: str = "huggingface", token: str = "", name: str = "A hub") -> HubEndpoint:
    """A hub of the team's at this address."""
    from access.sealing import seal

    return HubEndpoint.objects.create(
        name=name, kind=kind, base_url=url, sealed_token=seal(token) if token else ""
    )
