"""Addresses of rubrics."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.rubrics import views

assignment_patterns = [
    path("rubric/", views.rubric, name="rubric"),
    path("rubric/<int:criterion>/", views.criterion, name="rubric-criterion"),
    path("rubric/<int:criterion>/up", views.move_up, name="rubric-up"),
    path("rubric/<int:criterion>/remove", views.remove, name="rubric-remove"),
]
