"""Every address of the API, version 1. Described at /api/v1/openapi.json, and for people in docs/api.md."""

from __future__ import annotations

from peerage_web.api import problems
from peerage_web.api.build import api
from peerage_web.classes import api as classes
from peerage_web.files import api as files
from peerage_web.planning import api as planning

app_name = "api"  # so that names of addresses do not meet those of the pages

for router in (*files.ROUTERS, *planning.ROUTERS, *classes.ROUTERS, problems.router):
    api.add_router("", router)

urlpatterns = [one for one in api.urls[0] if getattr(one, "name", "") != "api-root"]
