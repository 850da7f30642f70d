"""Runs of an assignment."""

from __future__ import annotations

from django.db.models import QuerySet

from peerage_web.classes.models import Assignment, GradingRun

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
