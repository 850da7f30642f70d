"""Rankings while they are made, and as they were submitted; what was written about each submission."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, FeedbackPrompt
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.keys import secret_key
from peerage_web.classes.submissions.models import Submission


class Ranking(models.Model):
    """The order somebody is working on: `tiers`, best first, each a list of labels of reviews.

    What stands in no tier is not ranked. Every save names the `version` it started from, so that a second
    tab cannot overwrite what it has not seen.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="rankings")
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="rankings")
    tiers = models.JSONField(default=list)
    version = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(auto_now_add=True)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "reviewer"], name="one_ranking_per_reviewer"),
        ]


class SubmittedRanking(models.Model):
    """A ranking as it was submitted, with its receipt; the newest counts. Never changed afterwards."""

    ranking = models.ForeignKey(Ranking, on_delete=models.PROTECT, related_name="submitted")
    number = models.PositiveSmallIntegerField()
    tiers = models.JSONField()  # primary keys of reviews: labels may be given anew, these stay
    comments = models.JSONField()  # review, prompt, text
    levels = models.JSONField(default=list)  # review, criterion, level
    version = models.PositiveIntegerField()  # of the ranking
    receipt = models.CharField(max_length=32, unique=True, default=secret_key, editable=False)
    sha256 = models.CharField(max_length=64)
    submitted_at = models.DateTimeField()
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    is_late = models.BooleanField(default=False)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["ranking", "number"], name="rankings_are_numbered"),
        ]


class Comment(models.Model):
    """What a reviewer wrote about a submission, for one prompt (None: in general)."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="comments")
    prompt = models.ForeignKey(
        FeedbackPrompt, null=True, blank=True, on_delete=models.PROTECT, related_name="comments"
    )
    text = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["review", "prompt"], name="one_answer_per_prompt"),
            models.UniqueConstraint(
                fields=["review"], condition=models.Q(prompt__isnull=True), name="one_answer_in_general"
            ),
        ]


class SelfReview(models.Model):
    """Where an author ranks the own submission among those they reviewed. It never counts for a grade."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="self_reviews")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="self_reviews")
    rank = models.PositiveSmallIntegerField()  # 1 is best
    ranks = models.PositiveSmallIntegerField()  # there are, with the own one
    comment = models.TextField(max_length=10_000, blank=True)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "membership"], name="one_self_review_per_author"),
            models.CheckConstraint(
                name="self_review_has_a_rank", condition=Q(rank__gte=1, rank__lte=F("ranks"))
            ),
        ]
