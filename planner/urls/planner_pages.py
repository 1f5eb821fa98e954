"""Planning: pages and calls that answer from the catalog and keep nothing."""

from django.urls import path

from planner.api import command_checks as api_check
from planner.api import estimates as api
from planner.api import limits as api_limits
from planner.api import recommendations as api_recommend
from planner.views import check as check_views
from planner.views import fits as fits_views
from planner.views import plan as views
from planner.views import recommend as recommend_views
from planner.views import reference as reference_views

urlpatterns = [
    path("", views.home, name="home"),
    path("recommend/", recommend_views.recommend, name="recommend"),
    path("recommend/config/", recommend_views.read_search_config, name="read_search_config"),
    path("recommend/options.csv", recommend_views.options_csv, name="options_csv"),
    path("recommend/winners/", recommend_views.winners, name="winners"),
    path("plan/", views.plan, name="plan"),
    path("plan/<slug:chart>.csv", views.chart_data, name="chart_data"),
    path("plan/config/", views.read_pasted_config, name="read_pasted_config"),
    path("fits/", fits_views.fits, name="fits"),
    path("reference/", reference_views.reference, name="reference"),
    path("help/keyboard/", views.keyboard, name="keyboard"),
    path("check/", check_views.check, name="check"),
    path("api/v1/command-checks", api_check.command_checks, name="command_checks"),
    path("api/v1/estimates", api.estimates, name="estimates"),
    path("api/v1/limits", api_limits.limits, name="limits"),
    path("api/v1/fits", api_limits.fits, name="create_fits"),
    path("api/v1/recommendations", api_recommend.recommendations, name="recommendations"),
]
