"""Addresses of the pages. What belongs to a job stands under its key, which nobody can guess."""

from django.urls import include, path

from peerage_web.files.views import result, setup, start

job_patterns = [
    path("", result.job_page, name="job"),
    path("preview", setup.preview, name="preview"),
    path("again", setup.again, name="again"),
    path("grade", setup.grade, name="grade"),
    path("progress", result.progress, name="progress"),
    path("cancel", result.cancel, name="cancel"),
    path("delete", result.delete, name="delete"),
    path("keep", result.keep, name="keep"),
    path("explain", result.explain, name="explain"),
    path("rows/<str:table>", result.rows, name="rows"),
    path("report", result.report, name="report"),
    path("files/<str:name>", result.download, name="download"),
]
urlpatterns = [
    path("", start.start, name="start"),
    path("example", start.example, name="example"),
    path("results", result.own_results, name="mine"),
    path("j/<str:key>/", include(job_patterns)),
]
