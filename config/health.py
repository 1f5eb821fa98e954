"""Whether this process lives, and whether the installation can do its work."""

from django.http import HttpRequest, HttpResponse


def healthz(request: HttpRequest) -> HttpResponse:
    """Answer as long as the process can: restart it when this fails."""
    return HttpResponse("ok\n", content_type="text/plain")
