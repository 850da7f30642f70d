"""Addresses of classes. Keys are random; what they lead to is looked up through what the person may see."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from peerage_web.classes.allocation import urls as allocation
from peerage_web.classes.announcements import urls as announcements
from peerage_web.classes.appeals import urls as appeals
from peerage_web.classes.archives import urls as archives
from peerage_web.classes.assignments import urls as assignments
from peerage_web.classes.calendars import urls as calendars
from peerage_web.classes.courses import urls as courses
from peerage_web.classes.erasure import urls as erasure
from peerage_web.classes.exports import urls as exports
from peerage_web.classes.grading import urls as grading
from peerage_web.classes.practice import urls as practice
from peerage_web.classes.progress import urls as progress
from peerage_web.classes.reassignment import urls as reassignment
from peerage_web.classes.release import urls as release
from peerage_web.classes.replies import urls as replies
from peerage_web.classes.reports import urls as reports
from peerage_web.classes.reviewing import urls as reviewing
from peerage_web.classes.roster import urls as roster
from peerage_web.classes.rubrics import urls as rubrics
from peerage_web.classes.self_reviews import urls as self_reviews
from peerage_web.classes.submissions import urls as submissions
from peerage_web.classes.survey import urls as survey
from peerage_web.classes.webhooks import urls as webhooks

assignment_patterns = [
    *assignments.assignment_patterns,
    *progress.assignment_patterns,
    *reviewing.assignment_patterns,
    *self_reviews.assignment_patterns,
    *practice.assignment_patterns,
    *rubrics.assignment_patterns,
    *submissions.assignment_patterns,
    *allocation.assignment_patterns,
    *reassignment.assignment_patterns,
    *reports.assignment_patterns,
    *appeals.assignment_patterns,
    *survey.assignment_patterns,
    *grading.assignment_patterns,
    *release.assignment_patterns,
    *replies.assignment_patterns,
    *exports.assignment_patterns,
]
course_patterns: list[URLPattern | URLResolver] = [
    *assignments.course_patterns,
    *courses.course_patterns,
    *announcements.course_patterns,
    *roster.course_patterns,
    *erasure.course_patterns,
    *webhooks.course_patterns,
    *archives.course_patterns,
    path("a/<str:assignment>/", include(assignment_patterns)),
]
urlpatterns = [
    *courses.patterns,
    *archives.patterns,
    *calendars.patterns,
    path("c/<str:course>/", include(course_patterns)),
]
