"""Reminding people by e-mail of what they still have to do. Nobody is flooded.

A reminder is noted first (`remind` by staff, `note_due_reminders` before a date, `note_reviews_open` when
reviewing opens) and put into words later, by maintenance: one mail per person and course with everything that
is open by then, or none. Noted ones are guarded by the database, so that two instances send nothing twice.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Mail, Person
from peerage_web.accounts.services.mail import queue_mail, unsubscribe_path, write_mail
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import REVIEWED, Phase, Task
from peerage_web.classes.progress.models import Reminder
from peerage_web.classes.progress.queries import OpenTask, ProgressRow, open_in_course, open_tasks, rows_of
from peerage_web.classes.quarantine import course_by_course, held_courses, one_course
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Busy
from peerage_web.shared.services.rate_limits import count_request

QUIET = timedelta(hours=20)  # in which nobody gets a second reminder of a course, unless staff insist
MOST_A_DAY = 3  # for one person in one course, even if they do
ROUNDS = 6  # of reminders by hand in an hour, for one course
LONGEST = timedelta(days=7)  # before a due date


@dataclass(slots=True)
class Audience:
    """Who would get a reminder, and who would not and why."""

    receiving: list[ProgressRow] = field(default_factory=list)
    left_out: dict[str, list[ProgressRow]] = field(default_factory=dict)


def audience(assignment: Assignment, rows: Iterable[ProgressRow], *, insist: bool = False) -> Audience:
    """Sort people into those who would be reminded now and those who would not."""
    audience, now = Audience(), timezone.now()
    for row in rows:
        why = _why_not(assignment, row, now, insist)
        if why is None:
            audience.receiving.append(row)
        else:
            audience.left_out.setdefault(why, []).append(row)
    return audience


def _why_not(assignment: Assignment, row: ProgressRow, now: datetime, insist: bool) -> str | None:
    """A code of `texts.NOT_REMINDED`."""
    if not open_tasks(assignment, row, now):
        return "nothing-open"
    if not row.gets_mail:
        return "no-mail"
    if not row.wants_reminders:
        return "turned-off"
    if row.reminded_today >= MOST_A_DAY:
        return "often"
    if not insist and row.reminded_at is not None and row.reminded_at > now - QUIET:
        return "lately"
    return None


def remind(*, assignment: Assignment, members: Collection[int], by: Person, insist: bool = False) -> int:
    """Note reminders for those of these members who have something to do; how many people.

    Busy where staff of this course have done so too often within the hour.
    """
    if (
        count_request(client=f"course {assignment.course_id}", kind="remind", window=timedelta(hours=1))
        > ROUNDS
    ):
        raise Busy(
            _("Reminders for this course were sent %(count)d times within the last hour. Try again later.")
            % {"count": ROUNDS}
        )
    with exclusively(lock_of(assignment)):
        now, wanted = timezone.now(), set(members)
        rows = [row for row in rows_of(assignment) if row.member in wanted]
        chosen = audience(assignment, rows, insist=insist).receiving
        Reminder.objects.bulk_create(
            _noted(row, task, by, now) for row in chosen for task in open_tasks(assignment, row, now)
        )
        if chosen:
            record("reminded", by=by, assignment=assignment, count=len(chosen))
    return len(chosen)


def lock_of(assignment: Assignment) -> str:
    """What stands between two who remind in the same course at once."""
    return f"reminders of course {assignment.course_id}"


def _noted(row: ProgressRow, task: OpenTask, by: Person | None, now: datetime) -> Reminder:
    return Reminder(
        membership_id=row.member,
        assignment=task.assignment,
        task=task.task,
        due_at=task.due_at,
        made_by=by,
        made_at=now,
    )


# -- by itself, when reviewing opens --------------------------------------------------------------------


def note_reviews_open(assignment: Assignment) -> None:
    """Everybody with submissions to review is told once; call it in the transaction that gives them out."""
    due = assignment.reviews_due_at
    if due is None:
        return
    told = Reminder.objects.filter(assignment=assignment, task=Task.OPENED).values("membership")
    reviews = Review.objects.filter(assignment=assignment, state=Review.State.OPEN)
    reviewers = reviews.exclude(reviewer__in=told).order_by().values_list("reviewer", flat=True).distinct()
    Reminder.objects.bulk_create(
        Reminder(membership_id=member, assignment=assignment, task=Task.OPENED, due_at=due)
        for member in reviewers
    )


# -- by itself, before a date ---------------------------------------------------------------------------


def note_due_reminders() -> int:
    """Note those whose date is near, once for each person and date; how many people."""
    now = timezone.now()
    return course_by_course("reminders", _near_a_date(now), lambda assignment: _note_due(assignment, now))


def _near_a_date(now: datetime) -> QuerySet[Assignment]:
    """Assignments with a date, of all or of somebody, in the next days."""
    soon = (now, now + LONGEST)
    near = Q()
    for name in ("due_at", "reviews_due_at"):
        near |= Q(**{f"{name}__range": soon}) | Q(**{f"extensions__{name}__range": soon})
    published = Assignment.objects.filter(near, remind_hours__gt=0, course__hidden_at=None)
    running = published.exclude(phase__in=REVIEWED | {Phase.SETUP})
    return running.select_related("course").distinct()


def _note_due(assignment: Assignment, now: datetime) -> int:
    """Looked up once without the lock, which nobody should wait for where there is nothing to do."""
    if not _newly_near(assignment, now):
        return 0
    with exclusively(lock_of(assignment)):
        tasks = _newly_near(assignment, now)
        Reminder.objects.bulk_create(
            (_noted(row, task, None, now) for row, task in tasks), ignore_conflicts=True
        )
        people = len({row.member for row, _task in tasks})
        if people:
            record("reminded", by=None, assignment=assignment, count=people)
    return people


def _newly_near(assignment: Assignment, now: datetime) -> list[tuple[ProgressRow, OpenTask]]:
    """Who is to be reminded of what, and was not by itself."""
    noted = Reminder.objects.filter(assignment=assignment, made_by=None)
    reminded = set(noted.values_list("membership", "task", "due_at"))
    return [
        (row, task)
        for row in audience(assignment, rows_of(assignment)).receiving
        for task in open_tasks(assignment, row, now)
        if is_near(task, now) and (row.member, task.task, task.due_at) not in reminded
    ]


def is_near(task: OpenTask, now: datetime, ahead: timedelta = timedelta(0)) -> bool:
    """Whether the time for its reminder has come, or will within `ahead`. Late ones have had theirs."""
    before = timedelta(hours=task.assignment.remind_hours)
    return bool(before) and not task.is_late and task.due_at - before <= now + ahead


# -- Noted reminders in words: one mail per person and course, with all that is open when it is written ---


KIND = "reminder"
BATCH = 50  # people in one transaction: others want to write, too
ROUND = 200  # people in one round of maintenance


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as its reader will see it."""

    subject: str
    text: str
    language: str


def write_waiting_reminders() -> int:
    """Write the mail for reminders that wait; how many people were dealt with."""
    waiting = Reminder.objects.filter(settled_at=None).order_by()
    courses = set(waiting.values_list("membership__course", flat=True))
    waiting = waiting.exclude(membership__course__in=held_courses("reminders", courses))
    by_course: dict[int, list[int]] = {}
    for course, member in waiting.values_list("membership__course", "membership").distinct()[:ROUND]:
        by_course.setdefault(course, []).append(member)
    for number, members in by_course.items():
        with one_course(number, "reminders"):
            for start in range(0, len(members), BATCH):
                _write(number, members[start : start + BATCH])
    return sum(map(len, by_course.values()))


def _write(number: int, members: list[int]) -> None:
    with exclusively(f"reminders of course {number}"):
        now = timezone.now()
        course = Course.objects.get(pk=number)
        tasks = open_in_course(_published(course), members, now)
        waiting = Reminder.objects.filter(settled_at=None, membership__in=members)
        firsts = dict(waiting.order_by("-pk").values_list("membership", "pk"))
        opened = set(waiting.filter(task=Task.OPENED).values_list("membership", flat=True))
        people = Membership.objects.filter(pk__in=firsts).select_related("person", "course")
        for member in people:
            theirs = tasks.get(member.pk, [])
            mail = _queue(member, theirs, once=f"{KIND} {firsts[member.pk]}", is_opening=member.pk in opened)
            mine = waiting.filter(membership=member)
            mine.update(settled_at=now, mail=mail)
            if mail is not None:
                _spare(member, tasks[member.pk], mail, now)


def _published(course: Course) -> list[Assignment]:
    assignments = Assignment.objects.filter(course=course).exclude(phase__in=REVIEWED | {Phase.SETUP})
    return list(assignments.select_related("course"))


def _queue(member: Membership, tasks: list[OpenTask], once: str, is_opening: bool) -> Mail | None:
    """None where nothing is open any more, or the person wants no reminders."""
    person = member.person
    if not tasks or not person.wants_reminders or not person.is_active:
        return None
    with timezone.override(member.course.zone):
        queue_mail(
            person=person,
            kind=KIND,
            context={**_context(member, tasks), "is_opening": is_opening},
            language=member.course.language,
            about=f"course {member.course_id}",
            once=once,
        )
    return Mail.objects.get(once=once)


def _context(member: Membership, tasks: list[OpenTask]) -> dict[str, object]:
    course = member.course
    listed = [
        {"open": task, "path": reverse("assignment", args=[course.key, task.assignment.key])}
        for task in tasks
    ]
    return {"course": course, "tasks": listed, "way_out": unsubscribe_path(member.person)}


def _spare(member: Membership, tasks: list[OpenTask], mail: Mail, now: datetime) -> None:
    """What this mail has told already would be told again within hours: that reminder counts as given."""
    Reminder.objects.bulk_create(
        (
            Reminder(
                membership=member,
                assignment=task.assignment,
                task=task.task,
                due_at=task.due_at,
                made_at=now,
                settled_at=now,
                mail=mail,
            )
            for task in tasks
            if is_near(task, now, ahead=QUIET)
        ),
        ignore_conflicts=True,
    )


def preview(*, member: Membership) -> Letter | None:
    """The mail that this person would get now; None where they would get none."""
    tasks = open_in_course(_published(member.course), [member.pk], timezone.now()).get(member.pk, [])
    if not tasks:
        return None
    with timezone.override(member.course.zone):
        subject, text, language = write_mail(
            person=member.person,
            kind=KIND,
            context={**_context(member, tasks), "way_out": "…"},
            language=member.course.language,
        )
    return Letter(subject, text, language)
