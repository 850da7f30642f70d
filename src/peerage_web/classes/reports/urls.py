"""Addresses of reports."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.reports import views

assignment_patterns = [
    path("allocation/reports", views.reports, name="allocation-reports"),
    path("allocation/reports/<int:submission>/settle", views.settle, name="allocation-settle"),
    path("reviews/<str:review>/report", views.report, name="review-report"),
]
