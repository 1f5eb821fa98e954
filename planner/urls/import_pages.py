"""Models that the team brings in, and the hubs that they come from."""

from django.urls import path

from planner.api.imports import model_imports_view
from planner.views import hubs, imports

urlpatterns = [
    path("catalog/models/import/", imports.import_model, name="import_model"),
    path("catalog/models/import/keep/", imports.keep_model_import, name="keep_model_import"),
    path("account/hubs/", hubs.hubs, name="hubs"),
    path("account/hubs/<slug:uid>/", hubs.hub, name="hub"),
    path("account/hubs/<slug:uid>/try/", hubs.try_hub_now, name="try_hub"),
    path("account/hubs/<slug:uid>/delete/", hubs.delete_hub_now, name="delete_hub"),
    path("api/v1/model-imports", model_imports_view, name="api_model_imports"),
]
