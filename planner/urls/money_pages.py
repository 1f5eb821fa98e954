"""Quotes and exchange rates."""

from django.urls import path

from planner.api import quotes as api
from planner.views import money as views
from planner.views import money_files as files

urlpatterns = [
    path("buy/quotes/", views.quotes, name="quotes"),
    path("buy/quotes/new/", views.new_quote, name="new_quote"),
    path("buy/quotes/import/", files.import_quotes, name="import_quotes"),
    path("buy/quotes/template.csv", files.template, name="quote_template"),
    path("buy/quotes/quotes.csv", files.export, name="quotes_csv"),
    path("buy/quotes/<slug:uid>/", views.quote, name="quote"),
    path("buy/quotes/<slug:uid>/edit/", views.edit_quote, name="edit_quote"),
    path("buy/quotes/<slug:uid>/withdraw/", views.withdraw, name="withdraw_quote"),
    path("buy/rates/", views.rates, name="rates"),
    path("buy/rates/set/", views.change_rate, name="change_rate"),
    path("api/v1/quotes", api.quotes, name="api_quotes"),
    path("api/v1/quotes/<slug:uid>", api.quote, name="api_quote"),
    path("api/v1/quotes/<slug:uid>/withdraw", api.withdraw, name="api_withdraw_quote"),
    path("api/v1/exchange-rates", api.rates, name="api_rates"),
    path("api/v1/exchange-rates/<slug:currency>", api.rate, name="api_rate"),
]
