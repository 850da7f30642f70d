"""Addresses of allocation."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.allocation import views

assignment_patterns = [
    path("allocation", views.allocation, name="allocation"),
    path("allocation/commit", views.commit, name="allocation-commit"),
    path("allocation/discard", views.discard, name="allocation-discard"),
    path("allocation/matrix", views.matrix, name="allocation-matrix"),
    path("allocation/file", views.download_file, name="allocation-file"),
    path("allocation/import", views.import_file, name="allocation-import"),
    path("allocation/import/commit", views.commit_import, name="allocation-import-commit"),
]
