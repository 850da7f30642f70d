"""Releasing grades, releasing them again, and taking them back.

A release is a snapshot: what students were told at a moment stays, whatever is graded or overridden later.
It is made in the transaction that moves the assignment on (`phases.services`), by hand or by its date.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Mail, Person
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.grading.final_grades import final_grades
from peerage_web.classes.grading.queries import approved_run
from peerage_web.classes.record.services import record
from peerage_web.classes.release.feedback import ReviewFeedback, received_by
from peerage_web.classes.release.models import Helpfulness, HiddenComment, Release, ReleasedGrade
from peerage_web.classes.release.queries import (
    asks_for_ratings,
    current_grade,
    current_release,
    differs,
    has_seen_a_grade,
    release_page,
    snapshot,
)
from peerage_web.classes.reviewing.models import Comment
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


def make_release(*, assignment: Assignment, by: Person | None, why: str = "") -> Release:
    """Put the grades of the approved run before students, in place of what they saw before.

    Whoever calls it holds the assignment's row. Everybody is told by mail, later; after a release that this
    one replaces, only those for whom something is different.
    """
    run = approved_run(assignment)
    if run is None:
        raise Refused(_("No grading run has been approved for release yet."))
    before = current_release(assignment)
    known = {one.membership_id: one for one in before.grades.all()} if before is not None else {}
    now = timezone.now()
    Release.objects.filter(assignment=assignment, ended_at=None).update(ended_at=now)
    last = Release.objects.filter(assignment=assignment).aggregate(last=Max("number"))["last"] or 0
    release = Release.objects.create(assignment=assignment, number=last + 1, run=run, why=why, made_by=by)
    grades = [snapshot(one, release) for one in final_grades(run)]
    for one in grades:
        earlier = known.get(one.membership_id)
        if earlier is not None and not differs(earlier, one):
            one.told_at = earlier.told_at
    ReleasedGrade.objects.bulk_create(grades)
    said: dict[str, Any] = {"count": len(grades), "number": release.number, "reason": why}
    verb = "grades-released-again" if why else "grades-released"
    record(verb, by=by, assignment=assignment, **said)
    return release


def end_release(*, assignment: Assignment, by: Person | None) -> None:
    """Students see nothing of it any more; the snapshot stays."""
    release = current_release(assignment)
    if release is None:
        return
    release.ended_at = timezone.now()
    release.save(update_fields=["ended_at"])
    record("grades-retracted", by=by, assignment=assignment, number=release.number)


def release_again(*, assignment: Assignment, by: Person, why: str, unchanged: bool = False) -> Release:
    """A second and later release while grades are out: another run, overrides, or ratings that came in.

    `why` is read by students. Refused where nothing would change for anybody, unless `unchanged` is fine.
    """
    if not why.strip():
        raise Refused(_("Give a reason for the change. Students will read it."))
    with transaction.atomic():
        locked = Assignment.objects.select_for_update().filter(pk=assignment.pk, phase=Phase.RELEASED).first()
        if locked is None:
            raise Refused(_("The assignment is in a different phase now. Reload the page."))
        if not unchanged and not release_page(locked).changed:
            raise Refused(_("Nothing has changed since the last release."))
        return make_release(assignment=locked, by=by, why=why.strip()[:300])


# -- Hiding a comment from its author, and showing it again --------------------------------------------


def hide_comment(*, comment: Comment, by: Person, reason: str) -> None:
    """Its author no longer reads it, from the next look on; nothing is deleted. Twice is once."""
    if not reason.strip():
        raise Refused(_("Give a reason for hiding the comment. It is kept in the activity log."))
    try:
        with transaction.atomic():
            HiddenComment.objects.create(comment=comment, reason=reason.strip()[:300], by=by)
            _record("comment-hidden", comment, by, reason.strip()[:300])
    except IntegrityError:  # somebody was faster, which the constraint of the database knows
        return


def show_comment(*, comment: Comment, by: Person) -> None:
    """Its author reads it again."""
    with transaction.atomic():
        hidden = HiddenComment.objects.filter(comment=comment, shown_again_at=None)
        if hidden.update(shown_again_at=timezone.now()):
            _record("comment-shown", comment, by, "")


def _record(verb: str, comment: Comment, by: Person, reason: str) -> None:
    review = comment.review
    record(verb, by=by, assignment=review.assignment, subject=review.reviewer, reason=reason)


# -- Authors rate comments, and only then see their grade: a low one cannot be paid back ---------------


RATINGS = (1, 2, 3, 4, 5)


def still_to_rate(grade: ReleasedGrade) -> list[ReviewFeedback]:
    """What has to be rated before this student sees the grade; nothing once they have seen one."""
    assignment = grade.release.assignment
    if not asks_for_ratings(assignment) or has_seen_a_grade(assignment, grade.membership):
        return []
    written = received_by(grade.work, grade.membership)
    return [one for one in written if one.shown and one.rating is None]


def rate(*, assignment: Assignment, member: Membership, ratings: Mapping[str, int]) -> None:
    """Keep ratings, by the handles of what was received. They can be changed until the grade is shown."""
    with _own_grade(assignment, member) as grade:
        if grade is None:
            raise Refused(_("There is nothing to rate."))
        if has_seen_a_grade(assignment, member):
            raise Refused(_("You have seen your grade, so you can no longer change your ratings."))
        for one in received_by(grade.work, member):
            rating = ratings.get(one.handle)
            if rating in RATINGS and one.shown:
                Helpfulness.objects.update_or_create(
                    review=one.review, by=member, defaults={"rating": rating}
                )


def reveal(*, assignment: Assignment, member: Membership) -> ReleasedGrade | None:
    """The student's grade if it may be shown now, and from now on it counts as seen; else None."""
    shown = current_grade(assignment, member)
    if shown is None or shown.seen_at is not None:
        return shown
    with _own_grade(assignment, member) as grade:
        if grade is None or still_to_rate(grade):
            return None
        if grade.seen_at is None:
            grade.seen_at = timezone.now()
            grade.save(update_fields=["seen_at"])
        return grade


@contextmanager
def _own_grade(assignment: Assignment, member: Membership) -> Iterator[ReleasedGrade | None]:
    """Locked, so that nobody rates in one tab after the grade was shown in another."""
    with transaction.atomic():
        # the member's own row stands for all their releases
        Membership.objects.select_for_update().get(pk=member.pk)
        yield current_grade(assignment, member)


# -- Mail: grades are there, or have changed -----------------------------------------------------------
#
# One mail per student, written by maintenance. It has no grade in it: comments are rated first, and mail is
# read over shoulders.


KIND = "grades"
BATCH = 50  # in one transaction: others want to write, too
ROUNDS = 4  # of such in one round of maintenance


def write_grade_mail() -> int:
    """Write the mail of those who were not told yet; how many were dealt with."""
    told = 0
    for _round in range(ROUNDS):
        batch = _write()
        told += batch
        if batch < BATCH:
            break
    return told


def _write() -> int:
    waiting = ReleasedGrade.objects.filter(told_at=None)
    if not waiting.exists():  # nobody should wait for a lock where there is nothing to do
        return 0
    with exclusively("mail about grades"):
        rows = list(
            waiting.order_by("pk").select_related(
                "membership__person", "membership__course", "release__assignment__course"
            )[:BATCH]
        )
        for one in rows:
            if one.release.ended_at is None:  # what was taken back meanwhile is not told
                _tell(one)
        ReleasedGrade.objects.filter(pk__in=[one.pk for one in rows]).update(told_at=timezone.now())
    return len(rows)


def _tell(grade: ReleasedGrade) -> None:
    member, assignment = grade.membership, grade.release.assignment
    if member.role != Role.STUDENT or not member.person.is_active:
        return
    course: Course = assignment.course
    with timezone.override(course.zone):
        queue_mail(
            person=member.person,
            kind=KIND,
            context={
                "assignment": assignment,
                "course": course,
                "is_again": _was_told(grade),
                "why": grade.release.why,
                "path": reverse("grade", args=[course.key, assignment.key]),
            },
            language=course.language,
            about=f"course {course.pk}",
            once=_once(grade.pk),
        )


def _was_told(grade: ReleasedGrade) -> bool:
    """Of an earlier release; not where that one was taken back before the mail was written."""
    earlier = ReleasedGrade.objects.filter(
        release__assignment=grade.release.assignment_id,
        membership=grade.membership_id,
        release__number__lt=grade.release.number,
    )
    return Mail.objects.filter(once__in=[_once(pk) for pk in earlier.values_list("pk", flat=True)]).exists()


def _once(pk: int) -> str:
    return f"{KIND} {pk}"
