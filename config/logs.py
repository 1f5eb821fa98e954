"""Structured logs: one JSON object per line on standard error, each with the id of its request."""

import logging
from contextvars import ContextVar
from typing import Any

# Set for the time of one request; "-" outside of any.
request_id: ContextVar[str] = ContextVar("request_id", default="-")

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class AddRequestId(logging.Filter):
    """Puts the id of the current request on each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


class DropRequest(logging.Filter):
    """Takes the request object off Django's records: its text holds the query, which may hold a secret."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.__dict__.pop("request", None)
        record.__dict__.pop("server_time", None)
        return True


def logging_settings(level: str) -> dict[str, Any]:
    """Return the settings for logging.config; a level that doesn't exist is a ValueError."""
    if level.upper() not in LEVELS:
        raise ValueError(f"LOG_LEVEL must be one of {', '.join(LEVELS)}")
    quiet = {"level": "WARNING", "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"request_id": {"()": AddRequestId}, "drop_request": {"()": DropRequest}},
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
                "filters": ["request_id", "drop_request"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            # The request log has a line for each answer already.
            "django.request": {"level": "ERROR", "propagate": True},
            "django.server": {"handlers": [], **quiet},
            "celery": quiet,
            "kombu": quiet,
        },
    }
