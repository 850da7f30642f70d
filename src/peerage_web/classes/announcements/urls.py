"""Addresses of announcements."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.announcements import views

course_patterns = [
    path("announcements", views.announcements, name="announcements"),
    path("announcements/new", views.announce, name="announcements-new"),
    path("announcements/<int:announcement>/edit", views.edit, name="announcements-edit"),
    path("announcements/<int:announcement>/withdraw", views.withdraw, name="announcements-withdraw"),
]
