"""Which database: SQLite in a file, or PostgreSQL by address."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

SQLITE_OPTIONS: dict[str, Any] = {
    # A deferred transaction that turns into a writer fails at once when another wrote in between; an
    # IMMEDIATE one waits for its turn, up to the timeout (seconds).
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}
CONNECTION_MAX_AGE_S = 60


def database_from(url: str, *, default_file: Path) -> dict[str, Any]:
    """Return Django's settings of the database at `url`; an empty one means SQLite in `default_file`.

    Understood are `sqlite:///relative.db`, `sqlite:////absolute.db` and
    `postgresql://user:password@host:port/name?option=value`; a socket's folder goes into the option `host`.
    Anything else is a ValueError that doesn't repeat the address, as it may hold a password.
    """
    if not url:
        return _sqlite(str(default_file))
    parts = urlsplit(url)
    if parts.scheme == "sqlite" and not parts.netloc and len(parts.path) > 1:
        return _sqlite(unquote(parts.path[1:]))
    if parts.scheme in ("postgres", "postgresql") and len(parts.path) > 1:
        return _postgresql(url)
    raise ValueError("must look like sqlite:///FILE or postgresql://USER:PASSWORD@HOST:PORT/NAME")


def _sqlite(name: str) -> dict[str, Any]:
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": name, "OPTIONS": dict(SQLITE_OPTIONS)}


def _postgresql(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        raise ValueError("has a port that is not a number") from None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "CONN_MAX_AGE": CONNECTION_MAX_AGE_S,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": 10, **dict(parse_qsl(parts.query))},
    }
