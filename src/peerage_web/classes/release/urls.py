"""Addresses of release."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.release import views

assignment_patterns = [
    path("release/", views.release, name="release"),
    path("release/now", views.release_now, name="release-now"),
    path("release/retract", views.retract, name="release-retract"),
    path("release/as/<int:member>/", views.as_student, name="release-as"),
    path("release/reviewers", views.reviewers_list, name="release-reviewers"),
    path("feedback/", views.feedback, name="feedback"),
    path("feedback/<int:comment>/hide", views.hide, name="comment-hide"),
    path("feedback/<int:comment>/show", views.show_again, name="comment-show"),
    path("grade/", views.grade, name="grade"),
    path("grade/rate", views.rate_comments, name="grade-rate"),
]
