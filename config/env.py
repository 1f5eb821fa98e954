"""Settings from the environment: a value that can't be right stops the start and names its variable.

Each reader takes the variable's name. A secret may also come from a file, named by the variable with
`_FILE` behind it, as container platforms hand them out.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def envbool(name: str, *, default: bool = False, environ: Mapping[str, str] = os.environ) -> bool:
    """A yes or no."""
    text = environ.get(name, "").strip().lower()
    if not text:
        return default
    if text not in TRUE + FALSE:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(TRUE + FALSE)}; it is {text!r}")
    return text in TRUE


def envint(name: str, *, default: int, low: int, high: int, environ: Mapping[str, str] = os.environ) -> int:
    """A whole number from `low` to `high`."""
    text = environ.get(name, "").strip()
    try:
        value = int(text) if text else default
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number; it is {text!r}") from None
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name} must be from {low} to {high}; it is {value}")
    return value


def envlist(name: str, *, default: list[str], environ: Mapping[str, str] = os.environ) -> list[str]:
    """Words with commas between them."""
    words = [word.strip() for word in environ.get(name, "").split(",") if word.strip()]
    return words or default


def envread(name: str, read: Callable[[str], T], *, environ: Mapping[str, str] = os.environ) -> T:
    """What `read` makes of the text; its ValueError stops the start."""
    try:
        return read(environ.get(name, "").strip())
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from None


def envsecret(name: str, *, environ: Mapping[str, str] = os.environ) -> str:
    """A secret, or the first line of the file that `NAME_FILE` names; empty when neither is set."""
    if environ.get(name):
        return environ[name]
    path = environ.get(f"{name}_FILE")
    if not path:
        return ""
    try:
        secret = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}_FILE: cannot read {path}: {error}") from None
    if not secret:
        raise ImproperlyConfigured(f"{name}_FILE: {path} is empty")
    return secret
