"""How long a course is kept, and how much room its files take."""

import calendar
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Max, Sum

from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.assignments.models import Assignment, Extension
from peerage_web.classes.courses.models import Course
from peerage_web.classes.release.models import Release
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.files.models import Job

DATES = ("due_at", "late_until", "reviews_due_at", "release_at", "phase_since")


@dataclass(frozen=True, slots=True)
class DiskUsage:
    """Bytes that the files of a course take, of those it may take."""

    taken: int
    most: int

    @property
    def is_short(self) -> bool:
        """Whether little is left."""
        return self.taken * 10 >= self.most * 9


def disk_usage_of(course: Course) -> DiskUsage:
    """Submissions with their copies, and the files of grading runs."""
    files = SubmissionFile.objects.filter(version__submission__assignment__course=course)
    runs = Job.objects.filter(grading_run__assignment__course=course)
    taken = sum(int(rows.order_by().aggregate(size=Sum("disk_bytes"))["size"] or 0) for rows in (files, runs))
    return DiskUsage(taken, most_bytes(course))


def most_bytes(course: Course) -> int:
    """Its own limit, else that of every course."""
    return course.most_bytes if course.most_bytes is not None else settings.LIMITS.course_bytes


def last_date(course: Course) -> datetime:
    """The last that was planned or happened in it."""
    assignments = Assignment.objects.filter(course=course).order_by()
    times: list[datetime | None] = list(assignments.aggregate(**{name: Max(name) for name in DATES}).values())
    later = Extension.objects.filter(assignment__course=course).order_by()
    times += later.aggregate(submissions=Max("due_at"), reviews=Max("reviews_due_at")).values()
    releases = Release.objects.filter(assignment__course=course).order_by()
    times += releases.aggregate(made=Max("made_at")).values()
    appeals = Appeal.objects.filter(assignment__course=course).order_by()
    times += appeals.aggregate(opened=Max("opened_at"), ended=Max("ended_at")).values()
    return max([course.created_at, *(time for time in times if time is not None)])


def kept_until(course: Course) -> datetime | None:
    """When everything of it is deleted; None: never."""
    if course.delete_at is not None:
        return course.delete_at
    if not course.keep_months:
        return None
    return months_later(last_date(course), course.keep_months)


def months_later(start: datetime, months: int) -> datetime:
    """The same day so many months later; the last of the month where that has no such day."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    day = min(start.day, calendar.monthrange(year, month + 1)[1])
    return start.replace(year=year, month=month + 1, day=day)
