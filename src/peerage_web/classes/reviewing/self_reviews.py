"""Self-reviews: who can review their own submission, among which, and saving it."""

from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.reviewing.models import SelfReview, SubmittedRanking
from peerage_web.classes.submissions.models import Submission
from peerage_web.classes.submissions.queries import authors_with, submission_of
from peerage_web.classes.submissions.shown import current_version
from peerage_web.shared.errors import Refused


@dataclass(frozen=True, slots=True)
class SelfReviewSheet:
    """The own submission, and what it is ranked among: labels, best first, ties together."""

    submission: Submission
    tiers: list[list[str]]
    kept: SelfReview | None

    @property
    def ranks(self) -> int:
        """With the own submission."""
        return len(self.tiers) + 1


def self_review_sheet(assignment: Assignment, member: Membership) -> SelfReviewSheet | None:
    """None where it is not asked for, nothing was submitted, or the ranking was not submitted yet."""
    if not assignment.self_review:
        return None
    submission = submission_of(authors_with(assignment, member))
    if submission is None or current_version(submission) is None:
        return None
    theirs = SubmittedRanking.objects.filter(ranking__assignment=assignment, ranking__reviewer=member)
    ranking = theirs.order_by("-number").first()
    if ranking is None:
        return None
    reviews = Review.objects.filter(assignment=assignment, reviewer=member, state=Review.State.OPEN)
    labels = dict(reviews.values_list("pk", "label"))
    tiers = [[labels[review] for review in tier if review in labels] for tier in ranking.tiers]
    kept = SelfReview.objects.filter(submission=submission, membership=member).first()
    return SelfReviewSheet(submission, [tier for tier in tiers if tier], kept)


def own_self_review(assignment: Assignment, member: Membership) -> SelfReview | None:
    """What an author has said of the own submission."""
    if not assignment.self_review:
        return None
    return SelfReview.objects.filter(submission__assignment=assignment, membership=member).first()


def save_self_review(*, assignment: Assignment, member: Membership, rank: int, comment: str) -> SelfReview:
    """The latest counts. Refused before the ranking of the others is submitted."""
    sheet = self_review_sheet(assignment, member)
    if sheet is None:
        raise Refused(_("First submit your own files and your ranking of the others."))
    if not 1 <= rank <= sheet.ranks:
        raise Refused(_("Choose a rank for your own submission."))
    with transaction.atomic():
        kept, is_new = SelfReview.objects.update_or_create(
            submission=sheet.submission,
            membership=member,
            defaults={"rank": rank, "ranks": sheet.ranks, "comment": comment.strip()},
        )
        if is_new:
            record("self-reviewed", by=member.person, assignment=assignment)
    return kept
