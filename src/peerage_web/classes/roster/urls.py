"""Addresses of roster."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.roster import views

course_patterns = [
    path("people", views.people, name="people"),
    path("people/add", views.add_student, name="student-add"),
    path("people/staff", views.add_staff, name="staff-add"),
    path("people/invite", views.invite_all, name="people-invite"),
    path("people/<int:member>/", views.member, name="member"),
    path("people/<int:member>/role", views.change_role, name="member-role"),
    path("people/<int:member>/drop", views.drop, name="member-drop"),
    path("people/<int:member>/invite", views.invite, name="member-invite"),
    path("roster", views.upload, name="roster-upload"),
    path("roster/<str:roster_import>/", views.preview, name="roster-preview"),
    path("roster/<str:roster_import>/commit", views.commit, name="roster-commit"),
    path("roster/<str:roster_import>/cancel", views.cancel, name="roster-cancel"),
]
