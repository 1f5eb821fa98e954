"""The addresses of access."""

from django.urls import path

from access import views, views_admin, views_webhooks

app_name = "access"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/<str:secret>/", views.sign_in_link, name="sign_in_link"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("account/", views.account, name="account"),
    path("account/password/", views.password, name="password"),
    path("account/tokens/", views_admin.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", views_admin.token_revoke, name="token_revoke"),
    path("account/users/", views_admin.users, name="users"),
    path("account/users/<int:pk>/", views_admin.user, name="user"),
    path("account/users/<int:pk>/link/", views_admin.user_link, name="user_link"),
    path("account/webhooks/", views_webhooks.webhooks, name="webhooks"),
    path("account/webhooks/<int:pk>/", views_webhooks.webhook, name="webhook"),
    path("account/webhooks/<int:pk>/sent/", views_webhooks.webhook_deliveries, name="webhook_deliveries"),
    path("account/webhooks/<int:pk>/pause/", views_webhooks.webhook_pause, name="webhook_pause"),
    path("account/webhooks/<int:pk>/test/", views_webhooks.webhook_test, name="webhook_test"),
    path("account/webhooks/<int:pk>/secret/", views_webhooks.webhook_secret, name="webhook_secret"),
    path("account/webhooks/<int:pk>/delete/", views_webhooks.webhook_delete, name="webhook_delete"),
    path("account/audit/", views_admin.audit, name="audit"),
]
