"""What waits for staff, by mail: one digest per course and day with new appeals and reports, or none.

The first thing after a quiet day is told at once; what follows within the day waits for the next digest. Like
reminders, it can be turned off.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone

from peerage_web.accounts.services.mail import queue_mail, unsubscribe_path
from peerage_web.classes import texts
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import STAFF
from peerage_web.classes.quarantine import course_by_course
from peerage_web.shared.database import exclusively

KIND = "digest"
DAY = timedelta(days=1)
SETTLED = timedelta(minutes=1)  # after which no transaction is open that would add an earlier entry
APPEALS, EXCLUDED, SUBMISSION_REPORTED = "appeal-opened", "submission-excluded", "submission-reported"
REPORTS = (SUBMISSION_REPORTED, "comment-reported", "reply-reported")
# staff who exclude a submission themselves need no mail about it
NEWS = Q(verb__in=(APPEALS, *REPORTS)) | Q(verb=EXCLUDED, actor__isnull=True)


@dataclass(slots=True)
class DigestEntry:
    """What is new in one assignment."""

    assignment: Assignment
    appeals: int = 0
    reports: int = 0  # of submissions
    remarks: int = 0  # comments and replies that were reported
    excluded: int = 0
    reasons: list[Any] = field(default_factory=list)  # of reports, each once, in words
    appeals_path: str = ""
    reports_path: str = ""

    @property
    def why(self) -> str:
        """The reasons of reports, in the language in which the mail is written."""
        return "; ".join(map(str, self.reasons))


def write_digests() -> int:
    """Write the mail of every course where something is new and a day has passed; to how many people."""
    now = timezone.now()
    news = Event.objects.filter(NEWS, course=OuterRef("pk"), assignment__isnull=False)
    news = news.filter(at__gt=OuterRef("digest_until"), at__lte=now - SETTLED)
    waiting = Course.objects.filter(Exists(news), hidden_at=None, digest_until__lte=now - DAY)
    return course_by_course("digest", waiting, lambda course: _write(course, now - SETTLED), course="pk")


def _write(course: Course, until: datetime) -> int:
    with exclusively(f"digest of course {course.pk}"):
        course.refresh_from_db(fields=["digest_until"])  # another instance may have been faster
        if course.digest_until > until - DAY + SETTLED:
            return 0
        events = Event.objects.filter(NEWS, course=course, at__gt=course.digest_until, at__lte=until)
        entries = _entries(events.select_related("assignment__course").order_by("at", "pk"))
        Course.objects.filter(pk=course.pk).update(digest_until=until)
        return _send(course, entries) if entries else 0


def _entries(events: Iterable[Event]) -> list[DigestEntry]:
    entries: dict[int, DigestEntry] = {}
    for event in events:
        assignment = event.assignment
        if assignment is None:  # deleted meanwhile
            continue
        where = [assignment.course.key, assignment.key]
        entry = entries.setdefault(
            assignment.pk,
            DigestEntry(
                assignment,
                appeals_path=reverse("appeals", args=where),
                reports_path=reverse("allocation-reports", args=where),
            ),
        )
        if event.verb == APPEALS:
            entry.appeals += 1
        elif event.verb == EXCLUDED:
            entry.excluded += 1
        elif event.verb != SUBMISSION_REPORTED:
            entry.remarks += 1
        else:
            entry.reports += 1
            reason = texts.WHY.get(event.data.get("reason", ""))
            if reason is not None and reason not in entry.reasons:
                entry.reasons.append(reason)
    return list(entries.values())


def _send(course: Course, entries: list[DigestEntry]) -> int:
    staff = Membership.objects.filter(
        course=course, role__in=STAFF, person__is_active=True, person__wants_reminders=True
    )
    return sum(
        queue_mail(
            person=member.person,
            kind=KIND,
            context={"course": course, "entries": entries, "way_out": unsubscribe_path(member.person)},
            language=course.language,
            about=f"course {course.pk}",
        )
        for member in staff.select_related("person")
    )
