"""Addresses of submissions."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.submissions import file_views, staff_views, views

assignment_patterns = [
    path("work/", views.work, name="work"),
    path("work/upload", views.upload, name="work-upload"),
    path("work/change", views.change, name="work-change"),
    path("work/hand-in", views.hand_in, name="work-hand-in"),
    path("work/receipt", views.receipt, name="work-receipt"),
    path("work/picture", views.picture, name="work-picture"),
    path("work/download", views.download, name="work-download"),
    path("works", staff_views.works, name="works"),
    path("works/download", staff_views.download_all, name="works-download"),
    path("works/for/<int:member>/", views.work_for, name="work-for"),
    path("works/for/<int:member>/upload", views.upload_for, name="work-upload-for"),
    path("works/for/<int:member>/change", views.change_for, name="work-change-for"),
    path("works/for/<int:member>/hand-in", views.hand_in_for, name="work-hand-in-for"),
    path("works/<int:work>/", staff_views.one, name="works-one"),
    path("works/<int:work>/picture", staff_views.picture, name="works-one-picture"),
    path("works/<int:work>/download", staff_views.download, name="works-one-download"),
    path("works/<int:work>/original", staff_views.original, name="works-one-original"),
    path("works/<int:work>/take-out", staff_views.take_out, name="works-take-out"),
    path("works/<int:work>/put-back", staff_views.put_back, name="works-put-back"),
    path("reviews/<str:review>/picture", file_views.review_picture, name="review-picture"),
    path("reviews/<str:review>/download", file_views.review_download, name="review-download"),
]
