"""The rubric of an assignment; what a reviewer has chosen so far, and what was chosen for a submission."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Subquery

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import Phase
from peerage_web.classes.reviewing.models import SubmittedRanking
from peerage_web.classes.reviewing.ranking_input import RankingInput, level_name
from peerage_web.classes.rubrics.models import ChosenLevel, RubricCriterion, RubricLevel

_OPEN = (Phase.SETUP, Phase.SUBMITTING, Phase.ALLOCATING)


def is_open(assignment: Assignment) -> bool:
    """Whether staff can change the rubric: nobody reviews by it yet."""
    return assignment.phase in _OPEN


def criteria_of(assignment: Assignment) -> list[RubricCriterion]:
    return list(assignment.rubric.prefetch_related("levels"))


# -- on the ranking screen -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LevelChoice:
    """A criterion beside a submission, and the level that is chosen so far."""

    name: str  # of the field
    criterion: RubricCriterion
    level: int | None
    version: int
    is_saved: bool = True  # not where the page shows what could not be taken

    @property
    def is_missing(self) -> bool:
        """Whether a level has to be chosen before submitting, and is not."""
        return self.criterion.required and self.level is None


def choices_of(
    assignment: Assignment, reviews: Sequence[Review], sent: RankingInput | None
) -> dict[int, tuple[LevelChoice, ...]]:
    """Review to its criteria; `sent` is what was chosen on a page that could not be taken."""
    criteria = criteria_of(assignment)
    if not criteria:
        return {review.pk: () for review in reviews}
    rows = ChosenLevel.objects.filter(review__in=reviews)
    kept = {(row.review_id, row.criterion_id): row for row in rows}
    typed = {(choice.label, choice.criterion): choice.level for choice in sent.levels} if sent else {}
    return {
        review.pk: tuple(
            _choice(review, criterion, kept.get((review.pk, criterion.pk)), typed) for criterion in criteria
        )
        for review in reviews
    }


def _choice(
    review: Review,
    criterion: RubricCriterion,
    row: ChosenLevel | None,
    typed: dict[tuple[str, int], int | None],
) -> LevelChoice:
    saved = row.level_id if row is not None else None
    shown = typed.get((review.label, criterion.pk), saved)
    return LevelChoice(
        name=level_name(review.label, criterion.pk),
        criterion=criterion,
        level=shown,
        version=row.version if row is not None else 0,
        is_saved=shown == saved,
    )


# -- as submitted: lists of {"review", "criterion", "level"} -----------------------------------------------


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """The level that a reviewer chose by a criterion."""

    criterion: str
    level: str
    description: str
    points: float


def results_of(entries: Iterable[dict[str, Any]]) -> dict[int, tuple[CriterionResult, ...]]:
    """Review to what was chosen, in the order of the rubric."""
    listed = list(entries)
    chosen = RubricLevel.objects.select_related("criterion").in_bulk({entry["level"] for entry in listed})
    by_review: dict[int, list[RubricLevel]] = {}
    for entry in listed:
        if entry["level"] in chosen:
            by_review.setdefault(entry["review"], []).append(chosen[entry["level"]])
    return {
        review: tuple(
            CriterionResult(level.criterion.name, level.name, level.description, level.points)
            for level in sorted(levels, key=lambda level: (level.criterion.position, level.criterion_id))
        )
        for review, levels in by_review.items()
    }


# -- as scores, where the rubric counts ----------------------------------------------------------------------


def scale_of(assignment: Assignment) -> tuple[float, float]:
    """From the fewest to the most points that a submission can get by the rubric."""
    points = [[level.points for level in criterion.levels.all()] for criterion in criteria_of(assignment)]
    return sum(min(some, default=0) for some in points), sum(max(some, default=0) for some in points)


def scores_of(assignment: Assignment) -> dict[int, float]:
    """Review to its points by all criteria together, as last submitted.

    A review that lacks a criterion would have the sum of others than the rest: it has no score.
    """
    last = SubmittedRanking.objects.filter(ranking=OuterRef("ranking")).order_by("-number").values("pk")[:1]
    newest = SubmittedRanking.objects.filter(ranking__assignment=assignment, pk=Subquery(last))
    levels = RubricLevel.objects.filter(criterion__assignment=assignment)
    points = dict(levels.values_list("pk", "points"))
    by_review: dict[int, list[float]] = {}
    for chosen in newest.order_by("pk").values_list("levels", flat=True):
        for entry in chosen:
            if entry["level"] in points:
                by_review.setdefault(entry["review"], []).append(points[entry["level"]])
    criteria = assignment.rubric.count()
    return {review: sum(given) for review, given in by_review.items() if len(given) == criteria}
