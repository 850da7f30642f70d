"""Releasing grades, releasing them again, and taking them back.

A release is a snapshot: what students were told at a moment stays, whatever is graded or overridden later.
It is made in the transaction that moves the assignment on (`phases.services`), by hand or by its date.
"""

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
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.grading.distribution import distribution_of
from peerage_web.classes.grading.final_grades import final_grades
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.grading.queries import approved_run
from peerage_web.classes.grading.texts import question_sentence
from peerage_web.classes.quarantine import held_courses, one_course
from peerage_web.classes.release.feedback import AT_ONCE, ReviewFeedback, feedback_for, prepare, prepared
from peerage_web.classes.release.models import (
    CommentReport,
    Helpfulness,
    HiddenComment,
    PreparedFeedback,
    Release,
    ReleasedGrade,
)
from peerage_web.classes.release.queries import (
    asks_for_ratings,
    current_grade,
    current_release,
    differs,
    has_seen_a_grade,
    next_release,
    open_questions,
    release_page,
    release_scheduled_by,
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
    earlier_grades = (
        {grade.membership_id: grade for grade in before.grades.all()} if before is not None else {}
    )
    verb = "grades-released-again" if why else "grades-released"
    if by is None:  # a date has come: whoever set it released the grades
        by = release_scheduled_by(assignment)
        verb = "grades-released-on-date" if by is not None else verb
    now = timezone.now()
    Release.objects.filter(assignment=assignment, ended_at=None).update(ended_at=now)
    _delete_prepared(assignment)
    last = Release.objects.filter(assignment=assignment).aggregate(last=Max("number"))["last"] or 0
    release = next_release(run)
    release.number, release.why, release.made_by = last + 1, why, by
    grades = [snapshot(grade, release) for grade in final_grades(run) if not grade.is_empty]
    questions = open_questions(run, distribution_of(run, grades))
    if questions:
        raise Refused(
            " ".join(
                [
                    *(question_sentence(question.code, question.figures) for question in questions),
                    _("Confirm this on the release page first."),
                ]
            )
        )
    release.save()
    for grade in grades:
        earlier = earlier_grades.get(grade.membership_id)
        if earlier is not None and not differs(earlier, grade):
            grade.notified_at = earlier.notified_at
    ReleasedGrade.objects.bulk_create(grades)
    PreparedFeedback.objects.bulk_create(
        (
            PreparedFeedback(grade=grade, content=content)
            for grade, content in zip(grades, prepare(grades, run), strict=True)
        ),
        batch_size=AT_ONCE,
    )
    said: dict[str, Any] = {"count": len(grades), "number": release.number, "reason": why}
    record(verb, by=by, assignment=assignment, **said)
    return release


def confirm_run(*, run: GradingRun, by: Person) -> None:
    """Somebody has seen what is unusual about these grades, and means them so; asked once."""
    with transaction.atomic():
        if GradingRun.objects.filter(pk=run.pk, confirmed_at=None).update(confirmed_at=timezone.now()):
            record("run-confirmed", by=by, assignment=run.assignment, count=run.number)
    run.refresh_from_db(fields=["confirmed_at"])


def end_release(*, assignment: Assignment, by: Person | None) -> None:
    """Students see nothing of it any more; the snapshot stays."""
    release = current_release(assignment)
    if release is None:
        return
    release.ended_at = timezone.now()
    release.save(update_fields=["ended_at"])
    _delete_prepared(assignment)
    record("grades-retracted", by=by, assignment=assignment, number=release.number)


def _delete_prepared(assignment: Assignment) -> None:
    PreparedFeedback.objects.filter(grade__release__assignment=assignment).delete()


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


# -- An author reports what a reviewer wrote; staff hide it, or show it again ---------------------------


def report_comments(*, assignment: Assignment, member: Membership, handle: str, text: str) -> None:
    """By the handle of what was received. A second report adds nothing to the first."""
    grade = current_grade(assignment, member)
    written = feedback_for(member.pk, prepared(grade)) if grade is not None else []
    found = [feedback.review for feedback in written if feedback.handle == handle and feedback.shown]
    if not found:
        raise Refused(_("There is no comment to report."))
    review = Review.objects.select_related("reviewer").get(pk=found[0])
    with transaction.atomic():
        about = {"by": member, "text": text.strip()[:1000]}
        if CommentReport.objects.get_or_create(review=review, defaults=about)[1]:
            record("comment-reported", by=member.person, assignment=assignment, subject=review.reviewer)


def hide_comment(*, comment: Comment, by: Person, reason: str) -> None:
    """Its author no longer reads it, from the next look on; nothing is deleted. Twice is once."""
    if not reason.strip():
        raise Refused(_("Give a reason for hiding the comment. It is kept in the activity log."))
    try:
        with transaction.atomic():
            HiddenComment.objects.create(comment=comment, reason=reason.strip()[:300], by=by)
            _settle_report(comment)
            _record("comment-hidden", comment, by, reason.strip()[:300])
    except IntegrityError:  # somebody was faster, which the constraint of the database knows
        return


def show_comment(*, comment: Comment, by: Person) -> None:
    """Its author reads it, again or still; a report of it is settled."""
    with transaction.atomic():
        was_reported = _settle_report(comment)
        hidden = HiddenComment.objects.filter(comment=comment, shown_again_at=None)
        if hidden.update(shown_again_at=timezone.now()):
            _record("comment-shown", comment, by, "")
        elif was_reported:
            _record("comment-kept", comment, by, "")


def _settle_report(comment: Comment) -> int:
    reports = CommentReport.objects.filter(review=comment.review_id, settled_at=None)
    return reports.update(settled_at=timezone.now())


def _record(verb: str, comment: Comment, by: Person, reason: str) -> None:
    review = comment.review
    record(verb, by=by, assignment=review.assignment, subject=review.reviewer, reason=reason)


# -- Authors rate comments, and only then see their grade: a low one cannot be paid back ---------------


RATINGS = (1, 2, 3, 4, 5)


def still_to_rate(grade: ReleasedGrade, written: list[ReviewFeedback] | None = None) -> list[ReviewFeedback]:
    """What has to be rated before this student sees the grade; nothing once they have seen one.

    `written` is what they received, where that is known already.
    """
    assignment = grade.release.assignment
    if grade.seen_at is not None or not asks_for_ratings(assignment):
        return []
    # a first release has none before it in which they could have seen one
    if grade.release.number > 1 and has_seen_a_grade(assignment, grade.membership):
        return []
    if written is None:
        written = feedback_for(grade.membership_id, prepared(grade))
    return _unrated(written)


def _unrated(written: list[ReviewFeedback]) -> list[ReviewFeedback]:
    return [review for review in written if review.shown and review.rating is None]


def rate(*, assignment: Assignment, member: Membership, ratings: Mapping[str, int]) -> bool:
    """Keep ratings, by the handles of what was received; whether nothing is left to rate.

    They can be changed until the grade is shown.
    """
    with _locked(member):
        grade = current_grade(assignment, member)
        if grade is None:
            raise Refused(_("There is nothing to rate."))
        if has_seen_a_grade(assignment, member):
            raise Refused(_("You have seen your grade, so you can no longer change your ratings."))
        written = feedback_for(member.pk, prepared(grade))
        now = timezone.now()
        rated = [
            Helpfulness(review_id=review.review, by=member, rating=ratings[review.handle], at=now)
            for review in written
            if review.shown and ratings.get(review.handle) in RATINGS
        ]
        Helpfulness.objects.bulk_create(
            rated, update_conflicts=True, unique_fields=["review", "by"], update_fields=["rating", "at"]
        )
    return {review.review for review in _unrated(written)} <= {rating.review_id for rating in rated}


def reveal(*, assignment: Assignment, member: Membership) -> ReleasedGrade | None:
    """The student's grade if it may be shown now, and from now on it counts as seen; else None."""
    grade = current_grade(assignment, member)
    return show(grade) if grade is not None else None


def show(grade: ReleasedGrade, written: list[ReviewFeedback] | None = None) -> ReleasedGrade | None:
    """The same with a grade that was looked up.

    All is read before anything is locked: after a release a whole class looks within minutes, and whoever
    writes keeps the others waiting.
    """
    if grade.seen_at is not None:
        return grade
    if still_to_rate(grade, written):
        return None
    with _locked(grade.membership):
        now = timezone.now()
        held = ReleasedGrade.objects.filter(pk=grade.pk, release__ended_at=None)
        if held.filter(seen_at=None).update(seen_at=now):
            grade.seen_at = now
            return grade
    return held.first()  # somebody was faster: it was shown in another tab, or is not there any more


@contextmanager
def _locked(member: Membership) -> Iterator[None]:
    """So that nobody rates in one tab after the grade was shown in another."""
    with transaction.atomic():
        # the member's own row stands for all their releases
        Membership.objects.select_for_update().values_list("pk").get(pk=member.pk)
        yield


# -- Mail: grades are there, or have changed -----------------------------------------------------------
#
# One mail per student, written by maintenance. It has no grade in it: comments are rated first, and mail is
# read over shoulders.


KIND = "grades"
BATCH = 10  # in one transaction: just now the whole class wants to write, too
ROUNDS = 20  # of such in one round of maintenance


def write_grade_mail() -> int:
    """Write the mail of those who were not told yet; how many were dealt with."""
    notified = 0
    for _round in range(ROUNDS):
        batch = _write()
        if batch is None:
            break
        notified += batch
    return notified


def _write() -> int | None:
    """The next of one course; None where nobody waits."""
    shown = ReleasedGrade.objects.filter(membership__course__hidden_at=None)
    waiting = shown.filter(notified_at=None).order_by("pk")
    courses = set(waiting.order_by().values_list("membership__course", flat=True).distinct())
    waiting = waiting.exclude(membership__course__in=held_courses("grade-mail", courses))
    course = waiting.values_list("membership__course", flat=True).first()
    if course is None:  # nobody should wait for a lock where there is nothing to do
        return None
    with one_course(course, "grade-mail"), exclusively("mail about grades"):
        rows = list(
            waiting.filter(membership__course=course).select_related(
                "membership__person", "membership__course", "release__assignment__course"
            )[:BATCH]
        )
        for row in rows:
            if row.release.ended_at is None:  # what was taken back meanwhile is not told
                _notify(row)
        ReleasedGrade.objects.filter(pk__in=[row.pk for row in rows]).update(notified_at=timezone.now())
        return len(rows)
    return 0


def _notify(grade: ReleasedGrade) -> None:
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
                "is_again": _was_notified(grade),
                "has_grade": grade.has_grade,
                "why": grade.release.why,
                "path": reverse("grade", args=[course.key, assignment.key]),
            },
            language=course.language,
            about=f"course {course.pk}",
            once=_once(grade.pk),
        )


def _was_notified(grade: ReleasedGrade) -> bool:
    """Of an earlier release; not where that one was taken back before the mail was written."""
    if grade.release.number == 1:
        return False
    earlier = ReleasedGrade.objects.filter(
        release__assignment=grade.release.assignment_id,
        membership=grade.membership_id,
        release__number__lt=grade.release.number,
    )
    return Mail.objects.filter(once__in=[_once(pk) for pk in earlier.values_list("pk", flat=True)]).exists()


def _once(pk: int) -> str:
    return f"{KIND} {pk}"
