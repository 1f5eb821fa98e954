"""How the description of the REST interface speaks of one call. Apart from its pages, since every REST view loads it."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework.permissions import SAFE_METHODS

from access.permissions import HasScope

# status: (the code that a program meets first, its title, what it means)
PROBLEMS: dict[str, tuple[str, str, str]] = {
    "400": (
        "parse_error",
        "This request cannot be read.",
        "The body is not valid JSON, or the Idempotency-Key cannot be used.",
    ),
    "401": ("not_authenticated", "Sign in first.", "No token, or one that is unknown, expired or revoked."),
    "403": (
        "permission_denied",
        "This is not allowed.",
        "The token lacks the scope, or its owner's role does not include it.",
    ),
    "404": ("not_found", "There is nothing here.", "There is nothing of this id, or no page of this cursor."),
    "406": (
        "not_acceptable",
        "This format is not available.",
        "No format of `format` or Accept is written here.",
    ),
    "409": (
        "idempotency_key_in_flight",
        "The first request with this key is still being answered.",
        "What stands there forbids it, or the first request with this key is still being answered.",
    ),
    "412": (
        "changed_meanwhile",
        "Somebody else changed this meanwhile.",
        "It was changed since the revision in If-Match.",
    ),
    "413": ("body_too_large", "The body is too large.", "The body is longer than is read here."),
    "415": (
        "unsupported_media_type",
        "This media type is not read here.",
        "The body is not application/json.",
    ),
    "422": (
        "invalid_request",
        "This request cannot be answered.",
        "Fields are wrong, each named in `errors` with what mends it; or the key was used for another request.",
    ),
    "428": ("revision_required", "Say which revision this change starts from.", "If-Match is missing."),
    "429": (
        "throttled",
        "Too many requests.",
        "Too many calls this minute: wait the seconds of Retry-After.",
    ),
}
DONE = {"200": "The answer.", "201": "It was made.", "204": "Done: there is nothing to say."}
MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = {"schema": {"type": "integer"}, "description": "Seconds to wait.", "required": True}


class DescribedView(AutoSchema):
    """The framework's description of a view, with the scope that a token needs: OpenAPI 3.1 has a place for it.

    Problems that follow from how a call is made stand in each that is made so: a body may be no JSON, a key may
    be used, a revision may be old.
    """

    def get_auth(self) -> list[dict[str, list[str]]]:
        scopes = self._scopes()
        return [dict.fromkeys(scheme, scopes) for scheme in super().get_auth()]

    def _scopes(self) -> list[str]:
        asked = [item for item in self.view.get_permissions() if isinstance(item, HasScope)]
        safe = self.method in SAFE_METHODS
        return [str(item.scope if safe or item.write is None else item.write) for item in asked]

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """One operation, its problems told apart by words and an example."""
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is None or "401" not in operation["responses"]:
            return operation
        if "requestBody" in operation:
            operation["requestBody"]["required"] = self.method == "PUT" or _asks_for_fields(operation)
        responses = operation["responses"]
        plain = responses["401"]["content"][MEDIA_TYPE]
        for status in _implied(operation):
            responses.setdefault(status, {"content": {MEDIA_TYPE: plain}})
        for status in PROBLEMS:
            if status in responses:
                responses[status] = _told(responses[status], status)
        for status, words in DONE.items():
            if status in responses and not responses[status].get("description"):
                responses[status]["description"] = words
        operation["responses"] = dict(sorted(responses.items()))
        return operation


def _asks_for_fields(operation: dict[str, Any]) -> bool:
    """Must the body be there? Not where it is an object of which every field may be left out."""
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return schema.get("type") != "object" or bool(schema.get("required"))


def _implied(operation: dict[str, Any]) -> set[str]:
    """Statuses that follow from the headers and the body of an operation."""
    names = {item["name"] for item in operation.get("parameters", [])}
    statuses = {"429"}
    if "requestBody" in operation:
        statuses |= {"400", "413", "415", "422"}
    if "Idempotency-Key" in names:
        statuses |= {"400", "409", "422"}
    if "If-Match" in names:
        statuses |= {"412", "428"}
    return statuses


def _told(response: dict[str, Any], status: str) -> dict[str, Any]:
    code, title, words = PROBLEMS[status]
    example: dict[str, Any] = {
        "type": f"urn:decodeck:problem:{code}",
        "title": title,
        "status": int(status),
        "code": code,
    }
    if code == "invalid_request":
        example["errors"] = [{"field": "name", "code": "required", "message": "This field is required."}]
    content = {kind: {**media, "example": example} for kind, media in response["content"].items()}
    headers = {"headers": {"Retry-After": RETRY_AFTER}} if status == "429" else {}
    return {**response, **headers, "description": response.get("description") or words, "content": content}
