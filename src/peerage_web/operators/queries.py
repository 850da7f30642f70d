"""What operators look at: the queue, the disk, mail, and how much of it each course takes."""

import json
import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Q, QuerySet, Sum
from django.utils import timezone

from peerage_web.accounts.models import Mail, Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.retention.queries import DiskUsage, most_bytes
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.classes.webhooks.models import Delivery
from peerage_web.files.models import Job

WEEK = timedelta(days=7)
DAY = timedelta(days=1)
SHOWN = 10
LAST_BACKUP = "last-backup.json"


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """Jobs of visitors and of classes, and copies of submissions for reviewers."""

    waiting: int
    running: int
    oldest: datetime | None  # since when the first that waits has waited
    done: int  # within a day
    failed: int  # within a week
    problems: list[tuple[str, int]]  # why they failed, most frequent first
    copies_waiting: int
    copies_failed: int


def queue_summary() -> QueueSummary:
    now, state = timezone.now(), Job.State
    lately = Q(finished_at__gt=now - WEEK)
    figures: dict[str, Any] = Job.objects.order_by().aggregate(
        waiting=Count("pk", filter=Q(state=state.QUEUED)),
        running=Count("pk", filter=Q(state=state.RUNNING)),
        oldest=Min("queued_at", filter=Q(state=state.QUEUED)),
        done=Count("pk", filter=Q(state=state.DONE, finished_at__gt=now - DAY)),
        failed=Count("pk", filter=Q(state=state.FAILED) & lately),
    )
    titles: dict[str, int] = {}
    failed = Job.objects.filter(lately, state=state.FAILED).order_by("-finished_at")
    for problem in failed.values_list("problem", flat=True)[:1000]:
        title = str((problem or {}).get("title", ""))
        titles[title] = titles.get(title, 0) + 1
    copies: dict[str, Any] = SubmissionFile.objects.order_by().aggregate(
        copies_waiting=Count("pk", filter=Q(state=SubmissionFile.State.WAITING)),
        copies_failed=Count("pk", filter=Q(state=SubmissionFile.State.FAILED)),
    )
    ordered = sorted(titles.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
    return QueueSummary(problems=ordered, **figures, **copies)


@dataclass(frozen=True, slots=True)
class StorageSummary:
    """The disk, and what is on it."""

    free: int
    total: int
    least: int
    submissions: DiskUsage
    jobs: DiskUsage
    database: int

    @property
    def is_short(self) -> bool:
        """Whether the service takes no more files."""
        return self.free < self.least


def storage_summary() -> StorageSummary:
    disk = shutil.disk_usage(settings.DATA)
    limits = settings.LIMITS
    submissions = SubmissionFile.objects.order_by().aggregate(size=Sum("disk_bytes"))["size"] or 0
    jobs = Job.objects.order_by().aggregate(size=Sum("disk_bytes"))["size"] or 0
    return StorageSummary(
        free=disk.free,
        total=disk.total,
        least=settings.LEAST_FREE,
        submissions=DiskUsage(submissions, limits.submissions_bytes),
        jobs=DiskUsage(jobs, limits.disk_bytes),
        database=_database_bytes(),
    )


def _database_bytes() -> int:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    place = Path(str(connection.settings_dict["NAME"]))
    files = (place, place.with_name(place.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.is_file())


@dataclass(frozen=True, slots=True)
class MailSummary:
    """Where mail goes, and what became of it."""

    server: str  # host and port; empty: it is written as files
    safe: str  # how the line is protected: "tls", "starttls" or nothing
    signs_in: bool
    sender: str
    folder: str
    waiting: int
    given_up: int  # within a week
    last_sent: datetime | None
    last_problem: str
    webhooks_waiting: int


def mail_summary() -> MailSummary:
    """The set-up as the service has it; never a password."""
    smtp = settings.EMAIL_BACKEND.endswith("smtp.EmailBackend")
    unsent = Mail.objects.filter(sent_at=None)
    trouble = unsent.exclude(problem="").order_by("-pk").first()
    sent = Mail.objects.filter(sent_at__isnull=False).order_by("-sent_at").first()
    return MailSummary(
        server=f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}" if smtp else "",
        safe=_line() if smtp else "",
        signs_in=smtp and bool(settings.EMAIL_HOST_USER),
        sender=settings.DEFAULT_FROM_EMAIL,
        folder="" if smtp else str(settings.MAIL_FOLDER.name),
        waiting=unsent.filter(given_up_at=None).count(),
        given_up=unsent.filter(given_up_at__gt=timezone.now() - WEEK).count(),
        last_sent=sent.sent_at if sent is not None else None,
        last_problem=trouble.problem if trouble is not None else "",
        webhooks_waiting=Delivery.objects.filter(taken_at=None, next_at__isnull=False).count(),
    )


def _line() -> str:
    if settings.EMAIL_USE_SSL:
        return "tls"
    return "starttls" if settings.EMAIL_USE_TLS else ""


@dataclass(frozen=True, slots=True)
class CourseRow:
    """A course as operators see it: nothing of what is in it."""

    course: Course
    people: int
    room: DiskUsage


def courses() -> QuerySet[Course]:
    return Course.objects.order_by("-created_at", "-pk")


def rows_of(courses: list[Course]) -> list[CourseRow]:
    """With people and bytes, looked up for all of them at once."""
    people = _per_course(Membership.objects.filter(course__in=courses), "course", Count("pk"))
    submissions = SubmissionFile.objects.filter(version__submission__assignment__course__in=courses)
    taken = _per_course(submissions, "version__submission__assignment__course", Sum("disk_bytes"))
    runs = Job.objects.filter(grading_run__assignment__course__in=courses)
    graded = _per_course(runs, "grading_run__assignment__course", Sum("disk_bytes"))
    return [
        CourseRow(
            course,
            people.get(course.pk, 0),
            DiskUsage(taken.get(course.pk, 0) + graded.get(course.pk, 0), most_bytes(course)),
        )
        for course in courses
    ]


def _per_course(rows: QuerySet[Any], path: str, figure: Any) -> dict[int, int]:
    return dict(rows.order_by().values_list(path).annotate(figure=figure))


def course_creators() -> QuerySet[Person]:
    return Person.objects.filter(may_create_courses=True, is_active=True)


def deleted_courses() -> list[Event]:
    """The last courses whose time was up."""
    return list(Event.objects.filter(course=None, verb="course-deleted")[:SHOWN])


def last_backup() -> dict[str, Any] | None:
    """What `peerage backup` has left behind; None where it never ran."""
    try:
        record: dict[str, Any] = json.loads((settings.DATA / LAST_BACKUP).read_text(encoding="utf-8"))
        return {**record, "made_at": datetime.fromisoformat(record["made_at"])}
    except (OSError, ValueError, KeyError):
        return None
