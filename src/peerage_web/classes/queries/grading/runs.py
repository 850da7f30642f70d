"""Runs of an assignment."""

from __future__ import annotations

from django.db.models import QuerySet

from peerage_web.classes.models import Assignment, GradingRun
from peerage_web.files.models import Job

Purpose = GradingRun.Purpose


def runs_of(assignment: Assignment) -> QuerySet[GradingRun]:
    """All of them, newest first."""
    return GradingRun.objects.filter(assignment=assignment).select_related("job", "made_by", "approved_by")


def approved_run(assignment: Assignment) -> GradingRun | None:
    """The one whose grades a release shows: that which was approved last."""
    approved = runs_of(assignment).filter(approved_at__isnull=False)
    return approved.order_by("-approved_at", "-number").first()


def last_run(assignment: Assignment) -> GradingRun | None:
    """The newest that has grades; looks at what appeals would change do not count."""
    return runs_of(assignment).filter(purpose=Purpose.GRADES, drawn_at__isnull=False).first()


def undrawn(assignment: Assignment) -> list[GradingRun]:
    """Runs whose job is done and whose rows nobody has drawn yet."""
    return list(runs_of(assignment).filter(drawn_at=None, job__state=Job.State.DONE))


def others_than(run: GradingRun) -> list[GradingRun]:
    """Runs that this one can be compared with: those before it, the newest first, then those after it."""
    drawn = runs_of(run.assignment).filter(drawn_at__isnull=False).exclude(pk=run.pk)
    return sorted(drawn, key=lambda one: (one.number > run.number, -one.number))
