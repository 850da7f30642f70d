"""What reviewers said of submissions: as submitted, without what staff hid, and how helpful it was found.

Reviewers are numbered in an order that says nothing about who they are. An author gets to know a review by
`handle`, which no page of a reviewer has: two who compare their screens find nothing in common.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from django.db.models import Avg, Count, OuterRef, Q, QuerySet, Subquery

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, FeedbackPrompt
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import GradingRun, RunGrade, RunReviewer
from peerage_web.classes.grading.queries import approved_run, last_run
from peerage_web.classes.names import by_author, name_key
from peerage_web.classes.release.models import (
    CommentReport,
    Helpfulness,
    HiddenComment,
    PreparedFeedback,
    ReleasedGrade,
)
from peerage_web.classes.reviewing.models import Comment, SubmittedRanking
from peerage_web.classes.rubrics.queries import CriterionResult, results_of
from peerage_web.classes.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """The answer to one question, or a comment in general (`prompt` is empty then)."""

    comment: int | None  # its key; staff hide it by this
    prompt: str
    text: str
    hidden: HiddenComment | None = None


@dataclass(frozen=True, slots=True)
class ReviewFeedback:
    """What one reviewer wrote about a submission, and the levels of the rubric that they chose."""

    review: int  # its key
    handle: str  # what an author's form calls it
    number: int  # 1, 2, … of this submission
    remarks: tuple[ReviewComment, ...]
    ratings: tuple[int, ...] = ()  # by all who made the submission
    rating: int | None = None  # by the one who looks
    reviewer: Membership | None = None  # for staff
    levels: tuple[CriterionResult, ...] = ()
    report: CommentReport | None = None  # for staff
    is_reported: bool = False  # for its author

    @property
    def shown(self) -> list[ReviewComment]:
        """What its author may read."""
        return [remark for remark in self.remarks if remark.hidden is None]

    @property
    def hidden(self) -> int:
        """How much of it staff hid."""
        return sum(remark.hidden is not None for remark in self.remarks)


def handle_of(review: Review) -> str:
    """Nobody finds the review's own key from it."""
    return hashlib.sha256(f"as its author sees it: {review.key}".encode()).hexdigest()[:20]


def received(submissions: Sequence[Submission]) -> dict[int, list[ReviewFeedback]]:
    """Submission to what was written about it; a fixed number of queries, however many there are."""
    rows = Review.objects.filter(submission__in=submissions, state=Review.State.OPEN)
    reviews = sorted(rows.select_related("reviewer__person", "comment_report__by__person"), key=handle_of)
    newest = list(_newest(reviews))
    remarks = _remarks(reviews, [entry for comments, _levels in newest for entry in comments])
    levels = results_of(entry for _comments, chosen in newest for entry in chosen)
    ratings: dict[int, list[int]] = {}
    rated = Helpfulness.objects.filter(review__in=[review.pk for review in reviews]).order_by("pk")
    for number, rating in rated.values_list("review", "rating"):
        ratings.setdefault(number, []).append(rating)
    result: dict[int, list[ReviewFeedback]] = {submission.pk: [] for submission in submissions}
    for review in reviews:
        if review.pk in remarks or review.pk in levels:
            theirs = result[review.submission_id]
            theirs.append(
                ReviewFeedback(
                    review.pk,
                    handle_of(review),
                    len(theirs) + 1,
                    remarks.get(review.pk, ()),
                    tuple(ratings.get(review.pk, ())),
                    reviewer=review.reviewer,
                    levels=levels.get(review.pk, ()),
                    report=getattr(review, "comment_report", None),
                )
            )
    return result


def _remarks(
    reviews: Sequence[Review], submitted: Iterable[dict[str, Any]]
) -> dict[int, tuple[ReviewComment, ...]]:
    """Review to what was written, as it was last submitted: what came after that is a draft."""
    wanted = {review.pk for review in reviews}
    entries = [entry for entry in submitted if entry["review"] in wanted and entry["text"]]
    prompts = FeedbackPrompt.objects.in_bulk({entry["prompt"] for entry in entries} - {None})
    comments = {
        (comment.review_id, comment.prompt_id): comment.pk
        for comment in Comment.objects.filter(review__in=wanted)
    }
    hidden = {row.comment_id: row for row in _hidden_among(comments.values()).select_related("by")}
    written: dict[int, list[tuple[tuple[int, int], ReviewComment]]] = {}
    for entry in entries:
        comment, prompt = comments.get((entry["review"], entry["prompt"])), prompts.get(entry["prompt"])
        place = (prompt.position, prompt.pk) if prompt is not None else (1 << 16, 0)
        said = prompt.text if prompt is not None else ""
        remark = ReviewComment(
            comment, said, entry["text"], hidden.get(comment) if comment is not None else None
        )
        written.setdefault(entry["review"], []).append((place, remark))
    return {
        review: tuple(remark for _place, remark in sorted(some, key=lambda placed: placed[0]))
        for review, some in written.items()
    }


def _newest(reviews: Sequence[Review]) -> Iterable[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Comments and levels of the rankings that count."""
    last = SubmittedRanking.objects.filter(ranking=OuterRef("ranking")).order_by("-number").values("pk")[:1]
    theirs = SubmittedRanking.objects.filter(
        ranking__reviewer__in={review.reviewer_id for review in reviews},
        ranking__assignment__in={review.assignment_id for review in reviews},
        pk=Subquery(last),
    )
    return theirs.order_by("pk").values_list("comments", "levels")


# -- What a student reads. It is put together when grades are released, for the whole class at once; what can
# change after that is looked up with every look: ratings, comments that staff hide, reviews that end


AT_ONCE = 200  # grades whose feedback is looked up together: databases bound the length of a question


def prepare(grades: Sequence[ReleasedGrade], run: GradingRun) -> Iterator[dict[str, Any]]:
    """For each of these grades of a run: what it rests on, and what reviewers wrote."""
    with_staff = RunGrade.objects.filter(run=run, staff__isnull=False).exists()
    size = run.grades.count()
    for some in _batches(grades):
        theirs = {grade.submission_id: grade.submission for grade in some if grade.submission is not None}
        written = received(list(theirs.values()))
        graded = {grade.submission_id: grade for grade in run.grades.filter(submission__in=theirs)}
        for grade in some:
            of_submission = graded.get(grade.submission_id or 0)
            yield {
                "with_staff": with_staff,
                "reviews": of_submission.reviews if of_submission is not None else 0,
                "letter_chance": of_submission.letter_chance if of_submission is not None else None,
                "standing": _standing(of_submission, size) if of_submission is not None else None,
                "received": [_as_json(feedback) for feedback in written.get(grade.submission_id or 0, [])],
            }


def _standing(grade: RunGrade, size: int) -> dict[str, Any]:
    """Where a submission stands among so many."""
    ranks = {"rank_low": grade.rank_low, "rank_high": grade.rank_high}
    return {**ranks, "percentile": grade.percentile, "size": size}


def _batches(grades: Sequence[ReleasedGrade]) -> Iterator[Sequence[ReleasedGrade]]:
    return (grades[start : start + AT_ONCE] for start in range(0, len(grades), AT_ONCE))


def _as_json(feedback: ReviewFeedback) -> dict[str, Any]:
    remarks = [[remark.comment, remark.prompt, remark.text] for remark in feedback.remarks]
    levels = [astuple(result) for result in feedback.levels]
    return {"review": feedback.review, "handle": feedback.handle, "remarks": remarks, "levels": levels}


def prepared(grade: ReleasedGrade) -> dict[str, Any]:
    """What was prepared for a released grade; put together now where nothing was, as after an import."""
    try:
        content: dict[str, Any] = grade.prepared.content
    except PreparedFeedback.DoesNotExist:
        (content,) = prepare([grade], grade.release.run)
    return content


def feedback_for(member: int, content: dict[str, Any]) -> list[ReviewFeedback]:
    """What was prepared, as this member may read it now; `rating` is theirs."""
    received = content["received"]
    if not received:
        return []
    listed = [entry["review"] for entry in received]
    reviews = Review.objects.filter(pk__in=listed, state=Review.State.OPEN).order_by()
    ratings: dict[int, dict[int, int]] = {}
    reported = set()
    about = ("pk", "helpfulness__by", "helpfulness__rating", "comment_report")
    for review, by, rating, report in reviews.values_list(*about):
        ratings.setdefault(review, {})[by] = rating
        if report is not None:
            reported.add(review)
    comments = [comment for entry in received for comment, _prompt, _text in entry["remarks"]]
    hidden = {row.comment_id: row for row in _hidden_among(comment for comment in comments if comment)}
    open_ones = [entry for entry in received if entry["review"] in ratings]
    return [
        ReviewFeedback(
            entry["review"],
            entry["handle"],
            number,
            tuple(
                ReviewComment(comment, prompt, text, hidden.get(comment) if comment is not None else None)
                for comment, prompt, text in entry["remarks"]
            ),
            rating=ratings[entry["review"]].get(member),
            levels=tuple(CriterionResult(*result) for result in entry["levels"]),
            is_reported=entry["review"] in reported,
        )
        for number, entry in enumerate(open_ones, start=1)
    ]


def _hidden_among(comments: Iterable[int]) -> QuerySet[HiddenComment]:
    return HiddenComment.objects.filter(comment__in=list(comments), shown_again_at=None).order_by()


# -- Two lists for staff: comments on submissions, and reviewers by how reliable and helpful they are


NOT_HELPFUL = 2  # ratings up to this are worth a look
SHOWN = ("", "reported", "unhelpful", "hidden")


def submissions_with_feedback(assignment: Assignment, show: str = "", search: str = "") -> list[Submission]:
    """Submissions that are reviewed, in the order of their authors' names."""
    reviews = Review.objects.filter(assignment=assignment, state=Review.State.OPEN)
    if show == "hidden":
        hidden = HiddenComment.objects.filter(shown_again_at=None, comment__review__in=reviews)
        reviews = reviews.filter(pk__in=hidden.values("comment__review"))
    elif show == "reported":
        reviews = reviews.filter(comment_report__isnull=False, comment_report__settled_at=None)
    elif show == "unhelpful":
        reviews = reviews.filter(helpfulness__rating__lte=NOT_HELPFUL)
    if search:
        name = (
            Q(reviewer__name__icontains=search)
            | Q(submission__author__name__icontains=search)
            | Q(submission__team__name__icontains=search)
        )
        reviews = reviews.filter(name)
    submissions = Submission.objects.filter(pk__in=reviews.values("submission")).select_related(
        "author__person", "team"
    )
    return by_author(submissions)


@dataclass(frozen=True, slots=True)
class ReviewerSummary:
    """One reviewer: what the run says of them, and what authors said."""

    membership: Membership
    result: RunReviewer | None
    rating: float | None  # the mean, 1 to 5
    ratings: int
    hidden: int

    @property
    def is_far_apart(self) -> bool:
        """Helpful words and no reliable order: somebody who may have misread how to rank."""
        named = self.result is not None and self.result.flag in ("reversed", "chance")
        return named and self.rating is not None and self.rating >= 4


SORTED: dict[str, Callable[[ReviewerSummary], tuple[Any, ...]]] = {
    "name": lambda row: (False, 0.0, name_key(row.membership.shown_name)),
    "reliability": lambda row: _by(row.result.reliability if row.result is not None else None, row),
    "helpfulness": lambda row: _by(row.rating, row),
}


def _by(value: float | None, row: ReviewerSummary) -> tuple[Any, ...]:
    """The lowest first, for there staff look; who has no figure comes last."""
    return value is None, value or 0.0, name_key(row.membership.shown_name)


def reviewers(assignment: Assignment, sort: str = "name") -> list[ReviewerSummary]:
    """Everybody who reviews, with the figures of the approved run, or else of the newest."""
    run = approved_run(assignment) or last_run(assignment)
    figures = (
        {reviewer.membership_id: reviewer for reviewer in run.reviewers.all()} if run is not None else {}
    )
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
        ReviewerSummary(
            person, figures.get(person.pk), *means.get(person.pk, (None, 0)), hidden.get(person.pk, 0)
        )
        for person in people
    ]
    return sorted(rows, key=SORTED[sort])
