"""What a set-up costs to own, to run and to rent; what a budget buys."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
