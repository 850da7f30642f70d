"""Every address of the API, version 1. Described at /api/v1/openapi.json,
and for people in docs/reference/http-api.md.
"""

from peerage_web.api import problems
from peerage_web.api.build import api
from peerage_web.classes import api as classes
from peerage_web.files.api import grade, jobs
from peerage_web.planning import api as planning

app_name = "api"  # so that names of addresses do not meet those of the pages

for router in (grade.router, jobs.router, planning.router, *classes.ROUTERS, problems.router):
    api.add_router("", router)

urlpatterns = [pattern for pattern in api.urls[0] if getattr(pattern, "name", "") != "api-root"]
