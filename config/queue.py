"""Which work queue: Redis by address, or files in a folder on one machine."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

# The name under which config/transport.py registers itself.
FOLDER_SCHEME = "folder"
# Longer than any task may run: Redis hands a task out again that was not acknowledged in this time.
VISIBILITY_TIMEOUT_S = 3600
TASK_TIME_LIMIT_S = 900
TICK_S = 5.0


def queue_settings(redis_url: str, *, folder: Path) -> dict[str, Any]:
    """Return Celery's settings, as Django names them, for Redis at `redis_url` or, when empty, `folder`.

    The queue only carries wake-ups: what is due stands in the database, so a lost message delays work by
    one tick and loses none. That is why results are not kept, and why a task is acknowledged when it's done.
    An address that can't be one is a ValueError that doesn't repeat it, as it may hold a password.
    """
    _check(redis_url)
    settings = {
        "broker_url": redis_url or f"{FOLDER_SCHEME}://localhost",
        "broker_transport_options": _redis_options() if redis_url else _folder_options(folder),
        "broker_connection_retry_on_startup": True,
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_time_limit": TASK_TIME_LIMIT_S,
        "task_soft_time_limit": TASK_TIME_LIMIT_S - 60,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "worker_send_task_events": False,
        # A tick that waited longer than its period is stale: the next one does its work.
        "beat_schedule": {
            "tick": {"task": "config.tick", "schedule": TICK_S, "options": {"expires": TICK_S}}
        },
    }
    return {f"CELERY_{name.upper()}": value for name, value in settings.items()}


def _check(redis_url: str) -> None:
    parts = urlsplit(redis_url)
    try:
        is_place = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise ValueError("has a port that is not a number up to 65535") from None
    if redis_url and not (parts.scheme in ("redis", "rediss") and is_place):
        raise ValueError("must look like redis://:PASSWORD@HOST:PORT/0, or rediss:// with TLS")


def _redis_options() -> dict[str, Any]:
    return {"visibility_timeout": VISIBILITY_TIMEOUT_S, "socket_timeout": 10, "socket_connect_timeout": 5}


def _folder_options(folder: Path) -> dict[str, Any]:
    messages = str(folder / "messages")
    return {
        "data_folder_in": messages,
        "data_folder_out": messages,
        "control_folder": str(folder / "control"),
    }
