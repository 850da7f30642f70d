"""Addresses of self-reviews."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.self_reviews import views

assignment_patterns = [path("self-review", views.self_review, name="self-review")]
