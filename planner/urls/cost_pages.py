"""What a set-up costs to own, to run and to rent; what a budget buys."""

from django.urls import path

from planner.api import costs as api
from planner.views import assumptions, budget
from planner.views import cost as views

urlpatterns = [
    path("buy/costs/", views.costs, name="costs"),
    path("buy/costs/<slug:table>.csv", views.cost_table, name="cost_table"),
    path("buy/budget/", budget.budget, name="budget"),
    path("buy/budget/set-ups.csv", budget.budget_table, name="budget_table"),
    path("buy/assumptions/", assumptions.assumptions, name="assumptions"),
    path("buy/assumptions/change/", assumptions.change_assumptions, name="change_assumptions"),
    path("api/v1/costs", api.costs, name="api_costs"),
    path("api/v1/cost-assumptions", api.cost_assumptions, name="api_cost_assumptions"),
]
