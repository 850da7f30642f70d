"""What a reviewer's page is drawn from: the works, the order so far, what was written, what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from peerage_web.classes.judgement import Bins, Sent, before, field_name, without
from peerage_web.classes.models import (
    Assignment,
    Comment,
    FeedbackPrompt,
    HandedInRanking,
    Membership,
    Ranking,
    Review,
)
from peerage_web.classes.queries.overview import extension_of, personal_dates


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
class Sheet:
    """Everything on the page."""

    items: tuple[Item, ...]
    bins: Bins
    shown: Bins  # differs where the page shows an order that could not be taken
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
    def ties(self) -> Bins:
        """Places that works share."""
        return [one for one in self.bins if len(one) > 1]

    @property
    def before(self) -> str:
        """For the form's hidden field."""
        versions = {field.name: field.version for item in self.items for field in item.fields}
        return before(self.bins, self.version, versions)


def sheet_of(assignment: Assignment, reviewer: Membership, sent: Sent | None = None) -> Sheet:
    """The page of a reviewer; with `sent`, as they had filled it when it could not be taken."""
    reviews = open_reviews(assignment, reviewer)
    ranking = Ranking.objects.filter(assignment=assignment, reviewer=reviewer).first()
    labels = [one.label for one in reviews]
    kept = without(ranking.bins, labels) if ranking is not None else []
    shown = without(sent.bins, labels) if sent is not None and sent.bins is not None else kept
    places = {label: place for place, one in enumerate(shown, start=1) for label in one}
    handed_in = ranking.handed_in.last() if ranking is not None else None
    fields = _fields(assignment, reviews, sent)
    return Sheet(
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
    assignment: Assignment, reviews: Sequence[Review], sent: Sent | None
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


def content(sheet: Sheet) -> dict[str, Any]:
    """What would be handed in now: primary keys of reviews, for labels may be given anew."""
    fields = {one.review.pk: one.fields for one in sheet.items}
    return _content([one.review for one in sheet.items], sheet.bins, fields)


def _content(reviews: Sequence[Review], bins: Bins, fields: dict[int, tuple[Field, ...]]) -> dict[str, Any]:
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
