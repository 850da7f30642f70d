"""What reviewers of an example class have ranked and written so far."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from django.utils import timezone

from peerage_web.classes.models import (
    Assignment,
    Comment,
    FeedbackPrompt,
    HandedInRanking,
    Membership,
    Ranking,
    Review,
)

PRAISE = ("The question is clear.", "I could follow every step.", "The second explanation surprised me.")
WISHES = ("An example would help.", "Say how you would measure it.", "The ending comes too soon.")


def fill(
    assignment: Assignment, members: Sequence[Membership], *, no_show: Membership, finished: bool
) -> None:
    """Half have handed in (all, where it is over), a third has begun, the others have not; one never does."""
    prompts = list(assignment.prompts.order_by("position"))
    for number, member in enumerate(members):
        if member.pk == no_show.pk:
            continue
        reviews = list(
            Review.objects.filter(assignment=assignment, reviewer=member, state=Review.State.OPEN).order_by(
                "position"
            )
        )
        if not reviews or (not finished and number % 6 == 5):
            continue
        whole = finished or number % 6 < 3
        _rank(assignment, member, reviews, prompts, whole)


def _rank(
    assignment: Assignment,
    member: Membership,
    reviews: list[Review],
    prompts: list[FeedbackPrompt],
    whole: bool,
) -> None:
    """Better works have later numbers here; a tie now and then; half of the list where it is a draft."""
    Review.objects.filter(pk__in=[one.pk for one in reviews]).update(opened_at=timezone.now())
    order = sorted(reviews, key=lambda one: (-(one.work_id % 7), one.pk))
    placed = order if whole else order[: len(order) // 2]
    bins = [[one] for one in placed]
    if member.pk % 4 == 0 and len(bins) > 2:
        bins[1:3] = [[*bins[1], *bins[2]]]
    ranking = Ranking.objects.create(
        assignment=assignment,
        reviewer=member,
        bins=[sorted(one.label for one in same) for same in bins],
        version=1,
    )
    comments = [
        Comment(review=one, prompt=prompt, text=_text(prompt, one.pk), version=1)
        for one in placed
        for prompt in prompts
    ]
    Comment.objects.bulk_create(comments)
    if whole:
        _hand_in(ranking, bins, comments, member)


def _text(prompt: FeedbackPrompt, number: int) -> str:
    texts = PRAISE if prompt.position == 1 else WISHES
    return texts[number % len(texts)]


def _hand_in(ranking: Ranking, bins: list[list[Review]], comments: list[Comment], member: Membership) -> None:
    kept = [[one.pk for one in same] for same in bins]
    HandedInRanking.objects.create(
        ranking=ranking,
        number=1,
        bins=kept,
        comments=[{"review": one.review_id, "prompt": one.prompt_id, "text": one.text} for one in comments],
        version=1,
        sha256=hashlib.sha256(repr(kept).encode()).hexdigest(),
        handed_in_at=timezone.now(),
        handed_in_by=member.person,
    )
