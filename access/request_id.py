"""The id of the request being answered: on each log line and audit event, and in the answer's header."""

from contextvars import ContextVar

# "-" outside of any request.
request_id: ContextVar[str] = ContextVar("request_id", default="-")
