"""Grading runs: starting, cancelling and approving them; and changing the settings of grading."""

import math
import shutil
from collections.abc import Iterable
from typing import Any

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

import peerage
from peerage._options import option_style
from peerage.errors import PeerageError
from peerage.grading.letters import parse_letters
from peerage.models.registry import METHODS
from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import changed_fields, record
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.grading.inputs import (
    ANCHORS,
    FEEDBACK,
    LABELS,
    ROSTER,
    ExtraGrade,
    Inputs,
    inputs_of,
    keep_labels,
    rubric_scores,
)
from peerage_web.classes.grading.models import (
    GradingPlan,
    GradingRun,
    Override,
    PointsRule,
    Shown,
    StaffGrade,
)
from peerage_web.classes.grading.queries import options_of, plan_of, weights_of
from peerage_web.classes.grading.texts import figure
from peerage_web.classes.permissions import Action, when
from peerage_web.classes.rubrics.queries import scale_of
from peerage_web.files.models import Job
from peerage_web.files.services.jobs import cancel_job, start_job
from peerage_web.files.services.storage import make_folder
from peerage_web.sandbox.contract.jobs import JobOptions, PageFields
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Busy, Full, Refused
from peerage_web.shared.services.disk import has_disk_space

Purpose = GradingRun.Purpose
ENDED_BADLY = (Job.State.FAILED, Job.State.CANCELLED)


def start_run(
    *,
    assignment: Assignment,
    by: Person | None,
    purpose: str = Purpose.GRADES,
    extra: Iterable[ExtraGrade] = (),
    seed: int = 0,
) -> GradingRun:
    """Put a run into the queue; `extra` staff grades are tried in it, and nowhere else.

    The same inputs, settings and version give the same bytes: where there is such a run already, which
    waits, runs or is done, it is the answer. Refused where nothing was submitted or the phase is another;
    Busy where too much waits already.
    """
    plan = plan_of(assignment)
    with exclusively(lock_name(assignment)):
        _refuse_phase(assignment)
        inputs = inputs_of(assignment, extra)
        if not inputs.lists and not inputs.staff_lists:
            raise Refused(_("No rankings have been submitted, so there is nothing to base grades on."))
        options = options_of(
            plan, seed=seed, staff_grades=ANCHORS in inputs.files, rubric_scale=inputs.rubric_scale
        )
        before = _same(assignment, purpose, inputs, options, plan)
        return before if before is not None else _begin(assignment, by, purpose, inputs, options, plan)


def is_planned(run: GradingRun) -> bool:
    """Whether the settings are still those that the run was made with."""
    plan = plan_of(run.assignment)
    staff_grades = bool(run.options.get("anchors_as_evidence"))
    rubric_scale = scale_of(run.assignment) if rubric_scores(run.assignment) else None
    asked = options_of(
        plan, seed=run.options.get("seed", 0), staff_grades=staff_grades, rubric_scale=rubric_scale
    )
    return bool(run.options == asked.to_dict() and run.plan == weights_of(plan))


def lock_name(assignment: Assignment) -> str:
    """Who changes what is graded, or what is approved, holds it."""
    return f"grading {assignment.pk}"


def _refuse_phase(assignment: Assignment) -> None:
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(Action.GRADE)).exists():
        raise Refused(_("The assignment is in a different phase now. Reload the page."))


def _same(
    assignment: Assignment, purpose: str, inputs: Inputs, options: JobOptions, plan: GradingPlan
) -> GradingRun | None:
    """A run that says what this one would say."""
    alike = GradingRun.objects.filter(
        assignment=assignment, purpose=purpose, inputs_sha256=inputs.sha256, version=peerage.__version__
    )
    asked, weights = options.to_dict(), weights_of(plan)
    for run in alike.exclude(job__state__in=ENDED_BADLY).select_related("job"):
        if run.options == asked and run.plan == weights and _has_files(run):
            return run
    return None


def _has_files(run: GradingRun) -> bool:
    """Its results go when somebody of the class is erased; then it is graded again."""
    return run.job.is_active or (run.job.results / "grades.csv").is_file()


def _begin(
    assignment: Assignment,
    by: Person | None,
    purpose: str,
    inputs: Inputs,
    options: JobOptions,
    plan: GradingPlan,
) -> GradingRun:
    """Files first, then rows in one step: of a start that dies, only files stay, which are swept up."""
    job = _job(assignment, inputs)
    try:
        _write(job, inputs)
        job.save()
        last = GradingRun.objects.filter(assignment=assignment).aggregate(last=Max("number"))["last"] or 0
        run = GradingRun.objects.create(
            assignment=assignment,
            number=last + 1,
            purpose=purpose,
            job=job,
            inputs_sha256=inputs.sha256,
            options=options.to_dict(),
            plan=weights_of(plan),
            version=peerage.__version__,
            made_by=by,
        )
        _queue(job, options)
    except BaseException:
        shutil.rmtree(job.folder, ignore_errors=True)
        raise
    record("run-started", by=by, assignment=assignment, count=run.number)
    return run


def _job(assignment: Assignment, inputs: Inputs) -> Job:
    """It has no end and no owner; a course takes turns in the queue as a visitor does."""
    return Job(
        visitor=f"course {assignment.course_id}",
        origin="class",
        expires_at=None,
        file_name=FEEDBACK,
        file_bytes=len(inputs.files[FEEDBACK]),
        roster_name=ROSTER,
        anchors_name=ANCHORS if ANCHORS in inputs.files else "",
        disk_bytes=inputs.size,
    )


def _write(job: Job, inputs: Inputs) -> None:
    if not has_disk_space():
        raise Full(_("This site has run out of disk space. Nothing was lost. Try again later."))
    folder = make_folder(job)
    for name, content in inputs.files.items():
        (folder / name).write_bytes(content)
    keep_labels(inputs, job.folder / LABELS)


def _queue(job: Job, options: JobOptions) -> None:
    try:
        start_job(job=job, options=options)
    except Full:
        raise Full(_("Too many classes are being graded right now. Try again in a few minutes.")) from None
    except Busy:
        text = _(
            "Several grading runs are already in progress in this course. Wait until one "
            "finishes, or cancel one."
        )
        raise Busy(text) from None


def cancel_run(*, run: GradingRun, by: Person) -> None:
    """Stop a run that waits or runs; one that is over stays as it is."""
    if not run.job.is_active:
        return
    cancel_job(job=run.job)
    record("run-cancelled", by=by, assignment=run.assignment, count=run.number)


def approve_run(*, run: GradingRun, by: Person) -> None:
    """From now on this run is what a release shows; another one that was approved before is not any more."""
    with exclusively(lock_name(run.assignment)):
        now: Any = GradingRun.objects.select_for_update().get(pk=run.pk)
        if now.purpose != Purpose.GRADES:
            raise Refused(_("This run only previews what an appeal would change. It cannot be approved."))
        if now.drawn_at is None:
            raise Refused(_("This run has not finished, so there are no grades to approve yet."))
        _refuse_phase(run.assignment)
        now.approved_at, now.approved_by = timezone.now(), by
        now.save(update_fields=["approved_at", "approved_by"])
        record("run-approved", by=by, assignment=run.assignment, count=now.number)
    run.refresh_from_db()


# -- Changing how an assignment is graded; what makes no sense, the library refuses --------------------


SCALE = ("scale_low", "scale_high")


def change_plan(*, assignment: Assignment, by: Person, **changes: Any) -> GradingPlan:
    """Change any of the plan's fields; every change is recorded.

    A scale on which staff have graded already stays: their numbers would mean something else.
    """
    with exclusively(lock_name(assignment)):
        plan = plan_of(assignment)
        changed = changed_fields(plan, changes)
        for field, (_before, after) in changed.items():
            setattr(plan, field, after)
        refuse_nonsense(plan)
        if set(SCALE) & changed.keys():
            _refuse_used_scale(assignment)
        plan.save()
        for field, (before, after) in changed.items():
            record("plan-changed", by=by, assignment=assignment, field=field, before=before, after=after)
    return plan


def offered_methods() -> list[tuple[str, list[tuple[str, str]]]]:
    """Methods for orders, each under its one honest line; `+G` counts careful reviewers for more."""
    alike, weighted = (
        _("%(code)s: all reviewers count the same"),
        _("%(code)s: reliable reviewers count more"),
    )
    methods = []
    for method in METHODS.values():
        if "orders" not in method.takes:
            continue
        kinds = [(method.code, alike % {"code": method.code})]
        if method.with_reliability is not None:
            kinds.insert(0, (method.with_reliability, weighted % {"code": method.with_reliability}))
        methods.append((method.summary, kinds))
    return methods


def refuse_nonsense(plan: GradingPlan) -> None:
    """Refused where the settings contradict themselves, in words that name the remedy."""
    if not (math.isfinite(plan.scale_low) and math.isfinite(plan.scale_high)):
        raise Refused(_("The minimum and maximum points must be numbers."))
    if plan.scale_low >= plan.scale_high:
        raise Refused(_("The maximum points must be greater than the minimum points."))
    if plan.points_rule == PointsRule.CURVE:
        _refuse_curve(plan)
    if plan.late_penalty < 0 or (plan.late_penalty_most is not None and plan.late_penalty_most <= 0):
        raise Refused(_("A deduction for late submissions cannot be negative."))
    if plan.completeness_weight + plan.helpfulness_weight > 100:
        raise Refused(_("The parts of the reviewing mark add up to more than 100%."))
    codes = {code for _summary, kinds in offered_methods() for code, _label in kinds}
    if plan.method and plan.method not in codes:
        raise Refused(_("This method is not available for rankings."))
    if plan.rubric_counts:
        _refuse_rubric(plan)
    if not set(plan.shown) <= set(Shown.values):
        raise Refused(_("This is not something that students can see of a grade."))
    try:
        with option_style(PageFields()):
            _refuse_letters(plan)
            options_of(plan, staff_grades=True).check()
    except PeerageError as error:  # the library's words: it names value, rule and remedy
        raise Refused(str(error)) from None


def _refuse_curve(plan: GradingPlan) -> None:
    if not plan.scale_low <= plan.curve_mean <= plan.scale_high:
        text = _("The mean of the curve, %(mean)s, is outside the scale from %(low)s to %(high)s.")
        figures = {"mean": plan.curve_mean, "low": plan.scale_low, "high": plan.scale_high}
        raise Refused(text % {name: figure(value, 2) for name, value in figures.items()})
    if plan.curve_sd <= 0:
        raise Refused(_("The standard deviation of the curve must be greater than 0."))


def _refuse_rubric(plan: GradingPlan) -> None:
    low, high = scale_of(plan.assignment)
    if low == high:
        raise Refused(_("The rubric has no levels with different points, so it cannot count."))
    if plan.method:
        text = _("The chosen method is for rankings alone. To count the rubric, let Peerage choose it.")
        raise Refused(text)


def _refuse_letters(plan: GradingPlan) -> None:
    """Letters that do not go with the rule: shares of the class are quotas, and cut-points need points."""
    by_share = parse_letters(plan.letters).cuts is None if plan.letters else None
    if plan.points_rule == PointsRule.QUOTAS and by_share is not True:
        raise Refused(_("Quotas need the share of the class for each letter, such as A:20%,B:30%,C:50%."))
    if plan.points_rule in (PointsRule.STAFF, PointsRule.CURVE) and by_share:
        text = _(
            "Shares of the class are quotas: choose “Quotas”, or say at which points each letter begins, "
            "such as A>=85,B>=70,C."
        )
        raise Refused(text)
    if plan.points_rule in (PointsRule.COMPLETE, PointsRule.STANDING) and plan.letters:
        raise Refused(
            _("This rule gives no letter grades. Leave the letter grades empty, or choose another.")
        )


def _refuse_used_scale(assignment: Assignment) -> None:
    staff = StaffGrade.objects.filter(submission__assignment=assignment, withdrawn_at=None).count()
    by_hand = Override.objects.filter(submission__assignment=assignment, withdrawn_at=None).count()
    if staff or by_hand:
        text = _(
            "Staff grades on the current scale: %(staff)s; grades set by hand: %(by_hand)s. "
            "Withdraw them before you change the scale. On another scale, the same numbers would "
            "mean something else."
        )
        raise Refused(text % {"staff": staff, "by_hand": by_hand})
