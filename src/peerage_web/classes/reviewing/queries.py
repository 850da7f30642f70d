"""Reviewing: what a reviewer's page shows, what is missing, and rankings as programs read them."""

from __future__ import annotations

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
from peerage_web.classes.reviewing.models import Comment, HandedInRanking, Ranking
from peerage_web.classes.reviewing.ranking_input import RankingInput, Tiers, before, field_name, without
from peerage_web.classes.submissions.models import Submission, Work
from peerage_web.classes.submissions.queries import members_of_teams


@dataclass(frozen=True, slots=True)
class Field:
    """A question about a work, and what was answered so far."""

    name: str
    prompt: FeedbackPrompt | None
    text: str
    version: int
    is_saved: bool = True  # not where the page shows what could not be taken

    @property
    def is_missing(self) -> bool:
        """Whether it has to be answered before handing in, and is not."""
        return self.prompt is not None and self.prompt.required and not self.text.strip()


@dataclass(frozen=True, slots=True)
class Item:
    """One work under the label that this reviewer knows it by."""

    review: Review
    place: int | None  # 1 is best; equal places are ties
    fields: tuple[Field, ...]

    @property
    def label(self) -> str:
        """In this reviewer's own order: A, B, …"""
        return self.review.label


@dataclass(frozen=True, slots=True)
class ReviewSheet:
    """Everything on the page."""

    items: tuple[Item, ...]
    bins: Tiers
    shown: Tiers  # differs where the page shows an order that could not be taken
    version: int
    handed_in: HandedInRanking | None
    is_changed: bool  # since it was handed in
    due_at: datetime | None
    saved_at: datetime | None

    @property
    def is_late(self) -> bool:
        """Whether the reviewer's own time is over."""
        return self.due_at is not None and timezone.now() > self.due_at

    @property
    def unranked(self) -> list[str]:
        """Labels of works that have no place."""
        return [one.label for one in self.items if one.place is None]

    @property
    def ties(self) -> Tiers:
        """Places that works share."""
        return [one for one in self.bins if len(one) > 1]

    @property
    def before(self) -> str:
        """For the form's hidden field."""
        versions = {field.name: field.version for item in self.items for field in item.fields}
        return before(self.bins, self.version, versions)


def sheet_of(assignment: Assignment, reviewer: Membership, sent: RankingInput | None = None) -> ReviewSheet:
    """The page of a reviewer; with `sent`, as they had filled it when it could not be taken."""
    reviews = open_reviews(assignment, reviewer)
    ranking = Ranking.objects.filter(assignment=assignment, reviewer=reviewer).first()
    labels = [one.label for one in reviews]
    kept = without(ranking.bins, labels) if ranking is not None else []
    shown = without(sent.bins, labels) if sent is not None and sent.bins is not None else kept
    places = {label: place for place, one in enumerate(shown, start=1) for label in one}
    handed_in = ranking.handed_in.last() if ranking is not None else None
    fields = _fields(assignment, reviews, sent)
    return ReviewSheet(
        items=tuple(Item(one, places.get(one.label), fields[one.pk]) for one in reviews),
        bins=kept,
        shown=shown,
        version=ranking.version if ranking is not None else 0,
        handed_in=handed_in,
        is_changed=handed_in is not None and _content(reviews, kept, fields) != content_of(handed_in),
        due_at=reviews_due(assignment, reviewer),
        saved_at=ranking.saved_at if ranking is not None else None,
    )


def open_reviews(assignment: Assignment, reviewer: Membership) -> list[Review]:
    """What there is to rank."""
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
    kept = {(one.review_id, one.prompt_id): one for one in Comment.objects.filter(review__in=reviews)}
    typed = {(one.label, one.prompt): one.text for one in sent.comments} if sent is not None else {}
    found = {}
    for review in reviews:
        general = kept.get((review.pk, None))
        asked: list[Any] = [*prompts] if prompts else [None]
        if prompts and general is not None and general.text:
            asked.append(None)
        found[review.pk] = tuple(_field(review, prompt, kept, typed) for prompt in asked)
    return found


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
    ranking = Ranking.objects.filter(assignment=assignment, reviewer=reviewer).first()
    return {"begun": ranking is not None, "handed_in": ranking and ranking.handed_in.last()}


# -- what is handed in --------------------------------------------------------------------------------------


def content_of(handed_in: HandedInRanking) -> dict[str, Any]:
    """What was handed in, for comparing and for its hash."""
    return {"bins": handed_in.bins, "comments": handed_in.comments}


def content(sheet: ReviewSheet) -> dict[str, Any]:
    """What would be handed in now: primary keys of reviews, for labels may be given anew."""
    fields = {one.review.pk: one.fields for one in sheet.items}
    return _content([one.review for one in sheet.items], sheet.bins, fields)


def _content(reviews: Sequence[Review], bins: Tiers, fields: dict[int, tuple[Field, ...]]) -> dict[str, Any]:
    by_label = {one.label: one.pk for one in reviews}
    return {
        "bins": [sorted(by_label[label] for label in one) for one in bins],
        "comments": [
            {"review": pk, "prompt": one.prompt.pk if one.prompt is not None else None, "text": one.text}
            for pk, of_work in fields.items()
            for one in of_work
            if one.text.strip()
        ],
    }


# -- Works and handed-in rankings as programs read them: a bounded number of queries, whatever their number


def someone(one: Membership) -> dict[str, Any]:
    """How lists name somebody."""
    return {"member": one.pk, "email": one.person.email, "student_id": one.student_id}


def works_part(assignment: Assignment, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """How many works there are, and these of them with who made them."""
    handed = Submission.objects.filter(work=OuterRef("pk"), handed_in_at__isnull=False).order_by("-number")
    found: Any = Work.objects.filter(assignment=assignment).annotate(newest=Subquery(handed.values("pk")[:1]))
    part = list(found.select_related("author__person", "team").order_by("pk")[offset : offset + limit])
    newest = {one.pk: one for one in Submission.objects.filter(pk__in=[one.newest for one in part])}
    members = members_of_teams(assignment, [one.team_id for one in part if one.team_id])
    labels = labels_of(assignment).works
    return found.count(), [_work(one, newest.get(one.newest), members, labels) for one in part]


def _work(
    one: Any,
    submission: Submission | None,
    members: dict[int, list[Membership]],
    labels: dict[int, str],
) -> dict[str, Any]:
    makers = [one.author] if one.author is not None else members.get(one.team_id, [])
    return {
        "work": one.pk,
        "label": labels[one.pk],
        "team": one.team.name if one.team is not None else None,
        "makers": [someone(maker) for maker in makers],
        "submission": submission.number if submission is not None else None,
        "handed_in_at": submission.handed_in_at if submission is not None else None,
        "is_late": submission is not None and submission.is_late,
        "taken_out": one.taken_out_at is not None,
    }


def rankings_part(assignment: Assignment, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """How many reviewers have handed in, and the newest ranking of these."""
    newest = HandedInRanking.objects.filter(ranking=OuterRef("pk")).order_by("-number")
    rankings: Any = Ranking.objects.filter(assignment=assignment).annotate(
        newest=Subquery(newest.values("pk")[:1])
    )
    done = rankings.filter(newest__isnull=False)
    keys = list(done.order_by("reviewer").values_list("newest", flat=True)[offset : offset + limit])
    found = HandedInRanking.objects.filter(pk__in=keys).select_related("ranking__reviewer__person")
    return done.count(), _rankings(assignment, sorted(found, key=lambda one: one.ranking.reviewer_id))


def one_ranking(assignment: Assignment, handed_in: HandedInRanking) -> dict[str, Any]:
    """The same of one."""
    return _rankings(assignment, [handed_in])[0]


def _rankings(assignment: Assignment, found: Sequence[HandedInRanking]) -> list[dict[str, Any]]:
    reviewers = [one.ranking.reviewer_id for one in found]
    reviews = Review.objects.filter(assignment=assignment, reviewer__in=reviewers)
    works = dict(reviews.values_list("pk", "work"))
    questions = dict(FeedbackPrompt.objects.filter(assignment=assignment).values_list("pk", "text"))
    return [_ranking(one, works, questions) for one in found]


def _ranking(one: HandedInRanking, works: dict[int, int], questions: dict[int, str]) -> dict[str, Any]:
    return {
        "reviewer": someone(one.ranking.reviewer),
        "number": one.number,
        "receipt": one.receipt,
        "sha256": one.sha256,
        "handed_in_at": one.handed_in_at,
        "is_late": one.is_late,
        "order": [[works[review] for review in place if review in works] for place in one.bins],
        "comments": [
            {
                "work": works[said["review"]],
                "prompt": said["prompt"],
                "question": questions.get(said["prompt"], ""),
                "text": said["text"],
            }
            for said in one.comments
            if said["review"] in works
        ],
    }
