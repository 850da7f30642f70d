"""The one app of the project."""

from django.apps import AppConfig


class PeerageWeb(AppConfig):
    name = "peerage_web"
    default_auto_field = "django.db.models.BigAutoField"
