"""What students were told: each release with its grades; and what authors thought of comments."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.reviewing.models import Comment
from peerage_web.classes.submissions.models import Work


class Release(models.Model):
    """Grades as students see them. A later one takes its place; one that is retracted shows nothing."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="releases")
    number = models.PositiveSmallIntegerField()
    run = models.ForeignKey(GradingRun, on_delete=models.PROTECT, related_name="releases")
    why = models.CharField(max_length=300, blank=True)  # of a second and later one
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )  # None: its date had come
    made_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)  # retracted, or another took its place

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "number"], name="releases_are_numbered"),
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(ended_at__isnull=True), name="one_release_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"release {self.pk}"


class ReleasedGrade(models.Model):
    """One student's grades in one release, as they were shown; never changed."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="grades")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="released_grades")
    work = models.ForeignKey(Work, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    # of the work; empty where none was handed in or it could not be graded
    points = models.FloatField(null=True, blank=True)
    points_low = models.FloatField(null=True, blank=True)
    points_high = models.FloatField(null=True, blank=True)
    letter = models.CharField(max_length=20, blank=True)
    by_hand = models.BooleanField(default=False)  # staff set it; there is no band then
    # of the reviewing, 0 to 100; empty where nothing was asked for
    reviewing = models.FloatField(null=True, blank=True)
    reviewing_parts = models.JSONField(default=dict)  # quality, completeness, helpfulness and their weights
    total = models.FloatField(null=True, blank=True)  # both, by their weights
    seen_at = models.DateTimeField(null=True, blank=True)
    told_at = models.DateTimeField(null=True, blank=True, db_index=True)  # by mail, or there was no need to

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["release", "membership"], name="released_once_per_student"),
        ]

    def __str__(self) -> str:
        return f"released grade {self.pk}"


class Helpfulness(models.Model):
    """How helpful an author found what one reviewer wrote; rated before any grade is shown."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="helpfulness")
    by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="ratings")
    rating = models.PositiveSmallIntegerField()  # 1: not at all, to 5: very
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["review", "by"], name="rated_once_per_author"),
            models.CheckConstraint(name="rating_from_1_to_5", condition=Q(rating__gte=1, rating__lte=5)),
        ]

    def __str__(self) -> str:
        return f"rating {self.pk}"


class HiddenComment(models.Model):
    """A comment that staff keep from its author's eyes, and why; shown again, the row stays with its end."""

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="hidden")
    reason = models.CharField(max_length=300)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    shown_again_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["comment"], condition=Q(shown_again_at__isnull=True), name="hidden_once"
            ),
        ]

    def __str__(self) -> str:
        return f"hidden comment {self.pk}"
