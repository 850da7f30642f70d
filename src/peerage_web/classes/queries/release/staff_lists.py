"""Two lists for staff: what was written about works, and reviewers by how reliable and helpful they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Avg, Count, Q, QuerySet

from peerage_web.classes.models import (
    Assignment,
    Helpfulness,
    HiddenComment,
    Membership,
    Review,
    RunReviewer,
    Work,
)
from peerage_web.classes.queries.grading.runs import approved_run, last_run

NOT_HELPFUL = 2  # ratings up to this are worth a look
SHOWN = ("", "hidden", "unhelpful")


def works_with_feedback(assignment: Assignment, show: str = "", search: str = "") -> QuerySet[Work]:
    """Works that are reviewed, in the order of their makers' names."""
    reviews = Review.objects.filter(assignment=assignment, state=Review.State.OPEN)
    if show == "hidden":
        hidden = HiddenComment.objects.filter(shown_again_at=None, comment__review__in=reviews)
        reviews = reviews.filter(pk__in=hidden.values("comment__review"))
    elif show == "unhelpful":
        reviews = reviews.filter(helpfulness__rating__lte=NOT_HELPFUL)
    if search:
        name = (
            Q(reviewer__name__icontains=search)
            | Q(work__author__name__icontains=search)
            | Q(work__team__name__icontains=search)
        )
        reviews = reviews.filter(name)
    works = Work.objects.filter(pk__in=reviews.values("work")).select_related("author__person", "team")
    return works.order_by("team__name", "author__name", "pk")


@dataclass(frozen=True, slots=True)
class Reviewer:
    """One reviewer: what the run says of them, and what authors said."""

    membership: Membership
    found: RunReviewer | None
    rating: float | None  # the mean, 1 to 5
    ratings: int
    hidden: int

    @property
    def is_far_apart(self) -> bool:
        """Helpful words and no reliable order: somebody who may have misread how to rank."""
        named = self.found is not None and self.found.flag in ("reversed", "chance")
        return named and self.rating is not None and self.rating >= 4


SORTED: dict[str, Callable[[Reviewer], tuple[bool, float, str]]] = {
    "name": lambda one: (False, 0.0, one.membership.shown_name.casefold()),
    "reliability": lambda one: _by(one.found.reliability if one.found is not None else None, one),
    "helpfulness": lambda one: _by(one.rating, one),
}


def _by(value: float | None, one: Reviewer) -> tuple[bool, float, str]:
    """The lowest first, for there staff look; who has no figure comes last."""
    return value is None, value or 0.0, one.membership.shown_name.casefold()


def reviewers(assignment: Assignment, sort: str = "name") -> list[Reviewer]:
    """Everybody who reviews, with the figures of the approved run, or else of the newest."""
    run = approved_run(assignment) or last_run(assignment)
    figures = {one.membership_id: one for one in run.reviewers.all()} if run is not None else {}
    asked = Review.objects.filter(assignment=assignment).values("reviewer")
    people = Membership.objects.filter(pk__in=asked).select_related("person")
    rated = Helpfulness.objects.filter(review__assignment=assignment, review__state=Review.State.OPEN)
    means = {
        who: (mean, count)
        for who, mean, count in rated.order_by()
        .values_list("review__reviewer")
        .annotate(Avg("rating"), Count("pk"))
    }
    kept_back = HiddenComment.objects.filter(comment__review__assignment=assignment, shown_again_at=None)
    hidden = dict(kept_back.order_by().values_list("comment__review__reviewer").annotate(Count("pk")))
    rows = [
        Reviewer(one, figures.get(one.pk), *means.get(one.pk, (None, 0)), hidden.get(one.pk, 0))
        for one in people
    ]
    return sorted(rows, key=SORTED[sort])
