"""Addresses of archives."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.archives import views

course_patterns = [
    path("archive", views.archive, name="course-archive"),
]
patterns = [
    path("courses/import", views.import_, name="course-import"),
]
