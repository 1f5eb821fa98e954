"""The catalog: what it holds, and what the team makes of it."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
