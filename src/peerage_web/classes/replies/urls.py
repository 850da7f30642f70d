"""Addresses of replies."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.replies import views

assignment_patterns = [
    path("grade/reply", views.reply, name="reply"),
    path("reviews/<str:review>/report-reply", views.report, name="reply-report"),
    path("feedback/replies/<int:submission>/hide", views.hide, name="reply-hide"),
    path("feedback/replies/<int:submission>/show", views.show, name="reply-show"),
]
