"""Structured logs: one JSON object per line on standard error, each with the id of its request."""

import logging
from typing import Any

from access.request_id import request_id

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class AddRequestId(logging.Filter):
    """Puts the id of the current request on each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


class HideRequest(logging.Filter):
    """Takes the request off Django's records: its path and query may hold a secret, as a sign-in link does.

    Of Django's own request records only faults stay: the request log has the others, refusals and missing pages too.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.__dict__.pop("request", None)
        if record.name != "django.request":
            return True
        record.msg, record.args = "unhandled exception", ()
        return record.levelno >= logging.ERROR and record.exc_info is not None


def logging_settings(level: str) -> dict[str, Any]:
    """Return the settings for logging.config; an empty level is INFO, one that doesn't exist a ValueError."""
    level = level.upper() or "INFO"
    if level not in LEVELS:
        raise ValueError(f"must be one of {', '.join(LEVELS)}; it is {level!r}")
    quiet = {"level": "WARNING", "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request_id": {"()": AddRequestId}, "hide_request": {"()": HideRequest}},
        "formatters": {
            "json": {
                "()": "pythonjsonlogger.json.JsonFormatter",
                "format": "%(asctime)s %(levelname)s %(name)s %(message)s %(request_id)s",
                "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
                "datefmt": "%Y-%m-%dT%H:%M:%S%z",
            }
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "json",
                "filters": ["request_id", "hide_request"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "gunicorn": {"handlers": [], "level": "INFO", "propagate": True},
            # It prints the query of each request; ours doesn't.
            "gunicorn.access": {"handlers": [], "level": "CRITICAL", "propagate": False},
            "django.server": {"handlers": [], **quiet},
            "celery": quiet,
            "kombu": quiet,
        },
    }
