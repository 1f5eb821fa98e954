"""Quotes and exchange rates."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
