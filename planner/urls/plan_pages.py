"""Saved plans: versions, comments, approval, comparison, links."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
