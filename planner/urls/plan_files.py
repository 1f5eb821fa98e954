"""Saved plans as files and as bills of materials; their calls."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
