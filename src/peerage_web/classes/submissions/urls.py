"""Addresses of submissions."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.submissions import file_views, staff_views, views

assignment_patterns = [
    path("submission/", views.submission, name="submission"),
    path("submission/upload", views.upload, name="submission-upload"),
    path("submission/change", views.change, name="submission-change"),
    path("submission/submit", views.submit, name="submission-submit"),
    path("submission/receipt", views.receipt, name="submission-receipt"),
    path("submission/picture", views.picture, name="submission-picture"),
    path("submission/download", views.download, name="submission-download"),
    path("submissions", staff_views.submissions, name="submissions"),
    path("submissions/download", staff_views.download_all, name="submissions-download"),
    path("submissions/for/<int:member>/", views.submission_for, name="submission-for"),
    path("submissions/for/<int:member>/upload", views.upload_for, name="submission-upload-for"),
    path("submissions/for/<int:member>/change", views.change_for, name="submission-change-for"),
    path("submissions/for/<int:member>/submit", views.submit_for, name="submission-submit-for"),
    path("submissions/<int:submission>/", staff_views.one, name="submissions-one"),
    path("submissions/<int:submission>/picture", staff_views.picture, name="submissions-one-picture"),
    path("submissions/<int:submission>/download", staff_views.download, name="submissions-one-download"),
    path("submissions/<int:submission>/original", staff_views.original, name="submissions-one-original"),
    path("submissions/<int:submission>/reopen", staff_views.reopen, name="submissions-reopen"),
    path("submissions/<int:submission>/exclude", staff_views.exclude, name="submissions-exclude"),
    path("submissions/<int:submission>/include", staff_views.include, name="submissions-include"),
    path("reviews/<str:review>/picture", file_views.review_picture, name="review-picture"),
    path("reviews/<str:review>/download", file_views.review_download, name="review-download"),
]
