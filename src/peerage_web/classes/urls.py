"""Addresses of classes. Keys are random; what they lead to is looked up through what the person may see."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from peerage_web.classes.views import (
    allocation,
    allocation_files,
    assignments,
    courses,
    dates,
    erasure,
    people,
    phases,
    planning,
    repairs,
    reports,
    roster,
    teams,
    wizard,
)

assignment_patterns = [
    path("", assignments.assignment, name="assignment"),
    path("as-student", assignments.as_student, name="assignment-as-student"),
    path("edit", assignments.edit, name="assignment-edit"),
    path("duplicate", assignments.duplicate, name="assignment-duplicate"),
    path("delete", assignments.delete, name="assignment-delete"),
    path("step", phases.step, name="assignment-step"),
    path("dates", dates.dates, name="assignment-dates"),
    path("extensions", dates.grant_extension, name="extension-grant"),
    path("extensions/<int:extension>/remove", dates.remove_extension, name="extension-remove"),
    path("teams", teams.teams, name="assignment-teams"),
    # allocation, its repair, and reports
    path("allocation", allocation.allocation, name="allocation"),
    path("allocation/commit", allocation.commit, name="allocation-commit"),
    path("allocation/matrix", allocation.matrix, name="allocation-matrix"),
    path("allocation/file", allocation_files.download, name="allocation-file"),
    path("allocation/import", allocation_files.upload, name="allocation-import"),
    path("allocation/import/commit", allocation_files.commit, name="allocation-import-commit"),
    path("allocation/repair", repairs.repair, name="allocation-repair"),
    path("allocation/repair/commit", repairs.commit, name="allocation-repair-commit"),
    path("allocation/give-back/<int:member>", repairs.give_back, name="allocation-give-back"),
    path("allocation/reports", reports.reports, name="allocation-reports"),
    path("allocation/reports/<int:work>/settle", reports.settle, name="allocation-settle"),
    path("reviews/<str:review>/report", reports.report, name="review-report"),
]
course_patterns: list[URLPattern | URLResolver] = [
    path("", courses.course, name="course"),
    path("settings", courses.settings, name="course-settings"),
    path("record", courses.record, name="course-record"),
    path("people", people.people, name="people"),
    path("people/add", people.add_student, name="student-add"),
    path("people/staff", people.add_staff, name="staff-add"),
    path("people/invite", people.invite_all, name="people-invite"),
    path("people/<int:member>/", people.member, name="member"),
    path("people/<int:member>/role", people.change_role, name="member-role"),
    path("people/<int:member>/drop", people.drop, name="member-drop"),
    path("people/<int:member>/invite", people.invite, name="member-invite"),
    path("people/<int:member>/data", erasure.export, name="member-data"),
    path("people/<int:member>/erase", erasure.erase, name="member-erase"),
    path("roster", roster.upload, name="roster-upload"),
    path("roster/<str:roster_import>/", roster.preview, name="roster-preview"),
    path("roster/<str:roster_import>/commit", roster.commit, name="roster-commit"),
    path("roster/<str:roster_import>/cancel", roster.cancel, name="roster-cancel"),
    path("assignments/new", assignments.new, name="assignment-new"),
    path("assignments/wizard", wizard.wizard, name="assignment-wizard"),
    path("assignments/expected", planning.expected, name="assignment-expected"),
    path("a/<str:assignment>/", include(assignment_patterns)),
]
urlpatterns = [
    path("courses", courses.courses, name="courses"),
    path("courses/new", courses.new_course, name="course-new"),
    path("c/<str:course>/", include(course_patterns)),
]
