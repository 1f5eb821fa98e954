"""Keys that an installation makes for itself on its first start."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured


def new_secret_key() -> str:
    """A SECRET_KEY of 512 random bits."""
    return secrets.token_urlsafe(64)


def new_encryption_key() -> str:
    """A key for `access.sealing`."""
    return Fernet.generate_key().decode()


def encryption_keys(text: str, *, path: Path, variable: str) -> list[str]:
    """The keys in `text`, with commas between them, or else the one in the file.

    The first one seals, the others are still read: so that a key can be replaced.
    """
    keys = [key.strip() for key in text.split(",") if key.strip()]
    keys = keys or [key_from_file(path, make=new_encryption_key, variable=variable)]
    try:
        for key in keys:
            Fernet(key)
    except ValueError:
        raise ImproperlyConfigured(
            f"{variable} must be 32 bytes in URL-safe base64, as `openssl rand -base64 32 | tr +/ -_` prints them"
        ) from None
    return keys


def key_from_file(path: Path, *, make: Callable[[], str], variable: str) -> str:
    """The key in `path`, made there if the file isn't yet.

    Web, worker and scheduler start at once: the file appears whole and under its name in one step, and
    whoever comes second reads the first one's key. Only its owner may read it.
    """
    try:
        if not path.exists():
            _create(path, text=make())
        key = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(
            f"cannot make or read the key file {path} ({error}); make its folder writable, or set {variable}"
        ) from None
    if not key:
        raise ImproperlyConfigured(f"the key file {path} is empty; restore it, or set {variable}")
    return key


def _create(path: Path, *, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text + "\n")
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
