"""Addresses of courses."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.courses import views

course_patterns = [
    path("", views.course, name="course"),
    path("settings", views.course_settings, name="course-settings"),
    path("hide", views.hide, name="course-hide"),
    path("show", views.show, name="course-show"),
    path("delete", views.delete, name="course-delete"),
    path("keep", views.keep, name="course-keep"),
    path("copy", views.copy, name="course-copy"),
    path("activity-log", views.activity_log, name="activity-log"),
]
patterns = [
    path("courses", views.courses, name="courses"),
    path("courses/new", views.new_course, name="course-new"),
]
