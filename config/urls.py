"""Which app answers which path."""

from django.urls import include, path

from access.api_docs import docs, schema
from access.views import choose_language
from config.health import healthz, readyz
from config.metrics import metrics

handler400 = "access.problems.bad_request"
handler403 = "access.problems.forbidden"
handler404 = "access.problems.not_found"
handler500 = "access.problems.server_error"

urlpatterns = [
    path("", include("access.urls")),
    path("", include("planner.urls")),
    path("language/", choose_language, name="set_language"),
    path("api/schema/", schema, name="api_schema"),
    path("api/docs/", docs, name="api_docs"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
