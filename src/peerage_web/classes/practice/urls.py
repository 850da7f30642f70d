"""Addresses of practice."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.practice import views

assignment_patterns = [
    path("practice/", views.practice, name="practice"),
    path("practice/save", views.save, name="practice-save"),
    path("practice/finish", views.finish, name="practice-finish"),
    path("practice/<str:example>/picture", views.picture, name="practice-picture"),
    path("practice/<str:example>/download", views.download, name="practice-download"),
    path("practice/examples/", views.examples, name="practice-examples"),
    path("practice/examples/<str:example>/", views.example, name="practice-example"),
    path("practice/examples/<str:example>/remove", views.remove, name="practice-remove"),
]
