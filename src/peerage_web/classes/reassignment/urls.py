"""Addresses of reassignment."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.reassignment import views

assignment_patterns = [
    path("allocation/repair", views.repair, name="allocation-repair"),
    path("allocation/repair/commit", views.commit, name="allocation-repair-commit"),
    path("allocation/return/<int:member>", views.return_reviews, name="allocation-return"),
]
