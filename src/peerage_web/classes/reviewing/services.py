"""Saving a ranking while it is made, so that nothing typed is lost: not in two tabs, not by two people.

The order has one version, every comment its own. Whoever saves names the version they started from. An order
that started from an older one is not saved: both are shown, and the person chooses. A comment is: where two
texts differ, both are kept, one below the other.
"""

import hashlib
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, FeedbackPrompt
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.permissions import Action, when
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.reviewing.queries import ReviewSheet, content, content_of, open_reviews, sheet_of
from peerage_web.classes.reviewing.ranking_input import (
    CommentInput,
    LevelInput,
    RankingInput,
    Tiers,
    Unreadable,
    without,
)
from peerage_web.classes.rubrics.services import save_levels
from peerage_web.classes.submissions.names import NamesFound, names_in
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused

BETWEEN = "\n\n* * *\n\n"  # two texts for one field, written at two places at once


@dataclass(frozen=True, slots=True)
class SavedRanking:
    """What is kept now. `in_conflict`: the order that was sent is not; `tiers` is the other one."""

    tiers: Tiers
    version: int
    comments: tuple[CommentInput, ...]  # those that were sent, as they are kept
    levels: tuple[LevelInput, ...]  # likewise
    submissions: tuple[str, ...]  # labels of what there is to rank
    in_conflict: bool
    is_changed: bool  # since it was submitted


def save(*, assignment: Assignment, reviewer: Membership, sent: RankingInput) -> SavedRanking:
    """Keep what was sent. Submissions that were replaced or excluded meanwhile leave the ranking."""
    with ranking_lock(assignment, reviewer):
        reviews = reviews_by_label(assignment, reviewer)
        _refuse_strangers(sent, reviews)
        submissions = tuple(label for label, review in reviews.items() if review.state == Review.State.OPEN)
        ranking, _made = Ranking.objects.get_or_create(assignment=assignment, reviewer=reviewer)
        in_conflict = _save_order(ranking, sent, submissions)
        comments = _save_comments(assignment, reviews, sent.comments)
        levels = save_levels(assignment, reviews, sent.levels)
        is_changed = ranking.submitted.exists() and sheet_of(assignment, reviewer).is_changed
    return SavedRanking(
        without(ranking.tiers, submissions),
        ranking.version,
        comments,
        levels,
        submissions,
        in_conflict,
        is_changed,
    )


def ranking_lock(assignment: Assignment, reviewer: Membership) -> AbstractContextManager[None]:
    """A transaction in which nobody else writes this ranking."""
    return exclusively(f"ranking {assignment.pk} {reviewer.pk}")


def reviews_by_label(assignment: Assignment, reviewer: Membership) -> dict[str, Review]:
    """All that the reviewer was ever given, in the order in which it is shown."""
    return {
        review.label: review for review in Review.objects.filter(assignment=assignment, reviewer=reviewer)
    }


def _refuse_strangers(sent: RankingInput, reviews: dict[str, Review]) -> None:
    named = {label for tier in sent.tiers or [] for label in tier}
    named |= {comment.label for comment in sent.comments} | {choice.label for choice in sent.levels}
    if named - reviews.keys():
        raise Unreadable(_("These are not the submissions assigned to you. Reload the page."))


def _save_order(ranking: Ranking, sent: RankingInput, submissions: Sequence[str]) -> bool:
    """Whether another order was saved since this one was begun."""
    before = without(ranking.tiers, submissions)
    wanted = before if sent.tiers is None else without(sent.tiers, submissions)
    if wanted != before and sent.version != ranking.version:
        return True
    if wanted != before:
        ranking.tiers, ranking.version = wanted, ranking.version + 1
    ranking.save()  # also where only comments changed: it says when something was saved last
    return False


def _save_comments(
    assignment: Assignment, reviews: dict[str, Review], written: Sequence[CommentInput]
) -> tuple[CommentInput, ...]:
    if not written:
        return ()
    prompts = set(FeedbackPrompt.objects.filter(assignment=assignment).values_list("pk", flat=True))
    theirs = [reviews[comment.label].pk for comment in written]
    kept = {
        (comment.review_id, comment.prompt_id): comment
        for comment in Comment.objects.filter(review__in=theirs)
    }
    saved = []
    for comment in written:
        # an answer to a question that staff have just taken away is kept as a comment in general
        prompt = comment.prompt if comment.prompt in prompts else None
        review = reviews[comment.label]
        place = (review.pk, prompt)
        kept[place] = kept.get(place) or Comment(review=review, prompt_id=prompt)
        saved.append(_save_comment(kept[place], comment))
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
    """What is not complete, with the submissions and fields it is about; `texts.MISSING` has the words."""

    code: str
    labels: tuple[str, ...] = ()
    least: int = 0  # words


class Incomplete(Refused):
    """It cannot be submitted yet; `missing` says what to do first."""

    def __init__(self, missing: list[Missing]) -> None:
        super().__init__(_("The ranking is not complete yet."))
        self.missing = missing


def missing_of(assignment: Assignment, sheet: ReviewSheet) -> list[Missing]:
    """What to do before this can be submitted."""
    missing = []
    if not sheet.items:
        missing.append(Missing("nothing-to-rank"))
    if sheet.unranked:
        missing.append(Missing("not-ranked", tuple(sheet.unranked)))
    if sheet.ties and not assignment.ties_allowed:
        missing.append(Missing("ties", tuple(label for tie in sheet.ties for label in tie)))
    open_fields = [item.label for item in sheet.items if any(field.is_missing for field in item.fields)]
    if open_fields:
        missing.append(Missing("not-answered", tuple(open_fields)))
    without_level = [item.label for item in sheet.items if any(choice.is_missing for choice in item.choices)]
    if without_level:
        missing.append(Missing("no-level", tuple(without_level)))
    least = assignment.min_comment_words
    too_short = [item.label for item in sheet.items if item.words < least]
    if too_short:
        missing.append(Missing("too-short", tuple(too_short), least))
    return missing


def submit_ranking(
    *,
    assignment: Assignment,
    reviewer: Membership,
    by: Person,
    action: Action = Action.SUBMIT_RANKING,
    names_are_fine: bool = True,
) -> SubmittedRanking:
    """Keep the saved order and comments for good. The same content twice is one receipt.

    `action` is the one under whose rule it is done: staff may rank in a reviewer's place.
    """
    with ranking_lock(assignment, reviewer):
        _refuse_closed(assignment, action)
        sheet = sheet_of(assignment, reviewer)
        missing = missing_of(assignment, sheet)
        if missing:
            raise Incomplete(missing)
        if not names_are_fine and (names := _new_names(assignment, reviewer, sheet)):
            text = _("Your comments seem to name someone. Your ranking is not submitted yet.")
            raise NamesFound(text, names)
        before = sheet.submitted
        if before is not None and content_of(before) == content(sheet) and not sheet.replaced:
            return before
        return _keep(assignment, reviewer, by, sheet)


def _new_names(assignment: Assignment, reviewer: Membership, sheet: ReviewSheet) -> list[str]:
    """But for those of which the reviewer was asked when they submitted before."""
    submitted = sheet.submitted.comments if sheet.submitted is not None else []
    known = {comment["text"] for comment in submitted}
    new = [field.text for item in sheet.items for field in item.fields if field.text not in known]
    names = names_in(new, assignment, reviewer)
    asked = set(names_in(known, assignment, reviewer)) if names else set()
    return [name for name in names if name not in asked]


def _refuse_closed(assignment: Assignment, action: Action) -> None:
    """The phase may have moved on since the request began."""
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(action)).exists():
        raise Refused(_("The review phase is over. What you saved is kept but can no longer be submitted."))


def count_saved_rankings(*, assignment: Assignment) -> int:
    """At closing: complete rankings that were saved and never submitted count as they are; how many.

    Comments that name somebody are left out: nobody has said that this is fine.
    """
    never = Ranking.objects.filter(assignment=assignment, submitted=None, reviewer__dropped_at=None)
    counted = 0
    for reviewer in Membership.objects.filter(pk__in=never.values("reviewer")).select_related("person"):
        with ranking_lock(assignment, reviewer):
            sheet = sheet_of(assignment, reviewer)
            if sheet.submitted is None and not missing_of(assignment, sheet):
                _keep(assignment, reviewer, None, sheet)
                counted += 1
    return counted


def _keep(
    assignment: Assignment, reviewer: Membership, by: Person | None, sheet: ReviewSheet
) -> SubmittedRanking:
    """`by` is None at closing, where what was saved in time is not late."""
    ranking = Ranking.objects.get(assignment=assignment, reviewer=reviewer)
    whole, is_late, verb = content(sheet), sheet.is_late, "ranking-submitted"
    if by is None:
        whole["comments"] = [
            comment for comment in whole["comments"] if not names_in([comment["text"]], assignment, reviewer)
        ]
        is_late, verb = sheet.due_at is not None and ranking.saved_at > sheet.due_at, "ranking-counted"
    kept = SubmittedRanking.objects.create(
        ranking=ranking,
        number=(sheet.submitted.number if sheet.submitted is not None else 0) + 1,
        version=ranking.version,
        sha256=fingerprint(whole),
        submitted_at=timezone.now(),
        submitted_by=by or reviewer.person,
        is_late=is_late,
        **whole,
    )
    record(verb, by=by, assignment=assignment, subject=reviewer, count=kept.number)
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
    levels: Sequence[tuple[int, int, int]] = (),
) -> SubmittedRanking:
    """Submit this order of submissions, best first, with comments and levels.

    Comments are (submission, prompt, text), levels (submission, criterion, level). Order and levels take the
    place of what the reviewer had begun; comments are added to theirs.
    """
    with ranking_lock(assignment, reviewer):
        labels = {review.submission_id: review.label for review in open_reviews(assignment, reviewer)}
        _refuse(order, [submission for submission, *_rest in (*comments, *levels)], labels)
        ranking = Ranking.objects.filter(assignment=assignment, reviewer=reviewer).first()
        sent = RankingInput(
            tiers=[sorted(labels[submission] for submission in place) for place in order if place],
            version=ranking.version if ranking is not None else 0,
            comments=tuple(
                CommentInput(labels[submission], prompt, text, NOT_SEEN)
                for submission, prompt, text in comments
            ),
            levels=tuple(
                LevelInput(labels[submission], criterion, level, NOT_SEEN)
                for submission, criterion, level in levels
            ),
        )
        save(assignment=assignment, reviewer=reviewer, sent=sent)
        return submit_ranking(
            assignment=assignment, reviewer=reviewer, by=by, action=Action.RANK_FOR_REVIEWER
        )


def _refuse(
    order: Sequence[Sequence[int]],
    reviewed: Sequence[int],
    labels: dict[int, str],
) -> None:
    ranked = [submission for place in order for submission in place]
    strange = sorted({*ranked, *reviewed} - labels.keys())
    if strange:
        text = _("Submission %(submission)d is not assigned to this reviewer. Assigned: %(held)s.")
        held = ", ".join(map(str, sorted(labels)))
        raise Refused(text % {"submission": strange[0], "held": held or "–"})
    twice = sorted({submission for submission in ranked if ranked.count(submission) > 1})
    if twice:
        raise Refused(_("Submission %(submission)d is ranked twice.") % {"submission": twice[0]})
