"""Length logs."""

from django.urls import path

from planner.api import lengths as api
from planner.views import lengths as views

urlpatterns = [
    path("lengths/", views.logs, name="length_logs"),
    path("lengths/new/", views.new_log, name="new_length_log"),
    path("lengths/<slug:uid>/", views.log, name="length_log"),
    path("lengths/<slug:uid>/<slug:length>.csv", views.log_csv, name="length_log_csv"),
    path("lengths/<slug:uid>/rename/", views.rename_log, name="rename_length_log"),
    path("lengths/<slug:uid>/archive/", views.archive_log, name="archive_length_log"),
    path("api/v1/length-logs", api.logs, name="api_length_logs"),
    path("api/v1/length-logs/<slug:uid>", api.log, name="api_length_log"),
    path("api/v1/kv-exhaustion", api.kv_exhaustion, name="kv_exhaustion"),
]
