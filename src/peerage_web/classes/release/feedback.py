"""What was written about works: as it was handed in, without what staff hid, and how helpful it was found.

Reviewers are numbered in an order that says nothing about who they are. An author gets to know a review by
`handle`, which no page of a reviewer has: two who compare their screens find nothing in common.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, OuterRef, Q, QuerySet, Subquery

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, FeedbackPrompt
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import RunReviewer
from peerage_web.classes.grading.queries import approved_run, last_run
from peerage_web.classes.release.models import Helpfulness, HiddenComment
from peerage_web.classes.reviewing.models import Comment, HandedInRanking
from peerage_web.classes.submissions.models import Work


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """The answer to one question, or a comment in general (`prompt` is empty then)."""

    comment: int | None  # its key; staff hide it by this
    prompt: str
    text: str
    hidden: HiddenComment | None = None


@dataclass(frozen=True, slots=True)
class ReviewFeedback:
    """What one reviewer wrote about a work."""

    review: Review
    number: int  # 1, 2, … of this work
    remarks: tuple[ReviewComment, ...]
    ratings: tuple[int, ...] = ()  # by all who made the work
    rating: int | None = None  # by the one who looks

    @property
    def handle(self) -> str:
        """What an author's form calls it."""
        return handle_of(self.review)

    @property
    def shown(self) -> list[ReviewComment]:
        """What its author may read."""
        return [one for one in self.remarks if one.hidden is None]

    @property
    def hidden(self) -> int:
        """How much of it staff hid."""
        return sum(one.hidden is not None for one in self.remarks)


def handle_of(review: Review) -> str:
    """Nobody finds the review's own key from it."""
    return hashlib.sha256(f"as its author sees it: {review.key}".encode()).hexdigest()[:20]


def received_by(work: Work | None, member: Membership | None = None) -> list[ReviewFeedback]:
    """What was written about one work; `rating` is this member's."""
    return received([work], member)[work.pk] if work is not None else []


def received(works: Sequence[Work], member: Membership | None = None) -> dict[int, list[ReviewFeedback]]:
    """Work to what was written about it; a fixed number of queries, however many works there are."""
    found = Review.objects.filter(work__in=works, state=Review.State.OPEN)
    reviews = sorted(found.select_related("reviewer__person"), key=handle_of)
    remarks = _remarks(reviews)
    ratings: dict[int, list[tuple[int, int]]] = {}
    rated = Helpfulness.objects.filter(review__in=[one.pk for one in reviews]).order_by("pk")
    for review, by, rating in rated.values_list("review", "by", "rating"):
        ratings.setdefault(review, []).append((by, rating))
    result: dict[int, list[ReviewFeedback]] = {work.pk: [] for work in works}
    for one in reviews:
        given = ratings.get(one.pk, [])
        mine = next((rating for by, rating in given if member is not None and by == member.pk), None)
        if one.pk in remarks:
            theirs = result[one.work_id]
            every = tuple(rating for _by, rating in given)
            theirs.append(ReviewFeedback(one, len(theirs) + 1, remarks[one.pk], every, mine))
    return result


def _remarks(reviews: Sequence[Review]) -> dict[int, tuple[ReviewComment, ...]]:
    """Review to what was written, as it was last handed in: what came after that is a draft."""
    wanted = {one.pk for one in reviews}
    entries = [one for whole in _newest(reviews) for one in whole if one["review"] in wanted and one["text"]]
    prompts = {
        one.pk: one for one in FeedbackPrompt.objects.filter(pk__in={one["prompt"] for one in entries})
    }
    comments = {(one.review_id, one.prompt_id): one.pk for one in Comment.objects.filter(review__in=wanted)}
    kept_back = HiddenComment.objects.filter(comment__review__in=wanted, shown_again_at=None)
    hidden = {one.comment_id: one for one in kept_back.select_related("by")}
    written: dict[int, list[tuple[tuple[int, int], ReviewComment]]] = {}
    for one in entries:
        comment, prompt = comments.get((one["review"], one["prompt"])), prompts.get(one["prompt"])
        place = (prompt.position, prompt.pk) if prompt is not None else (1 << 16, 0)
        said = prompt.text if prompt is not None else ""
        remark = ReviewComment(
            comment, said, one["text"], hidden.get(comment) if comment is not None else None
        )
        written.setdefault(one["review"], []).append((place, remark))
    return {
        review: tuple(remark for _place, remark in sorted(some, key=lambda one: one[0]))
        for review, some in written.items()
    }


def _newest(reviews: Sequence[Review]) -> Iterable[list[dict[str, Any]]]:
    """The comments of the rankings that count."""
    last = HandedInRanking.objects.filter(ranking=OuterRef("ranking")).order_by("-number").values("pk")[:1]
    theirs = HandedInRanking.objects.filter(
        ranking__reviewer__in={one.reviewer_id for one in reviews},
        ranking__assignment__in={one.assignment_id for one in reviews},
        pk=Subquery(last),
    )
    return theirs.order_by("pk").values_list("comments", flat=True)


# -- Two lists for staff: what was written about works, and reviewers by how reliable and helpful they are


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
class ReviewerSummary:
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


SORTED: dict[str, Callable[[ReviewerSummary], tuple[bool, float, str]]] = {
    "name": lambda one: (False, 0.0, one.membership.shown_name.casefold()),
    "reliability": lambda one: _by(one.found.reliability if one.found is not None else None, one),
    "helpfulness": lambda one: _by(one.rating, one),
}


def _by(value: float | None, one: ReviewerSummary) -> tuple[bool, float, str]:
    """The lowest first, for there staff look; who has no figure comes last."""
    return value is None, value or 0.0, one.membership.shown_name.casefold()


def reviewers(assignment: Assignment, sort: str = "name") -> list[ReviewerSummary]:
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
        ReviewerSummary(one, figures.get(one.pk), *means.get(one.pk, (None, 0)), hidden.get(one.pk, 0))
        for one in people
    ]
    return sorted(rows, key=SORTED[sort])
