"""Models that the team brings in, and the hubs that they come from."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
