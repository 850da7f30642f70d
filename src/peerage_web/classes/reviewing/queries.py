"""Reviewing: what a reviewer's page shows, what is missing, and rankings as programs read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, FeedbackPrompt
from peerage_web.classes.assignments.queries import extension_of, personal_dates
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.queries import labels_of
from peerage_web.classes.release.models import Reply
from peerage_web.classes.release.replies import replies_to
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.reviewing.ranking_input import RankingInput, Tiers, before, field_name, without
from peerage_web.classes.rubrics.models import RubricLevel
from peerage_web.classes.rubrics.queries import LevelChoice, choices_of
from peerage_web.classes.submissions.models import Submission, SubmissionVersion
from peerage_web.classes.submissions.names import UNSPACED
from peerage_web.classes.submissions.queries import members_of_teams


@dataclass(frozen=True, slots=True)
class Field:
    """A question about a submission, and what was answered so far."""

    name: str
    prompt: FeedbackPrompt | None
    text: str
    version: int
    is_saved: bool = True  # not where the page shows what could not be taken

    @property
    def is_missing(self) -> bool:
        """Whether it has to be answered before submitting, and is not."""
        return self.prompt is not None and self.prompt.required and not self.text.strip()


@dataclass(frozen=True, slots=True)
class Item:
    """One submission under the label that this reviewer knows it by."""

    review: Review
    place: int | None  # 1 is best; equal places are ties
    fields: tuple[Field, ...]
    choices: tuple[LevelChoice, ...]  # by the rubric
    replaced_at: datetime | None = None  # when another version came after it was allocated
    reply: Reply | None = None  # of its author, once grades are released

    @property
    def label(self) -> str:
        """In this reviewer's own order: A, B, …"""
        return self.review.label

    @property
    def words(self) -> int:
        """In all that was written about it."""
        return sum(count_words(field.text) for field in self.fields)


def count_words(text: str) -> int:
    """As `static/ranking/length.js` counts them: in scripts without spaces, every character is a word."""
    spaced = UNSPACED.sub(r" \g<0> ", text)
    return sum(any(character.isalnum() for character in word) for word in spaced.split())


@dataclass(frozen=True, slots=True)
class ReviewSheet:
    items: tuple[Item, ...]
    tiers: Tiers
    shown: Tiers  # differs where the page shows an order that could not be taken
    version: int
    submitted: SubmittedRanking | None
    is_changed: bool  # since it was submitted
    due_at: datetime | None
    saved_at: datetime | None

    @property
    def is_late(self) -> bool:
        """Whether the reviewer's own time is over."""
        return self.due_at is not None and timezone.now() > self.due_at

    @property
    def replaced(self) -> list[str]:
        """Labels of submissions of which another version came after the ranking was submitted."""
        if self.submitted is None:
            return []
        at = self.submitted.submitted_at
        return [item.label for item in self.items if item.replaced_at is not None and item.replaced_at > at]

    @property
    def unranked(self) -> list[str]:
        """Labels of submissions that have no place."""
        return [item.label for item in self.items if item.place is None]

    @property
    def ties(self) -> Tiers:
        """Places that submissions share."""
        return [tier for tier in self.tiers if len(tier) > 1]

    @property
    def before(self) -> str:
        """For the form's hidden field."""
        versions = {field.name: field.version for item in self.items for field in item.fields}
        versions |= {choice.name: choice.version for item in self.items for choice in item.choices}
        return before(self.tiers, self.version, versions)


def sheet_of(assignment: Assignment, reviewer: Membership, sent: RankingInput | None = None) -> ReviewSheet:
    """The page of a reviewer; with `sent`, as they had filled it when it could not be taken."""
    reviews = open_reviews(assignment, reviewer)
    ranking = Ranking.objects.filter(assignment=assignment, reviewer=reviewer).first()
    labels = [review.label for review in reviews]
    kept = without(ranking.tiers, labels) if ranking is not None else []
    shown = without(sent.tiers, labels) if sent is not None and sent.tiers is not None else kept
    places = {label: place for place, tier in enumerate(shown, start=1) for label in tier}
    submitted = ranking.submitted.last() if ranking is not None else None
    fields, choices = _fields(assignment, reviews, sent), choices_of(assignment, reviews, sent)
    replaced = _replaced_at(reviews)
    now = _content(reviews, kept, fields, choices)
    replies = {reply.submission_id: reply for reply in replies_to(assignment, reviewer)}
    return ReviewSheet(
        items=tuple(
            Item(
                review,
                places.get(review.label),
                fields[review.pk],
                choices[review.pk],
                replaced.get(review.pk),
                replies.get(review.submission_id),
            )
            for review in reviews
        ),
        tiers=kept,
        shown=shown,
        version=ranking.version if ranking is not None else 0,
        submitted=submitted,
        is_changed=submitted is not None and now != content_of(submitted),
        due_at=reviews_due(assignment, reviewer),
        saved_at=ranking.saved_at if ranking is not None else None,
    )


def _replaced_at(reviews: Sequence[Review]) -> dict[int, datetime]:
    """Review to when the newest version came, of those where that was after the allocation."""
    versions = SubmissionVersion.objects.filter(
        submission__in=[review.submission_id for review in reviews], submitted_at__isnull=False
    )
    newest = dict(versions.order_by("number").values_list("submission", "submitted_at"))
    return {
        review.pk: at
        for review in reviews
        if (at := newest.get(review.submission_id)) is not None and at > review.created_at
    }


def open_reviews(assignment: Assignment, reviewer: Membership) -> list[Review]:
    theirs = Review.objects.filter(assignment=assignment, reviewer=reviewer, state=Review.State.OPEN)
    return list(theirs.order_by("position", "pk"))


def reviews_due(assignment: Assignment, reviewer: Membership) -> datetime | None:
    """When this reviewer's ranking is due."""
    return personal_dates(assignment, extension_of(assignment, reviewer))["reviews_due_at"]


def _fields(
    assignment: Assignment, reviews: Sequence[Review], sent: RankingInput | None
) -> dict[int, tuple[Field, ...]]:
    """Review to its questions; where nothing is asked, or was written, there is a field for anything."""
    prompts = list(assignment.prompts.filter(retired_at=None))
    kept = {
        (comment.review_id, comment.prompt_id): comment
        for comment in Comment.objects.filter(review__in=reviews)
    }
    typed = (
        {(comment.label, comment.prompt): comment.text for comment in sent.comments}
        if sent is not None
        else {}
    )
    fields = {}
    for review in reviews:
        general = kept.get((review.pk, None))
        asked: list[Any] = [*prompts] if prompts else [None]
        if prompts and general is not None and general.text:
            asked.append(None)
        fields[review.pk] = tuple(_field(review, prompt, kept, typed) for prompt in asked)
    return fields


def _field(review: Review, prompt: FeedbackPrompt | None, kept: dict[Any, Comment], typed: Any) -> Field:
    key = prompt.pk if prompt is not None else None
    comment = kept.get((review.pk, key))
    text = comment.text if comment is not None else ""
    shown = typed.get((review.label, key), text)
    return Field(
        name=field_name(review.label, key),
        prompt=prompt,
        text=shown,
        version=comment.version if comment is not None else 0,
        is_saved=shown == text,
    )


def ranking_state(assignment: Assignment, reviewer: Membership) -> dict[str, Any]:
    """How far somebody is, for the page of the assignment."""
    theirs = SubmittedRanking.objects.filter(ranking__assignment=assignment, ranking__reviewer=reviewer)
    submitted = theirs.select_related("ranking").order_by("-number").first()
    replies = replies_to(assignment, reviewer).count()
    if submitted is None:
        begun = Ranking.objects.filter(assignment=assignment, reviewer=reviewer).exists()
        return {"begun": begun, "submitted": None, "is_changed": False, "replies": replies}
    is_changed = is_changed_since(submitted, submitted.ranking, reviewer)
    return {"begun": True, "submitted": submitted, "is_changed": is_changed, "replies": replies}


def is_changed_since(submitted: SubmittedRanking | None, ranking: Ranking, reviewer: Membership) -> bool:
    """Whether something was saved after this was submitted, and differs from it."""
    if submitted is None or ranking.saved_at <= submitted.submitted_at:
        return False
    return sheet_of(ranking.assignment, reviewer).is_changed


# -- what is submitted --------------------------------------------------------------------------------------


def content_of(submitted: SubmittedRanking) -> dict[str, Any]:
    """What was submitted, for comparing and for its hash."""
    return {"tiers": submitted.tiers, "comments": submitted.comments, "levels": submitted.levels}


def content(sheet: ReviewSheet) -> dict[str, Any]:
    """What would be submitted now: primary keys of reviews, for labels may be given anew."""
    fields = {item.review.pk: item.fields for item in sheet.items}
    choices = {item.review.pk: item.choices for item in sheet.items}
    return _content([item.review for item in sheet.items], sheet.tiers, fields, choices)


def _content(
    reviews: Sequence[Review],
    tiers: Tiers,
    fields: dict[int, tuple[Field, ...]],
    choices: dict[int, tuple[LevelChoice, ...]],
) -> dict[str, Any]:
    by_label = {review.label: review.pk for review in reviews}
    return {
        "tiers": [sorted(by_label[label] for label in tier) for tier in tiers],
        "comments": [
            {
                "review": pk,
                "prompt": comment.prompt.pk if comment.prompt is not None else None,
                "text": comment.text,
            }
            for pk, of_submission in fields.items()
            for comment in of_submission
            if comment.text.strip()
        ],
        "levels": [
            {"review": pk, "criterion": choice.criterion.pk, "level": choice.level}
            for pk, of_submission in choices.items()
            for choice in of_submission
            if choice.level is not None
        ],
    }


# -- Submissions and submitted rankings as programs read them: a bounded number of queries


def someone(member: Membership) -> dict[str, Any]:
    """How lists name somebody."""
    return {"member": member.pk, "email": member.person.email, "student_id": member.student_id}


def submissions_part(assignment: Assignment, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """How many submissions there are, and these of them with who made them."""
    submitted = SubmissionVersion.objects.filter(
        submission=OuterRef("pk"), submitted_at__isnull=False
    ).order_by("-number")
    submissions: Any = Submission.objects.filter(assignment=assignment).annotate(
        newest=Subquery(submitted.values("pk")[:1])
    )
    part = list(submissions.select_related("author__person", "team").order_by("pk")[offset : offset + limit])
    newest = SubmissionVersion.objects.in_bulk(
        [submission.newest for submission in part if submission.newest]
    )
    members = members_of_teams(assignment, [submission.team_id for submission in part if submission.team_id])
    labels = labels_of(assignment).submissions
    return submissions.count(), [
        _submission(submission, newest.get(submission.newest), members, labels) for submission in part
    ]


def _submission(
    submission: Any,
    version: SubmissionVersion | None,
    members: dict[int, list[Membership]],
    labels: dict[int, str],
) -> dict[str, Any]:
    authors = [submission.author] if submission.author is not None else members.get(submission.team_id, [])
    return {
        "submission": submission.pk,
        "label": labels[submission.pk],
        "team": submission.team.name if submission.team is not None else None,
        "authors": [someone(author) for author in authors],
        "version": version.number if version is not None else None,
        "submitted_at": version.submitted_at if version is not None else None,
        "is_late": version is not None and version.is_late,
        "excluded": submission.excluded_at is not None,
    }


def rankings_part(assignment: Assignment, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """How many reviewers have submitted, and the newest ranking of these."""
    newest = SubmittedRanking.objects.filter(ranking=OuterRef("pk")).order_by("-number")
    rankings: Any = Ranking.objects.filter(assignment=assignment).annotate(
        newest=Subquery(newest.values("pk")[:1])
    )
    done = rankings.filter(newest__isnull=False)
    keys = list(done.order_by("reviewer").values_list("newest", flat=True)[offset : offset + limit])
    submitted = SubmittedRanking.objects.filter(pk__in=keys).select_related("ranking__reviewer__person")
    in_order = sorted(submitted, key=lambda ranking: ranking.ranking.reviewer_id)
    return done.count(), _rankings(assignment, in_order)


def one_ranking(assignment: Assignment, submitted: SubmittedRanking) -> dict[str, Any]:
    return _rankings(assignment, [submitted])[0]


def _rankings(assignment: Assignment, rankings: Sequence[SubmittedRanking]) -> list[dict[str, Any]]:
    reviewers = [ranking.ranking.reviewer_id for ranking in rankings]
    reviews = Review.objects.filter(assignment=assignment, reviewer__in=reviewers)
    submissions = dict(reviews.values_list("pk", "submission"))
    questions = dict(FeedbackPrompt.objects.filter(assignment=assignment).values_list("pk", "text"))
    rubric = RubricLevel.objects.filter(criterion__assignment=assignment).select_related("criterion")
    levels = {level.pk: level for level in rubric}
    return [_ranking(ranking, submissions, questions, levels) for ranking in rankings]


def _ranking(
    submitted: SubmittedRanking,
    submissions: dict[int, int],
    questions: dict[int, str],
    levels: dict[int, RubricLevel],
) -> dict[str, Any]:
    return {
        "reviewer": someone(submitted.ranking.reviewer),
        "number": submitted.number,
        "receipt": submitted.receipt,
        "sha256": submitted.sha256,
        "submitted_at": submitted.submitted_at,
        "is_late": submitted.is_late,
        "order": [
            [submissions[review] for review in place if review in submissions] for place in submitted.tiers
        ],
        "comments": [
            {
                "submission": submissions[said["review"]],
                "prompt": said["prompt"],
                "question": questions.get(said["prompt"], ""),
                "text": said["text"],
            }
            for said in submitted.comments
            if said["review"] in submissions
        ],
        "levels": [
            {
                "submission": submissions[chosen["review"]],
                "criterion": levels[chosen["level"]].criterion_id,
                "criterion_name": levels[chosen["level"]].criterion.name,
                "level": chosen["level"],
                "level_name": levels[chosen["level"]].name,
                "points": levels[chosen["level"]].points,
            }
            for chosen in submitted.levels
            if chosen["review"] in submissions and chosen["level"] in levels
        ],
    }
