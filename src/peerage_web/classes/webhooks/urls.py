"""Addresses of webhooks."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.webhooks import views

course_patterns = [
    path("interfaces", views.interfaces, name="interfaces"),
    path("interfaces/tokens", views.add_token, name="token-add"),
    path("interfaces/tokens/<int:token>/revoke", views.revoke_token, name="token-revoke"),
    path("interfaces/webhooks", views.add_webhook, name="webhook-add"),
    path("interfaces/webhooks/<int:webhook>/", views.webhook, name="webhook"),
    path("interfaces/webhooks/<int:webhook>/end", views.end_webhook, name="webhook-end"),
    path("interfaces/webhooks/<int:webhook>/try", views.try_webhook, name="webhook-try"),
]
