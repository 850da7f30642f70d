"""Addresses of reviewing."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.reviewing import views

assignment_patterns = [
    path("reviews/", views.reviews, name="reviews"),
    path("reviews/save", views.save, name="reviews-save"),
    path("reviews/hand-in", views.hand_in, name="reviews-hand-in"),
    path("reviews/receipts/<str:handed_in>/", views.receipt, name="ranking-receipt"),
    path("reviews/<str:review>/", views.review, name="review"),
    path("judge/<int:member>/", views.review_for, name="judge"),
    path("judge/<int:member>/save", views.save_for, name="judge-save"),
    path("judge/<int:member>/hand-in", views.hand_in_for, name="judge-hand-in"),
    path("judge/<int:member>/<str:review>/", views.submission_for, name="judge-work"),
]
