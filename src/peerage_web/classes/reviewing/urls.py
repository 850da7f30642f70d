"""Addresses of reviewing."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.reviewing import views

assignment_patterns = [
    path("reviews/", views.reviews, name="reviews"),
    path("reviews/save", views.save, name="reviews-save"),
    path("reviews/submit", views.submit, name="reviews-submit"),
    path("reviews/receipts/<str:submitted_ranking>/", views.receipt, name="ranking-receipt"),
    path("reviews/<str:review>/", views.review, name="review"),
    path("rank-for/<int:member>/", views.review_for, name="rank-for"),
    path("rank-for/<int:member>/save", views.save_for, name="rank-for-save"),
    path("rank-for/<int:member>/submit", views.submit_for, name="rank-for-submit"),
    path("rank-for/<int:member>/<str:review>/", views.submission_for, name="rank-for-submission"),
]
