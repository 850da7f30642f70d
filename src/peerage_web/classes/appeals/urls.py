"""Addresses of appeals."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.appeals import views

assignment_patterns = [
    path("appeal/", views.appeal, name="appeal"),
    path("appeal/<str:appeal>/withdraw", views.withdraw, name="appeal-withdraw"),
    path("appeals/", views.appeals, name="appeals"),
    path("appeals/open", views.open_for, name="appeal-open"),
    path("appeals/<str:appeal>/", views.staff_appeal, name="appeals-one"),
    path("appeals/<str:appeal>/preview", views.preview, name="appeal-preview"),
    path("appeals/<str:appeal>/accept", views.accept, name="appeal-accept"),
    path("appeals/<str:appeal>/decline", views.decline, name="appeal-decline"),
]
