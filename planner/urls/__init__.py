"""The addresses of the planner, one module per part of it."""

from planner.urls import (
    catalog_pages,
    cost_pages,
    import_pages,
    length_pages,
    money_pages,
    plan_evaluations,
    plan_files,
    plan_pages,
    planner_pages,
    webhooks,
)

app_name = "planner"
urlpatterns = [
    *planner_pages.urlpatterns,
    # Before the catalog: model ids hold slashes, so its addresses take whatever follows
    *import_pages.urlpatterns,
    *catalog_pages.urlpatterns,
    *money_pages.urlpatterns,
    *cost_pages.urlpatterns,
    *plan_files.urlpatterns,
    *plan_evaluations.urlpatterns,
    *plan_pages.urlpatterns,
    *length_pages.urlpatterns,
    *webhooks.urlpatterns,
]
