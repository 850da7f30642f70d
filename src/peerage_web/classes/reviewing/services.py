"""Saving a ranking while it is made, so that nothing typed is lost: not in two tabs, not by two people.

The order has one version, every comment its own. Whoever saves names the version they started from. An order
that started from an older one is not saved: both are shown, and the person chooses. A comment is: where two
texts differ, both are kept, one below the other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, FeedbackPrompt
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.permissions import Action, when
from peerage_web.classes.record.services import record
from peerage_web.classes.reviewing.models import Comment, HandedInRanking, Ranking
from peerage_web.classes.reviewing.queries import ReviewSheet, content, content_of, open_reviews, sheet_of
from peerage_web.classes.reviewing.ranking_input import CommentInput, RankingInput, Tiers, Unreadable, without
from peerage_web.classes.submissions.names import names_in
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused

BETWEEN = "\n\n* * *\n\n"  # two texts for one field, written at two places at once


@dataclass(frozen=True, slots=True)
class SavedRanking:
    """What is kept now. `in_conflict`: the order that was sent is not; `bins` is the other one."""

    bins: Tiers
    version: int
    comments: tuple[CommentInput, ...]  # those that were sent, as they are kept
    works: tuple[str, ...]  # labels of what there is to rank
    in_conflict: bool


def save(*, assignment: Assignment, reviewer: Membership, sent: RankingInput) -> SavedRanking:
    """Keep what was sent. Works that were replaced or taken out meanwhile leave the order by themselves."""
    with ranking_lock(assignment, reviewer):
        reviews = reviews_by_label(assignment, reviewer)
        _refuse_strangers(sent, reviews)
        works = tuple(label for label, one in reviews.items() if one.state == Review.State.OPEN)
        ranking, _made = Ranking.objects.get_or_create(assignment=assignment, reviewer=reviewer)
        in_conflict = _save_order(ranking, sent, works)
        comments = _save_comments(assignment, reviews, sent.comments)
    return SavedRanking(without(ranking.bins, works), ranking.version, comments, works, in_conflict)


def ranking_lock(assignment: Assignment, reviewer: Membership) -> AbstractContextManager[None]:
    """A transaction in which nobody else writes this ranking."""
    return exclusively(f"ranking {assignment.pk} {reviewer.pk}")


def reviews_by_label(assignment: Assignment, reviewer: Membership) -> dict[str, Review]:
    """All that the reviewer was ever given, in the order in which it is shown."""
    return {one.label: one for one in Review.objects.filter(assignment=assignment, reviewer=reviewer)}


def _refuse_strangers(sent: RankingInput, reviews: dict[str, Review]) -> None:
    named = {label for one in sent.bins or [] for label in one} | {one.label for one in sent.comments}
    if named - reviews.keys():
        raise Unreadable(_("These are not the submissions assigned to you. Reload the page."))


def _save_order(ranking: Ranking, sent: RankingInput, works: Sequence[str]) -> bool:
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
    assignment: Assignment, reviews: dict[str, Review], written: Sequence[CommentInput]
) -> tuple[CommentInput, ...]:
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


def _save_comment(comment: Comment, written: CommentInput) -> CommentInput:
    text = written.text if comment.version == written.version else merged(comment.text, written.text)
    if text != comment.text:
        comment.text, comment.version = text, comment.version + 1
        comment.save()
    return CommentInput(written.label, written.prompt, comment.text, comment.version)


def merged(kept: str, sent: str) -> str:
    """Both texts, unless one holds the other."""
    if sent in kept:
        return kept
    return sent if kept in sent else kept + BETWEEN + sent


# -- Submitting a ranking: what must be complete, what is kept for good, its receipt -------------------
#
# A ranking can be submitted as long as the assignment is in review, also again; the newest counts. After
# the reviewer's own deadline it is marked as late: a late ranking helps its authors more than none, and
# whether it costs something is for staff to say. Once reviewing is closed nothing is accepted.


@dataclass(frozen=True, slots=True)
class Missing:
    """What is not complete, with the works and fields it is about; `texts.MISSING` has the words."""

    code: str
    labels: tuple[str, ...] = ()


class Incomplete(Refused):
    """It cannot be handed in yet; `missing` says what to do first."""

    def __init__(self, missing: list[Missing]) -> None:
        super().__init__(_("The ranking is not complete yet."))
        self.missing = missing


class NamesFound(Refused):
    """The comments name people of the course; they are handed in once the reviewer says that this is fine."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(_("Your comments seem to name someone. Your ranking is not submitted yet."))
        self.names = names


def missing_of(assignment: Assignment, sheet: ReviewSheet) -> list[Missing]:
    """What to do before this can be handed in."""
    found = []
    if not sheet.items:
        found.append(Missing("nothing-to-rank"))
    if sheet.unranked:
        found.append(Missing("not-ranked", tuple(sheet.unranked)))
    if sheet.ties and not assignment.ties_allowed:
        found.append(Missing("ties", tuple(label for one in sheet.ties for label in one)))
    open_fields = [one.label for one in sheet.items if any(field.is_missing for field in one.fields)]
    if open_fields:
        found.append(Missing("not-answered", tuple(open_fields)))
    return found


def hand_in_ranking(
    *,
    assignment: Assignment,
    reviewer: Membership,
    by: Person,
    action: Action = Action.HAND_IN_RANKING,
    names_are_fine: bool = True,
) -> HandedInRanking:
    """Keep the saved order and comments for good. The same content twice is one receipt.

    `action` is the one under whose rule it is done: staff may judge in a reviewer's place.
    """
    with ranking_lock(assignment, reviewer):
        _refuse_closed(assignment, action)
        sheet = sheet_of(assignment, reviewer)
        missing = missing_of(assignment, sheet)
        if missing:
            raise Incomplete(missing)
        if not names_are_fine and (names := names_in(_all_comments(sheet), assignment)):
            raise NamesFound(names)
        before = sheet.handed_in
        if before is not None and content_of(before) == content(sheet):
            return before
        return _keep(assignment, reviewer, by, sheet)


def _all_comments(sheet: ReviewSheet) -> str:
    return "\n\n".join(field.text for item in sheet.items for field in item.fields)


def _refuse_closed(assignment: Assignment, action: Action) -> None:
    """The phase may have moved on since the request began."""
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(action)).exists():
        raise Refused(_("The review phase is over. What you saved is kept but can no longer be submitted."))


def _keep(assignment: Assignment, reviewer: Membership, by: Person, sheet: ReviewSheet) -> HandedInRanking:
    ranking = Ranking.objects.get(assignment=assignment, reviewer=reviewer)
    whole = content(sheet)
    kept = HandedInRanking.objects.create(
        ranking=ranking,
        number=(sheet.handed_in.number if sheet.handed_in is not None else 0) + 1,
        version=ranking.version,
        sha256=fingerprint(whole),
        handed_in_at=timezone.now(),
        handed_in_by=by,
        is_late=sheet.is_late,
        **whole,
    )
    record("ranking-handed-in", by=by, assignment=assignment, subject=reviewer, count=kept.number)
    return kept


def fingerprint(whole: dict[str, Any]) -> str:
    """SHA-256 of the content: keys sorted, no blanks, UTF-8."""
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


# -- A whole ranking from a program: saved and submitted as the page does it ---------------------------


NOT_SEEN = -1  # no version: what stands there is kept beside what comes


def put_ranking(
    *,
    assignment: Assignment,
    reviewer: Membership,
    by: Person,
    order: Sequence[Sequence[int]],
    comments: Sequence[tuple[int, int | None, str]],
) -> HandedInRanking:
    """Hand in this order of works, best first, and these comments (work, prompt, text).

    The order takes the place of what the reviewer had begun; comments are added to theirs.
    """
    with ranking_lock(assignment, reviewer):
        labels = {one.work_id: one.label for one in open_reviews(assignment, reviewer)}
        _refuse(order, comments, labels)
        ranking = Ranking.objects.filter(assignment=assignment, reviewer=reviewer).first()
        sent = RankingInput(
            bins=[sorted(labels[work] for work in place) for place in order if place],
            version=ranking.version if ranking is not None else 0,
            comments=tuple(
                CommentInput(labels[work], prompt, text, NOT_SEEN) for work, prompt, text in comments
            ),
        )
        save(assignment=assignment, reviewer=reviewer, sent=sent)
        return hand_in_ranking(assignment=assignment, reviewer=reviewer, by=by, action=Action.JUDGE_FOR)


def _refuse(
    order: Sequence[Sequence[int]],
    comments: Sequence[tuple[int, int | None, str]],
    labels: dict[int, str],
) -> None:
    ranked = [work for place in order for work in place]
    strange = sorted({*ranked, *(work for work, _prompt, _text in comments)} - labels.keys())
    if strange:
        text = _("Submission %(work)d is not assigned to this reviewer. Assigned: %(held)s.")
        held = ", ".join(map(str, sorted(labels)))
        raise Refused(text % {"work": strange[0], "held": held or "–"})
    twice = sorted({work for work in ranked if ranked.count(work) > 1})
    if twice:
        raise Refused(_("Submission %(work)d is ranked twice.") % {"work": twice[0]})
