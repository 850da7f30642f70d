"""Addresses of assignments."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.assignments import views

assignment_patterns = [
    path("", views.assignment, name="assignment"),
    path("as-student", views.as_student, name="assignment-as-student"),
    path("edit", views.edit, name="assignment-edit"),
    path("duplicate", views.duplicate, name="assignment-duplicate"),
    path("delete", views.delete, name="assignment-delete"),
    path("step", views.step, name="assignment-step"),
    path("dates", views.dates, name="assignment-dates"),
    path("extensions", views.grant_extension, name="extension-grant"),
    path("extensions/<int:extension>/remove", views.remove_extension, name="extension-remove"),
    path("teams", views.teams, name="assignment-teams"),
]
course_patterns = [
    path("assignments/new", views.new, name="assignment-new"),
    path("assignments/wizard", views.wizard, name="assignment-wizard"),
    path("assignments/expected", views.expected, name="assignment-expected"),
    path("assignments/curve", views.curve, name="curve-preview"),
]
