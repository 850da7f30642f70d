"""Addresses of exports."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.exports import views

assignment_patterns = [
    path("exports", views.exports, name="exports"),
    path("exports/book", views.book, name="export-book"),
    path("exports/data", views.data, name="export-data"),
    path("exports/data/file", views.data_file, name="export-data-file"),
]
