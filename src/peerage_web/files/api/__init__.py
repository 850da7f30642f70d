"""Addresses of the API for files and jobs."""

from peerage_web.files.api import check, grade, jobs

ROUTERS = (check.router, grade.router, jobs.router)
