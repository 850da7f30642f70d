"""Addresses of survey."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.survey import views

assignment_patterns = [
    path("survey/", views.survey, name="survey"),
    path("survey/answers", views.staff, name="survey-staff"),
    path("survey/answers/file", views.file, name="survey-file"),
    path("survey/answers/<int:question>/", views.code, name="survey-code"),
    path("survey/finish-coding", views.finish_coding, name="survey-finish-coding"),
    path("survey/results", views.results, name="survey-results"),
    path("survey/questions", views.questions, name="survey-questions"),
    path("survey/questions/<int:question>/remove", views.remove, name="survey-remove"),
    path("survey/questions/<int:question>/again", views.again, name="survey-again"),
    path("survey/switch", views.switch, name="survey-switch"),
    path("survey/close", views.close, name="survey-close"),
]
