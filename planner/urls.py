"""Pages of the planner."""

from django.urls import path

from planner import views

app_name = "planner"
urlpatterns = [
    path("plan/", views.plan, name="plan"),
    path("plan/config/", views.read_pasted_config, name="read_pasted_config"),
    path("help/keyboard/", views.keyboard, name="keyboard"),
]
