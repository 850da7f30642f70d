"""Addresses of grading."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.grading import result_views, views

assignment_patterns = [
    path("grading/", views.runs, name="grading"),
    path("grading/plan", views.plan, name="grading-plan"),
    path("grading/start", views.start, name="grading-start"),
    path("grading/staff-reviews", result_views.staff_reviews, name="grading-staff-reviews"),
    path("grading/ranking", result_views.ranking, name="grading-ranking"),
    path("grading/submissions/<int:submission>/", views.override, name="grading-override"),
    path("grading/runs/<str:run>/", views.run, name="grading-run"),
    path("grading/runs/<str:run>/progress", views.progress, name="grading-progress"),
    path("grading/runs/<str:run>/cancel", views.cancel, name="grading-cancel"),
    path("grading/runs/<str:run>/approve", views.approve, name="grading-approve"),
    path("grading/runs/<str:run>/compare", views.compare, name="grading-compare"),
    path("grading/runs/<str:run>/report", result_views.report, name="grading-report"),
    path("grading/runs/<str:run>/file", result_views.file, name="grading-file"),
    path("grading/runs/<str:run>/explain", result_views.explain, name="grading-explain"),
    path("grading/runs/<str:run>/rows/grades", result_views.grade_rows, name="grading-rows-grades"),
    path("grading/runs/<str:run>/rows/graders", result_views.grader_rows, name="grading-rows-graders"),
]
