"""Appeals: opening and withdrawing them, previewing what one would change, deciding, and their mail."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.appeals.queries import (
    AppealChanges,
    is_set_by_hand,
    movement_by_hand,
    movement_by_run,
    window_of,
)
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.inputs import ANCHORS, ExtraGrade, inputs_of
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.grading.queries import approved_run, options_of, plan_of, weights_of
from peerage_web.classes.grading.services import Purpose, approve_run, lock_name, start_run
from peerage_web.classes.grading.staff_grades import grade_submission, refuse_beyond, set_grade
from peerage_web.classes.permissions import Action, when
from peerage_web.classes.release.models import ReleasedGrade
from peerage_web.classes.release.queries import current_grade, release_page
from peerage_web.classes.release.services import release_again
from peerage_web.classes.texts import APPEAL_CLOSED
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


def lock(assignment: Assignment, member: Membership) -> str:
    """Under which one student's appeals are counted and made."""
    return f"appeals {assignment.pk} {member.pk}"


def ask(*, assignment: Assignment, member: Membership, reason: str) -> Appeal:
    """Appeal against one's own grade, within the window and the number that staff allow."""
    with exclusively(lock(assignment, member)):
        refuse_phase(assignment)
        window = window_of(assignment, member)
        if window.closed or window.grade is None:
            raise Refused(str(APPEAL_CLOSED[window.closed or "no-grade"]))
        appeal = _open(window.grade, reason, by=member.person)
        record("appeal-opened", by=member.person, assignment=assignment, subject=member, appeal=appeal.key)
    return appeal


def open_for(*, assignment: Assignment, member: Membership, by: Person, reason: str) -> Appeal:
    """Staff open one for a student, whenever and as often as they like."""
    with exclusively(lock(assignment, member)):
        refuse_phase(assignment)
        grade = current_grade(assignment, member)
        if grade is None or grade.submission_id is None or (grade.points is None and not grade.letter):
            raise Refused(_("This student has no grade for a submission, so there is nothing to appeal."))
        waiting = Appeal.objects.filter(assignment=assignment, membership=member, state=Appeal.State.OPEN)
        if waiting.exists():
            raise Refused(_("This student already has an appeal waiting for a decision."))
        appeal = _open(grade, reason, by=by)
        record("appeal-opened-for", by=by, assignment=assignment, subject=member, appeal=appeal.key)
        notify(appeal=appeal)
    return appeal


def _open(grade: ReleasedGrade, reason: str, by: Person) -> Appeal:
    if not reason.strip():
        raise Refused(_("Say why the grade should be reviewed."))
    assert grade.submission is not None  # whoever calls has looked
    return Appeal.objects.create(
        assignment=grade.release.assignment,
        membership=grade.membership,
        submission=grade.submission,
        release=grade.release,
        reason=reason.strip(),
        opened_by=by,
    )


def withdraw(*, appeal: Appeal, by: Person) -> None:
    """Take it back; one that was answered meanwhile stays as it is."""
    with exclusively(lock(appeal.assignment, appeal.membership)):
        waiting: Any = Appeal.objects.filter(pk=appeal.pk, state=Appeal.State.OPEN)
        if not waiting.update(state=Appeal.State.WITHDRAWN, ended_at=timezone.now()):
            raise Refused(_("This appeal is no longer open."))
        record(
            "appeal-withdrawn",
            by=by,
            assignment=appeal.assignment,
            subject=appeal.membership,
            appeal=appeal.key,
        )


def refuse_phase(assignment: Assignment) -> None:
    """Appeals are about grades that students see."""
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(Action.APPEAL)).exists():
        raise Refused(_("The assignment is in a different phase now. Reload the page."))


# -- Preview: what accepting an appeal would change ----------------------------------------------------
#
# Accepting sets the grade of this submission by hand, which moves no other. Where staff ask for it, the class
# is graded once more with the points that they propose; but where fewer submissions than the library needs
# have a staff grade, or this one was set by hand before, an estimate cannot follow them.


def preview_appeal(
    *, appeal: Appeal, by: Person, points: float | None, regrade: bool, reason: str = "", answer: str = ""
) -> None:
    """See what accepting would change; the answer as written so far is kept.

    Regrading without points grades the class again as it is now.
    """
    with exclusively(lock_name(appeal.assignment)):
        refuse_phase(appeal.assignment)
        _lock_open(appeal)
        if points is not None:
            if not plan_of(appeal.assignment).gives_points:
                text = _(
                    "This assignment gives no points. Set the grade by hand, then grade the class again."
                )
                raise Refused(text)
            refuse_beyond(points, plan_of(appeal.assignment))
        elif not regrade:
            raise Refused(_("Enter the points that you would give the submission."))
        appeal.proposed_points, appeal.proposed_by, appeal.regrades = points, by, regrade
        appeal.proposed_reason, appeal.proposed_answer = reason.strip(), answer.strip()
        appeal.previewed_at = timezone.now()
        appeal.preview = None
        if not goes_by_hand(appeal):
            appeal.preview = start_run(
                assignment=appeal.assignment,
                by=by,
                purpose=Purpose.APPEAL,
                extra=extra_of(appeal),
                seed=seed_of(appeal.assignment),
            )
        appeal.save()
        record(
            "appeal-previewed",
            by=by,
            assignment=appeal.assignment,
            subject=appeal.membership,
            appeal=appeal.key,
            after="" if points is None else f"{points:.10g}",
        )


def _lock_open(appeal: Appeal) -> None:
    if not Appeal.objects.select_for_update().filter(pk=appeal.pk, state=Appeal.State.OPEN).exists():
        raise Refused(_("This appeal is no longer open."))


def goes_by_hand(appeal: Appeal) -> bool:
    """Whether accepting sets this grade by hand: as asked, or because no estimate would follow it."""
    if appeal.proposed_points is None:
        return False
    if not appeal.regrades or is_set_by_hand(appeal):
        return True
    return ANCHORS not in inputs_of(appeal.assignment, extra_of(appeal)).files


def extra_of(appeal: Appeal) -> list[ExtraGrade]:
    """What the preview tries."""
    if appeal.proposed_points is None or appeal.proposed_by_id is None:
        return []
    return [ExtraGrade(appeal.submission_id, appeal.proposed_by_id, appeal.proposed_points)]


def seed_of(assignment: Assignment) -> int:
    """As in the run that is out: another seed would move everybody a little."""
    run = approved_run(assignment)
    return int(run.options.get("seed") or 0) if run is not None else 0


def fits(appeal: Appeal, run: GradingRun) -> bool:
    """Whether the preview still holds; other decisions or late submissions may have come."""
    inputs, plan = inputs_of(appeal.assignment, extra_of(appeal)), plan_of(appeal.assignment)
    options = options_of(
        plan,
        seed=seed_of(appeal.assignment),
        staff_grades=ANCHORS in inputs.files,
        rubric_scale=inputs.rubric_scale,
    )
    asked, weights = options.to_dict(), weights_of(plan)
    return (run.inputs_sha256, run.options, run.plan) == (inputs.sha256, asked, weights)


@dataclass(frozen=True, slots=True)
class Preview:
    """Where the preview of an appeal stands, for the page."""

    state: str  # none, waiting, failed, outdated, ready
    by_hand: bool = False
    movement: AppealChanges | None = None


def preview_of(appeal: Appeal) -> Preview:
    """What would change, as soon as it is known."""
    if appeal.previewed_at is None:
        return Preview("none")
    if goes_by_hand(appeal):
        return Preview("ready", by_hand=True, movement=movement_by_hand(appeal))
    run = appeal.preview
    if run is None:
        return Preview("outdated")
    if run.drawn_at is None:
        return Preview("waiting" if run.job.state in ("queued", "running", "done") else "failed")
    if not fits(appeal, run):
        return Preview("outdated")
    return Preview("ready", movement=movement_by_run(appeal, run))


# -- Accepting or declining: grades change and are released in one step, or nothing happens ------------


def decline(*, appeal: Appeal, by: Person, answer: str) -> None:
    """The grade stays; the student is told that there is an answer."""
    with exclusively(lock_name(appeal.assignment)):
        refuse_phase(appeal.assignment)
        _end(appeal, Appeal.State.DECLINED, by, answer)
        record(
            "appeal-declined",
            by=by,
            assignment=appeal.assignment,
            subject=appeal.membership,
            appeal=appeal.key,
        )
        notify(appeal=appeal)


def accept(*, appeal: Appeal, by: Person, answer: str, seen: str) -> int:
    """Make what was previewed true, and release it; for how many students something changes.

    `seen` is `mark_of` the preview that the page showed: whoever accepts has seen who else would move. Those
    for whom something changes are told by the release, and the student of the appeal in any case.
    """
    with exclusively(lock_name(appeal.assignment)):
        refuse_phase(appeal.assignment)
        fresh = Appeal.objects.select_for_update(of=("self",)).select_related(
            "assignment__course", "membership__person", "submission", "preview__job", "proposed_by"
        )
        appeal = fresh.get(pk=appeal.pk)
        preview = preview_of(appeal)
        if preview.state != "ready" or seen != mark_of(appeal):
            raise Refused(
                _("Preview what would change before you accept. The last preview is missing or out of date.")
            )
        if preview.by_hand:
            _by_hand(appeal, by, answer)
        else:
            _by_run(appeal, by)
        _end(appeal, Appeal.State.ACCEPTED, by, answer)
        changed = len(release_page(appeal.assignment).changed)
        record(
            "appeal-accepted",
            by=by,
            assignment=appeal.assignment,
            subject=appeal.membership,
            appeal=appeal.key,
            count=changed,
        )
        if changed:
            release_again(assignment=appeal.assignment, by=by, why=_why(appeal, changed))
        notify(appeal=appeal)
    return changed


def mark_of(appeal: Appeal) -> str:
    """Of the preview that a page shows."""
    at = appeal.previewed_at
    return "" if at is None else at.isoformat()


def _by_hand(appeal: Appeal, by: Person, answer: str) -> None:
    reason = appeal.proposed_reason or answer
    points = appeal.proposed_points or 0.0
    set_grade(submission=appeal.submission, by=by, points=points, reason=reason[:1000])
    # what was set for one member of a team would stand before it
    for override in appeal.submission.overrides.filter(withdrawn_at=None, membership__isnull=False):
        set_grade(
            submission=appeal.submission,
            by=by,
            points=points,
            reason=reason[:1000],
            membership=override.membership,
        )


def _by_run(appeal: Appeal, by: Person) -> None:
    """The staff grade becomes one, and the preview, which was made with it, a run like others."""
    run = appeal.preview
    assert run is not None  # it is ready
    if appeal.proposed_points is not None and appeal.proposed_by is not None:
        appeal.staff_grade = grade_submission(
            submission=appeal.submission,
            by=appeal.proposed_by,
            points=appeal.proposed_points,
            reason=appeal.proposed_reason,
        )
    GradingRun.objects.filter(pk=run.pk).update(purpose=Purpose.GRADES)
    approve_run(run=run, by=by)


def _why(appeal: Appeal, changed: int) -> str:
    """What students read; it names nobody."""
    with translation.override(appeal.assignment.course.language or None):
        if changed == 1:
            return _("An appeal was accepted.")
        return _("An appeal was accepted, so some grades have changed.")


def _end(appeal: Appeal, state: str, by: Person, answer: str) -> None:
    if not answer.strip():
        raise Refused(_("Explain your decision. The student will read it."))
    waiting = Appeal.objects.select_for_update().filter(pk=appeal.pk, state=Appeal.State.OPEN)
    if not waiting.exists():
        raise Refused(_("This appeal is no longer open."))
    appeal.state, appeal.answer, appeal.proposed_answer = state, answer.strip(), ""
    appeal.answered_by, appeal.ended_at = by, timezone.now()
    appeal.save()


# -- Mail to the student, without the decision and without who made it ---------------------------------


def notify(*, appeal: Appeal) -> None:
    """That one was opened for them, or was answered; once for each."""
    member, assignment = appeal.membership, appeal.assignment
    if member.role != Role.STUDENT or not member.person.is_active:
        return
    course = assignment.course
    with timezone.override(course.zone):
        queue_mail(
            person=member.person,
            kind="appeal",
            context={
                "assignment": assignment,
                "course": course,
                "state": appeal.state,
                "path": reverse("appeal", args=[course.key, assignment.key]),
            },
            language=course.language,
            about=f"course {course.pk}",
            once=f"appeal {appeal.pk} {appeal.state}",
        )
