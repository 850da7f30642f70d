"""Saving a ranking while it is made, so that nothing typed is lost: not in two tabs, not by two people.

The order has one version, every comment its own. Whoever saves names the version they started from. An order
that started from an older one is not saved: both are shown, and the person chooses. A comment is: where two
texts differ, both are kept, one below the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from django.utils.translation import gettext as _

from peerage_web.classes.judgement import Bins, Sent, Unreadable, Written, without
from peerage_web.classes.models import Assignment, Comment, FeedbackPrompt, Membership, Ranking, Review
from peerage_web.shared.database import exclusively

BETWEEN = "\n\n* * *\n\n"  # two texts for one field, written at two places at once


@dataclass(frozen=True, slots=True)
class Saved:
    """What is kept now. `in_conflict`: the order that was sent is not; `bins` is the other one."""

    bins: Bins
    version: int
    comments: tuple[Written, ...]  # those that were sent, as they are kept
    works: tuple[str, ...]  # labels of what there is to rank
    in_conflict: bool


def save(*, assignment: Assignment, reviewer: Membership, sent: Sent) -> Saved:
    """Keep what was sent. Works that were replaced or taken out meanwhile leave the order by themselves."""
    with ranking_lock(assignment, reviewer):
        reviews = reviews_by_label(assignment, reviewer)
        _refuse_strangers(sent, reviews)
        works = tuple(label for label, one in reviews.items() if one.state == Review.State.OPEN)
        ranking, _made = Ranking.objects.get_or_create(assignment=assignment, reviewer=reviewer)
        in_conflict = _save_order(ranking, sent, works)
        comments = _save_comments(assignment, reviews, sent.comments)
    return Saved(without(ranking.bins, works), ranking.version, comments, works, in_conflict)


def ranking_lock(assignment: Assignment, reviewer: Membership) -> AbstractContextManager[None]:
    """A transaction in which nobody else writes this ranking."""
    return exclusively(f"ranking {assignment.pk} {reviewer.pk}")


def reviews_by_label(assignment: Assignment, reviewer: Membership) -> dict[str, Review]:
    """All that the reviewer was ever given, in the order in which it is shown."""
    return {one.label: one for one in Review.objects.filter(assignment=assignment, reviewer=reviewer)}


def _refuse_strangers(sent: Sent, reviews: dict[str, Review]) -> None:
    named = {label for one in sent.bins or [] for label in one} | {one.label for one in sent.comments}
    if named - reviews.keys():
        raise Unreadable(_("These are not the works that you are to review. Load the page again."))


def _save_order(ranking: Ranking, sent: Sent, works: Sequence[str]) -> bool:
    """Whether another order was saved since this one was begun."""
    before = without(ranking.bins, works)
    wanted = before if sent.bins is None else without(sent.bins, works)
    if wanted != before and sent.version != ranking.version:
        return True
    if wanted != before:
        ranking.bins, ranking.version = wanted, ranking.version + 1
    ranking.save()  # also where only comments changed: it says when something was saved last
    return False


def _save_comments(
    assignment: Assignment, reviews: dict[str, Review], written: Sequence[Written]
) -> tuple[Written, ...]:
    if not written:
        return ()
    prompts = set(FeedbackPrompt.objects.filter(assignment=assignment).values_list("pk", flat=True))
    theirs = [reviews[one.label].pk for one in written]
    kept = {(one.review_id, one.prompt_id): one for one in Comment.objects.filter(review__in=theirs)}
    saved = []
    for one in written:
        # an answer to a question that staff have just taken away is kept as a comment in general
        prompt = one.prompt if one.prompt in prompts else None
        review = reviews[one.label]
        place = (review.pk, prompt)
        kept[place] = kept.get(place) or Comment(review=review, prompt_id=prompt)
        saved.append(_save_comment(kept[place], one))
    return tuple(saved)


def _save_comment(comment: Comment, written: Written) -> Written:
    text = written.text if comment.version == written.version else merged(comment.text, written.text)
    if text != comment.text:
        comment.text, comment.version = text, comment.version + 1
        comment.save()
    return Written(written.label, written.prompt, comment.text, comment.version)


def merged(kept: str, sent: str) -> str:
    """Both texts, unless one holds the other."""
    if sent in kept:
        return kept
    return sent if kept in sent else kept + BETWEEN + sent
