"""The catalog: what it holds, and what the team makes of it."""

from django.urls import path

from planner.api import catalog as api
from planner.api import catalog_facts as facts
from planner.views import browse as views
from planner.views import catalog_entries as entries
from planner.views import catalog_names as names

urlpatterns = [
    path("catalog/accelerators/", views.accelerators, name="accelerators"),
    path("catalog/accelerators/bandwidth/", views.bandwidth, name="bandwidth"),
    path("catalog/accelerators/compare/", views.compare_accelerators, name="compare_accelerators"),
    path("catalog/accelerators/new/", entries.new_accelerator, name="new_accelerator"),
    path("catalog/accelerators/<str:key>/", views.accelerator, name="accelerator"),
    path("catalog/accelerators/<str:key>/edit/", entries.edit_accelerator, name="edit_accelerator"),
    path("catalog/accelerators/<str:key>/reset/", entries.reset_accelerator, name="reset_accelerator"),
    path("catalog/accelerators/<str:key>/retire/", entries.retire_accelerator, name="retire_accelerator"),
    path("catalog/platforms/", views.platforms, name="platforms"),
    path("catalog/platforms/new/", entries.new_platform, name="new_platform"),
    path("catalog/platforms/<str:key>/", views.platform, name="platform"),
    path("catalog/platforms/<str:key>/edit/", entries.edit_platform, name="edit_platform"),
    path("catalog/platforms/<str:key>/reset/", entries.reset_platform, name="reset_platform"),
    path("catalog/platforms/<str:key>/retire/", entries.retire_platform, name="retire_platform"),
    path("catalog/models/", views.models, name="models"),
    path("catalog/models/<path:key>/edit/", entries.edit_model, name="edit_model"),
    path("catalog/models/<path:key>/reset/", entries.reset_model, name="reset_model"),
    path("catalog/models/<path:key>/", views.model, name="model"),
    path("catalog/engines/", views.engines, name="engines"),
    path("catalog/engines/<str:key>/", views.engine, name="engine"),
    path("catalog/quantization/", views.schemes, name="schemes"),
    path("catalog/quantization/<str:key>/", views.scheme, name="scheme"),
    path("catalog/names/", names.mappings, name="mappings"),
    path("catalog/names/map/", names.map_name, name="map_name"),
    path("catalog/names/<int:pk>/remove/", names.unmap_name, name="unmap_name"),
    path("api/v1/accelerators", api.accelerators, name="api_accelerators"),
    path("api/v1/accelerators/<str:key>", api.accelerator, name="api_accelerator"),
    path("api/v1/platforms", api.platforms, name="api_platforms"),
    path("api/v1/platforms/<str:key>", api.platform, name="api_platform"),
    path("api/v1/models", facts.models, name="api_models"),
    path("api/v1/models/<path:key>", facts.model, name="api_model"),
    path("api/v1/engines", facts.engines, name="api_engines"),
    path("api/v1/engines/<str:key>", facts.engine, name="api_engine"),
    path("api/v1/schemes", facts.schemes, name="api_schemes"),
    path("api/v1/schemes/<str:key>", facts.scheme, name="api_scheme"),
    path("api/v1/accelerator-names", facts.names, name="api_names"),
    path("api/v1/accelerator-names/<int:pk>", facts.name, name="api_name"),
]
