"""The one app of the project."""

from __future__ import annotations

from django.apps import AppConfig


class PeerageWeb(AppConfig):
    """Everything: models, pages, API."""

    name = "peerage_web"
    default_auto_field = "django.db.models.BigAutoField"
