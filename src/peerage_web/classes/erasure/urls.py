"""Addresses of erasure."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.erasure import views

course_patterns = [
    path("people/<int:member>/data", views.export, name="member-data"),
    path("people/<int:member>/erase", views.erase, name="member-erase"),
]
