"""Saved plans as files and as bills of materials; their calls."""

from django.urls import path

from planner.api import plan_files as files
from planner.api import plan_steps as steps
from planner.api import plan_versions as versions
from planner.api import plans as api
from planner.views import plan_files as views

urlpatterns = [
    path("plans/<slug:uid>/bill/", views.plan_bill, name="plan_bill"),
    path("plans/<slug:uid>/export.<slug:ending>", views.plan_export, name="plan_export"),
    path("api/v1/plans", api.plans, name="api_plans"),
    path("api/v1/plan-comparisons", api.comparisons, name="api_plan_comparisons"),
    path("api/v1/plans/<slug:uid>", api.plan, name="api_plan"),
    path("api/v1/plans/<slug:uid>/versions", versions.versions, name="api_plan_versions"),
    path("api/v1/plans/<slug:uid>/versions/<int:number>", versions.version, name="api_plan_version"),
    path("api/v1/plans/<slug:uid>/diff", versions.diff, name="api_plan_diff"),
    path("api/v1/plans/<slug:uid>/bill", files.bill, name="api_plan_bill"),
    path("api/v1/plans/<slug:uid>/export", files.export, name="api_plan_export"),
    path("api/v1/plans/<slug:uid>/comments", steps.comments, name="api_plan_comments"),
    path("api/v1/plans/<slug:uid>/proposal", steps.propose, name="api_propose_plan"),
    path("api/v1/plans/<slug:uid>/withdrawal", steps.withdraw, name="api_withdraw_plan"),
    path("api/v1/plans/<slug:uid>/approval", steps.approve, name="api_approve_plan"),
    path("api/v1/plans/<slug:uid>/rejection", steps.reject, name="api_reject_plan"),
    path("api/v1/plans/<slug:uid>/reopening", steps.reopen, name="api_reopen_plan"),
    path("api/v1/plans/<slug:uid>/shares", steps.shares, name="api_plan_shares"),
    path("api/v1/plans/<slug:uid>/shares/<int:pk>", steps.one_share, name="api_plan_share"),
]
