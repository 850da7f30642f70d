"""The API, version 1. Described at /api/v1/openapi.json, and for people in docs/api.md."""

from peerage_web.api.build import urlpatterns

__all__ = ["app_name", "urlpatterns"]

app_name = "api"  # so that names of addresses do not meet those of the pages
