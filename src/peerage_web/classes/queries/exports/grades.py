"""The grades that other systems get: those that were released; before that, those of the approved run."""

from __future__ import annotations

from dataclasses import dataclass

from peerage_web.classes.models import Assignment, GradingRun, Membership, Release, Work
from peerage_web.classes.queries.grading.final import final_grades
from peerage_web.classes.queries.grading.labels import labels_of
from peerage_web.classes.queries.grading.runs import approved_run


@dataclass(frozen=True, slots=True)
class ExportedGrade:
    """One student; empty where there is nothing to say it from."""

    membership: Membership
    work: Work | None
    points: float | None
    low: float | None
    high: float | None
    letter: str
    by_hand: bool
    reviewing: float | None
    total: float | None


@dataclass(frozen=True, slots=True)
class Exported:
    """The grades, the run that they rest on, and the release that showed them, if there was one."""

    run: GradingRun
    release: Release | None
    grades: list[ExportedGrade]
    students: dict[int, str]  # label of each member
    works: dict[int, str]


def source_of(assignment: Assignment) -> tuple[GradingRun | None, Release | None]:
    """Where exported grades come from now."""
    releases = Release.objects.filter(assignment=assignment, ended_at=None)
    release = releases.select_related("run__job", "run__assignment").first()
    return (release.run if release is not None else approved_run(assignment)), release


def exported_grades(assignment: Assignment) -> Exported | None:
    """What students see, or would see now; None as long as no run was approved."""
    run, release = source_of(assignment)
    if run is None:
        return None
    labels = labels_of(assignment)
    grades = _released(release) if release is not None else _final(run)
    return Exported(run, release, grades, labels.people, labels.works)


def _released(release: Release) -> list[ExportedGrade]:
    rows = release.grades.select_related("membership__person", "work__team").order_by(
        "membership__name", "pk"
    )
    return [
        ExportedGrade(
            membership=one.membership,
            work=one.work,
            points=one.points,
            low=one.points_low,
            high=one.points_high,
            letter=one.letter,
            by_hand=one.by_hand,
            reviewing=one.reviewing,
            total=one.total,
        )
        for one in rows
    ]


def _final(run: GradingRun) -> list[ExportedGrade]:
    return [
        ExportedGrade(
            membership=one.membership,
            work=one.work,
            points=one.points,
            low=one.low,
            high=one.high,
            letter=one.letter,
            by_hand=one.by_hand,
            reviewing=one.reviewing,
            total=one.total,
        )
        for one in final_grades(run)
    ]
