"""Addresses of courses."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.courses import views

course_patterns = [
    path("", views.course, name="course"),
    path("settings", views.course_settings, name="course-settings"),
    path("record", views.record, name="course-record"),
]
patterns = [
    path("courses", views.courses, name="courses"),
    path("courses/new", views.new_course, name="course-new"),
]
