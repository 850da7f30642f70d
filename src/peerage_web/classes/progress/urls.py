"""Addresses of progress."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.progress import views

assignment_patterns = [
    path("progress", views.progress, name="progress"),
    path("progress/export", views.export, name="progress-export"),
    path("progress/remind", views.remind, name="remind"),
]
