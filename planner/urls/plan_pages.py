"""Saved plans: versions, comments, approval, comparison, links."""

from django.urls import path

from planner.views import plan_details as details
from planner.views import plan_order as order
from planner.views import plan_rules as rules
from planner.views import plan_shares as shares
from planner.views import plan_versions as versions
from planner.views import plans as views

urlpatterns = [
    path("plans/", views.plans, name="plans"),
    path("plans/new/", views.new_plan, name="new_plan"),
    path("plans/rules/", rules.plan_rules, name="plan_rules"),
    path("plans/compare/", versions.compare_plans, name="compare_plans"),
    path("plans/<slug:uid>/", views.saved_plan, name="saved_plan"),
    path("plans/<slug:uid>/edit/", details.edit_details, name="edit_plan"),
    path("plans/<slug:uid>/change/", versions.change_plan, name="change_plan"),
    path("plans/<slug:uid>/order/", order.edit_order, name="edit_order"),
    path("plans/<slug:uid>/versions/<int:number>/", versions.plan_version, name="plan_version"),
    path("plans/<slug:uid>/diff/", versions.plan_diff, name="plan_diff"),
    path("plans/<slug:uid>/comment/", views.add_comment, name="comment_plan"),
    path("plans/<slug:uid>/step/<slug:name>/", views.step, name="step_plan"),
    path("plans/<slug:uid>/archive/", views.archive_plan, name="archive_plan"),
    path("plans/<slug:uid>/share/", shares.share_plan, name="share_plan"),
    path("plans/<slug:uid>/share/<int:pk>/end/", shares.unshare_plan, name="unshare_plan"),
    path("shared/<str:secret>/", shares.shared_plan, name="shared_plan"),
]
