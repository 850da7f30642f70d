"""Assignments: creating, changing, duplicating and deleting them; dates, extensions, expected accuracy."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from django.db import transaction
from django.db.models import Min
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage.errors import PeerageError
from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.activity_log.services import changed_fields, record
from peerage_web.classes.assignments.models import Assignment, Extension, FeedbackPrompt, TeamMember
from peerage_web.classes.assignments.teams import set_teams, teams_of, teams_of_groups
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.courses.services import create_course
from peerage_web.classes.enums import ALLOCATED, Phase, Role
from peerage_web.classes.grading.models import GradingPlan
from peerage_web.classes.permissions import Action, may
from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.rubrics.services import copy_rubric
from peerage_web.classes.submissions.models import Submission
from peerage_web.classes.survey.services import copy_questions
from peerage_web.sandbox.contract.errors import SandboxError
from peerage_web.sandbox.work.allocation import plan_workload
from peerage_web.shared.errors import Busy, Refused
from peerage_web.shared.services.sandbox_slots import ask_sandbox

DATES = ("opens_at", "due_at", "late_until", "reviews_due_at", "release_at")
DESIGN = ("in_teams", "reviews_per_student", "reviews_per_staff", "design", "anchors", "sections")
_RELEASES = frozenset({"release_at", "by_date"})
LONG = ("instructions",)  # what the activity log only says was changed


def default_prompts() -> list[str]:
    """What reviewers are asked unless staff ask something else."""
    return [_("What is good about this submission?"), _("What would make it better?")]


def default_dates(now: datetime, role: Role | None = Role.INSTRUCTOR) -> dict[str, datetime]:
    """Two weeks to submit, one to review, each until the end of a day; a release for who may release."""
    end = now.replace(hour=23, minute=59, second=0, microsecond=0)
    days = {"due_at": 14, "late_until": 16, "reviews_due_at": 21}
    if may(Action.RELEASE, role):
        days["release_at"] = 23
    return {name: end + timedelta(days=count) for name, count in days.items()}


def create_assignment(
    *, course: Course, by: Person, prompts: Sequence[tuple[str, bool]], **fields: Any
) -> Assignment:
    check_dates(fields)
    _check_release(course, by, schedules_release(Assignment(course=course), fields))
    with transaction.atomic():
        assignment = Assignment.objects.create(course=course, **fields)
        _set_prompts(assignment, prompts)
        record("assignment-created", by=by, assignment=assignment)
        if assignment.in_teams:
            set_teams(assignment=assignment, teams=teams_of_groups(assignment=assignment), by=by)
    return assignment


def change_assignment(
    *,
    assignment: Assignment,
    by: Person,
    prompts: Sequence[tuple[str, bool]] | None = None,
    **changes: Any,
) -> None:
    """Change anything but the phase; every change is recorded. Refused where it comes too late."""
    with transaction.atomic():
        locked = (
            Assignment.objects.select_for_update(of=("self",)).select_related("course").get(pk=assignment.pk)
        )
        changed = changed_fields(locked, changes)
        check_dates({**{name: getattr(locked, name) for name in DATES}, **changes})
        _check_moment(locked, changed)
        _check_release(locked.course, by, schedules_release(locked, changes))
        for field, (before, after) in changed.items():
            setattr(locked, field, after)
            _record_change(locked, by, field, before, after)
        locked.save()
        if prompts is not None and _set_prompts(locked, prompts):
            _record_change(locked, by, "prompts", "", "")
        if locked.in_teams and "in_teams" in changed and not teams_of(assignment=locked):
            set_teams(assignment=locked, teams=teams_of_groups(assignment=locked), by=by)
    assignment.refresh_from_db()


def _record_change(assignment: Assignment, by: Person, field: str, before: Any, after: Any) -> None:
    verb = "date-changed" if field in DATES else "assignment-changed"
    shown = ("", "") if field in LONG else (before, after)
    record(verb, by=by, assignment=assignment, field=field, before=shown[0], after=shown[1])


def check_dates(dates: dict[str, Any]) -> None:
    """They have to come one after the other, as far as they are given."""
    order = [(name, dates.get(name)) for name in DATES]
    words = {
        "opens_at": _("the publication date"),
        "due_at": _("the submission due date"),
        "late_until": _("the deadline for late submissions"),
        "reviews_due_at": _("the review due date"),
        "release_at": _("the grade release date"),
    }
    in_order = [(name, at) for name, at in order if at is not None]
    if dates.get("due_at") is None and (dates.get("late_until") or dates.get("reviews_due_at")):
        raise Refused(_("Set the submission due date."))
    for (earlier, first), (later, second) in pairwise(in_order):
        if second < first or (second == first and later != "late_until"):
            raise Refused(
                _("%(later)s must be after %(earlier)s.")
                % {"later": _capital(words[later]), "earlier": words[earlier]}
            )


def schedules_release(assignment: Assignment, changes: dict[str, Any]) -> bool:
    """Whether grades would go out on another day than before, or on a day at all."""
    changed = changed_fields(assignment, {key: changes[key] for key in _RELEASES & changes.keys()})
    started = "by_date" in changed and assignment.release_at is not None and bool(changes["by_date"])
    return "release_at" in changed or started


def _check_release(course: Course, by: Person, schedules: bool) -> None:
    """A date that releases grades is set by somebody who may release them: it asks nobody when it comes."""
    if not schedules:
        return
    member = Membership.objects.filter(course=course, person=by).first()
    if member is None or not may(Action.RELEASE, Role(member.role)):
        raise Refused(
            _(
                "Only instructors can release grades. Ask one of them to set the grade release date, or "
                "to turn automatic phase changes on again."
            )
        )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _check_moment(assignment: Assignment, changed: dict[str, Any]) -> None:
    """What the allocation was made from cannot change under it; teams not once submissions are in."""
    late = [field for field in DESIGN if field in changed]
    if late and assignment.phase in ALLOCATED:
        raise Refused(
            _(
                "Submissions are already allocated. You can no longer change the number "
                "of reviews, the allocation design, sections or teams."
            )
        )
    if "in_teams" in changed and Submission.objects.filter(assignment=assignment).exists():
        raise Refused(
            _("Students have already submitted. You can no longer change whether they work in teams.")
        )


def _set_prompts(assignment: Assignment, wanted: Sequence[tuple[str, bool]]) -> bool:
    """Ask these questions, in this order; ones that were answered are retired, not deleted."""
    kept = {prompt.text: prompt for prompt in assignment.prompts.filter(retired_at=None)}
    in_order = sorted(kept.values(), key=lambda prompt: prompt.position)
    before = [(prompt.text, prompt.required) for prompt in in_order]
    if before == list(wanted):
        return False
    for position, (text, required) in enumerate(wanted, start=1):
        prompt = kept.pop(text, None) or FeedbackPrompt(assignment=assignment, text=text)
        prompt.position, prompt.required = position, required
        prompt.save()
    for prompt in kept.values():
        if prompt.comments.exists():
            prompt.retired_at = timezone.now()
            prompt.save(update_fields=["retired_at"])
        else:
            prompt.delete()
    return True


def duplicate_assignment(
    *, assignment: Assignment, by: Person, title: str, course: Course | None = None
) -> Assignment:
    """The same exercise once more, in set-up and without dates; teams go along within a course."""
    there = course or assignment.course
    skipped = {"id", "key", "course", "title", "copied_from", "created_at", "phase", "phase_since", *DATES}
    copied = [field.name for field in Assignment._meta.concrete_fields if field.name not in skipped]
    with transaction.atomic():
        copy = Assignment.objects.create(
            course=there,
            title=title,
            copied_from=assignment,
            **{name: getattr(assignment, name) for name in copied},
        )
        prompts = assignment.prompts.filter(retired_at=None)
        _set_prompts(copy, [(prompt.text, prompt.required) for prompt in prompts])
        record("assignment-duplicated", by=by, assignment=copy, title=assignment.title)
        _copy_plan(assignment, copy)
        _copy_practice(assignment, copy)
        copy_questions(assignment, copy)
        copy_rubric(assignment, copy)
        if copy.in_teams and there == assignment.course:
            _copy_teams(assignment, copy, by)
    return copy


def copy_course(
    *, course: Course, by: Person, name: str, term: str = "", first_due: datetime | None = None
) -> Course:
    """The course for another term: its assignments with all settings, their dates shifted, and nobody in it.

    Dates keep their time of day on the course's clock. Without `first_due` there are none.
    """
    there = {"time_zone": course.time_zone, "language": course.language}
    with transaction.atomic():
        copy = create_course(by=by, name=name, term=term, **there)
        copy.keep_months = course.keep_months
        copy.save(update_fields=["keep_months"])
        record("course-copied", by=by, course=copy, title=course.name)
        first = _first_due(course)
        for assignment in course.assignments.order_by("pk"):
            made = duplicate_assignment(assignment=assignment, by=by, title=assignment.title, course=copy)
            if first is not None and first_due is not None:
                shift = _on_the_clock(first_due, copy) - _on_the_clock(first, copy)
                for name_of_date in DATES:
                    at = getattr(assignment, name_of_date)
                    if at is not None:
                        later = (_on_the_clock(at, copy) + shift).replace(tzinfo=copy.zone)
                        setattr(made, name_of_date, later)
                made.save(update_fields=list(DATES))
    return copy


def first_due_in_future(course: Course, now: datetime) -> datetime | None:
    """The first due date, so many whole weeks later that it is still to come; None where there is none."""
    first = _first_due(course)
    if first is None:
        return None
    weeks = max(0, (now - first) // timedelta(weeks=1) + 1)
    return (_on_the_clock(first, course) + timedelta(weeks=weeks)).replace(tzinfo=course.zone)


def _first_due(course: Course) -> datetime | None:
    due: datetime | None = course.assignments.aggregate(first=Min("due_at"))["first"]
    return due


def _on_the_clock(at: datetime, course: Course) -> datetime:
    """What clocks in the course's zone show, so that a deadline at 23:59 stays one in summer and winter."""
    return at.astimezone(course.zone).replace(tzinfo=None)


def _copy_plan(source: Assignment, copy: Assignment) -> None:
    """Scale, letters, weights and appeals."""
    plan = GradingPlan.objects.filter(assignment=source).first()
    if plan is not None:
        plan.pk, plan.assignment, plan._state.adding = None, copy, True
        plan.save()


def _copy_practice(source: Assignment, copy: Assignment) -> None:
    """Examples whose text is all they have; files belong to one assignment."""
    for example in source.practice_examples.filter(stored=""):
        PracticeExample.objects.create(
            assignment=copy,
            position=example.position,
            place=example.place,
            title=example.title,
            text=example.text,
            because=example.because,
        )


def _copy_teams(source: Assignment, copy: Assignment, by: Person) -> None:
    here = TeamMember.objects.filter(assignment=source, membership__role=Role.STUDENT)
    set_teams(assignment=copy, teams=dict(here.values_list("membership", "team__name")), by=by)


def delete_assignment(*, assignment: Assignment, by: Person) -> None:
    """Only in set-up, before anybody submitted; the course's activity log keeps that it was there."""
    with transaction.atomic():
        locked = Assignment.objects.select_for_update().get(pk=assignment.pk)
        if locked.phase != Phase.SETUP or Submission.objects.filter(assignment=locked).exists():
            raise Refused(
                _("Students have seen this assignment. You can close it, but you can no longer delete it.")
            )
        record("assignment-deleted", by=by, course=assignment.course, title=locked.title)
        locked.delete()


def grant_extension(
    *,
    assignment: Assignment,
    member: Membership,
    by: Person,
    due_at: datetime | None,
    reviews_due_at: datetime | None,
    reason: str = "",
) -> Extension:
    """More time for one student; a second one replaces the first."""
    if member.course_id != assignment.course_id or member.role != Role.STUDENT:
        raise Refused(_("Only students in this course can get an extension."))
    if due_at is None and reviews_due_at is None:
        raise Refused(_("Enter a new due date for the submission, the reviews, or both."))
    for personal, common in ((due_at, assignment.due_at), (reviews_due_at, assignment.reviews_due_at)):
        if personal is not None and common is not None and personal <= common:
            raise Refused(_("An extension must end after the regular due date."))
    with transaction.atomic():
        extension, _made = Extension.objects.update_or_create(
            assignment=assignment,
            membership=member,
            defaults={
                "due_at": due_at,
                "reviews_due_at": reviews_due_at,
                "reason": reason,
                "granted_by": by,
            },
        )
        until = [date for date in (due_at, reviews_due_at) if date is not None]
        record(
            "extension-granted",
            by=by,
            assignment=assignment,
            subject=member,
            after=", ".join(date.isoformat(timespec="minutes") for date in until),
            reason=reason,
        )
    return extension


def remove_extension(*, extension: Extension, by: Person) -> None:
    """The common dates hold for the student again."""
    with transaction.atomic():
        record("extension-removed", by=by, assignment=extension.assignment, subject=extension.membership)
        extension.delete()


def date_changes(*, assignment: Assignment) -> Any:
    """The activity log of dates and extensions, newest first."""
    verbs = ("date-changed", "extension-granted", "extension-removed")
    events = Event.objects.filter(assignment=assignment, verb__in=verbs)
    return events.select_related("actor", "assignment", "subject__person")


# -- The planner's figures for a course: what the library expects of a number of reviews per student ---


MOST_STUDENTS, MOST_REVIEWS, MOST_KNOWN = 2000, 50, 256
_KNOWN: dict[tuple[int, int, int], dict[str, Any]] = {}


def expected_error(*, course: Course, by: Person, reviews: int, in_teams: bool = False) -> dict[str, Any]:
    """`tau_error` and the rest of a workload, or `problem`: why there is no figure."""
    students = Membership.objects.filter(course=course, role=Role.STUDENT)
    count = students.count()
    items = _submissions(students, count) if in_teams else count
    if not count >= 3 or items < 3:
        return {"problem": _("The expected error appears here once the course has three students or teams.")}
    if not 2 <= reviews <= min(MOST_REVIEWS, items - 1):
        return {
            "problem": _("The expected error is available for 2 to %(most)d reviews.")
            % {"most": min(MOST_REVIEWS, items - 1)}
        }
    try:
        return _planned(min(count, MOST_STUDENTS), min(items, MOST_STUDENTS), reviews, f"person {by.pk}")
    except (Busy, SandboxError, PeerageError):
        return {
            "problem": _(
                "This site is too busy to calculate the expected error now. You can save the assignment "
                "without it. To try again later, change the number of reviews."
            )
        }


def _submissions(students: Any, count: int) -> int:
    """Teams as the groups of the roster have them, and students without one."""
    grouped = students.exclude(group="")
    teams: int = grouped.order_by().values("group").distinct().count()
    return teams + count - int(grouped.count())


def _planned(students: int, items: int, reviews: int, visitor: str) -> dict[str, Any]:
    """From simulated classes; kept, for the same question comes back with every look at the form."""
    key = (students, items, reviews)
    if key not in _KNOWN:
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = _workload(students, items, reviews, visitor)
    return _KNOWN[key]


def _workload(students: int, items: int, reviews: int, visitor: str) -> dict[str, Any]:
    setting = {"students": students, "per_student": reviews, "items": items if items != students else None}
    plan = json.loads(ask_sandbox(plan_workload, setting, visitor=visitor))
    (figures,) = (
        dict(workload) for workload in plan["workloads"] if workload["reviews_per_student"] == reviews
    )
    return figures
