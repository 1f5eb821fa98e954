"""The calls about webhooks; their page is access's."""

from django.urls import path

from planner.api import webhooks as api

urlpatterns = [
    path("api/v1/webhooks", api.webhooks, name="api_webhooks"),
    path("api/v1/webhooks/<int:pk>", api.webhook, name="api_webhook"),
    path("api/v1/webhooks/<int:pk>/deliveries", api.deliveries, name="api_webhook_deliveries"),
    path("api/v1/webhooks/<int:pk>/test", api.send_test, name="api_test_webhook"),
]
