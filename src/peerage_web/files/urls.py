"""Addresses of the pages. What belongs to a job stands under its key, which nobody can guess."""

from __future__ import annotations

from django.urls import include, path

from peerage_web.files.views import downloads, explanation, job, keeping, progress, result, setup, start

job_patterns = [
    path("", job.job, name="job"),
    path("preview", setup.preview, name="preview"),
    path("again", setup.again, name="again"),
    path("grade", setup.grade, name="grade"),
    path("progress", progress.progress, name="progress"),
    path("cancel", progress.cancel, name="cancel"),
    path("delete", job.delete, name="delete"),
    path("keep", keeping.keep, name="keep"),
    path("explain", explanation.explain, name="explain"),
    path("rows/<str:table>", result.rows, name="rows"),
    path("report", downloads.report, name="report"),
    path("files/<str:name>", downloads.download, name="download"),
]
urlpatterns = [
    path("", start.start, name="start"),
    path("example", start.example, name="example"),
    path("results", keeping.mine, name="mine"),
    path("j/<str:key>/", include(job_patterns)),
]
