"""Addresses of a job and its results."""

from __future__ import annotations

from django.urls import path

from peerage_web.views import downloads, explanation, job, result

urlpatterns = [
    path("", job.job, name="job"),
    path("delete", job.delete, name="delete"),
    path("explain", explanation.explain, name="explain"),
    path("rows/<str:table>", result.rows, name="rows"),
    path("report", downloads.report, name="report"),
    path("files/<str:name>", downloads.download, name="download"),
]
