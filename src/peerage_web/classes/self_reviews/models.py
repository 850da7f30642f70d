"""Self-reviews. Nothing that grades reads this table."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from peerage_web.classes.courses.models import Membership
from peerage_web.classes.submissions.models import Submission


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

    def __str__(self) -> str:
        return f"self-review {self.pk}"
