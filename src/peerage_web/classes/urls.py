"""Addresses of classes. Keys are random; what they lead to is looked up through what the person may see."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from peerage_web.classes.views import (
    all_works,
    assignments,
    courses,
    dates,
    erasure,
    people,
    phases,
    planning,
    roster,
    shown,
    teams,
    wizard,
    works,
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
    # works: handing in, and what is shown of them
    path("work/", works.work, name="work"),
    path("work/upload", works.upload, name="work-upload"),
    path("work/change", works.change, name="work-change"),
    path("work/hand-in", works.hand_in, name="work-hand-in"),
    path("work/receipt", works.receipt, name="work-receipt"),
    path("work/picture", works.picture, name="work-picture"),
    path("work/download", works.download, name="work-download"),
    path("works", all_works.works, name="works"),
    path("works/download", all_works.download_all, name="works-download"),
    path("works/for/<int:member>/", works.work_for, name="work-for"),
    path("works/for/<int:member>/upload", works.upload_for, name="work-upload-for"),
    path("works/for/<int:member>/change", works.change_for, name="work-change-for"),
    path("works/for/<int:member>/hand-in", works.hand_in_for, name="work-hand-in-for"),
    path("works/<int:work>/", all_works.one, name="works-one"),
    path("works/<int:work>/picture", all_works.picture, name="works-one-picture"),
    path("works/<int:work>/download", all_works.download, name="works-one-download"),
    path("works/<int:work>/original", all_works.original, name="works-one-original"),
    path("works/<int:work>/take-out", all_works.take_out, name="works-take-out"),
    path("works/<int:work>/put-back", all_works.put_back, name="works-put-back"),
    path("reviews/<str:review>/picture", shown.review_picture, name="review-picture"),
    path("reviews/<str:review>/download", shown.review_download, name="review-download"),
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
