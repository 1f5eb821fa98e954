"""How saved plans were judged again."""

from django.urls import path

from planner.api import plan_evaluations as api
from planner.views import plan_evaluations as views

urlpatterns = [
    path("plans/<slug:uid>/evaluate/", views.evaluate_plan, name="evaluate_plan"),
    path("api/v1/plans/<slug:uid>/evaluations", api.evaluations, name="api_plan_evaluations"),
]
