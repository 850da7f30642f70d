"""Addresses of webhooks."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.webhooks import views

course_patterns = [
    path("tokens-and-webhooks", views.tokens_and_webhooks, name="tokens-and-webhooks"),
    path("tokens-and-webhooks/tokens", views.add_token, name="token-add"),
    path("tokens-and-webhooks/tokens/<int:token>/revoke", views.revoke_token, name="token-revoke"),
    path("tokens-and-webhooks/webhooks", views.add_webhook, name="webhook-add"),
    path("tokens-and-webhooks/webhooks/<int:webhook>/", views.webhook, name="webhook"),
    path("tokens-and-webhooks/webhooks/<int:webhook>/end", views.end_webhook, name="webhook-end"),
    path("tokens-and-webhooks/webhooks/<int:webhook>/try", views.try_webhook, name="webhook-try"),
]
