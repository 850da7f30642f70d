"""What students were told: each release with its grades; and what authors thought of comments."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import GradingRun, Shown, usually_shown
from peerage_web.classes.reviewing.models import Comment
from peerage_web.classes.submissions.models import Submission


class Release(models.Model):
    """Grades as students see them. A later one takes its place; one that is retracted shows nothing."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="releases")
    number = models.PositiveSmallIntegerField()
    run = models.ForeignKey(GradingRun, on_delete=models.PROTECT, related_name="releases")
    shown = models.JSONField(default=usually_shown, blank=True)  # what of a grade students see: of `Shown`
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


class ReleasedGrade(models.Model):
    """One student's grades in one release, as they were shown; never changed."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="grades")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="released_grades")
    submission = models.ForeignKey(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    # of the submission; empty where none was submitted or it could not be graded
    points = models.FloatField(null=True, blank=True)
    points_low = models.FloatField(null=True, blank=True)
    points_high = models.FloatField(null=True, blank=True)
    letter = models.CharField(max_length=20, blank=True)
    by_hand = models.BooleanField(default=False)  # staff set it; there is no band then
    late_penalty = models.FloatField(default=0)  # points deducted; those above are after it
    # of the reviewing, 0 to 100; empty where nothing was asked for
    reviewing = models.FloatField(null=True, blank=True)
    reviewing_parts = models.JSONField(default=dict)  # quality, completeness, helpfulness and their weights
    total = models.FloatField(null=True, blank=True)  # both, by their weights
    seen_at = models.DateTimeField(null=True, blank=True)
    notified_at = models.DateTimeField(
        null=True, blank=True, db_index=True
    )  # by mail, or there was no need to

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["release", "membership"], name="released_once_per_student"),
        ]

    # what the student sees; pages, platforms and mail of students read these and not the columns

    def _shows(self, what: Shown) -> bool:
        return what.value in self.release.shown

    @property
    def shown_points(self) -> float | None:
        return self.points if self._shows(Shown.POINTS) else None

    @property
    def shown_total(self) -> float | None:
        """With the mark for reviewing it would tell the points."""
        return self.total if self._shows(Shown.POINTS) else None

    @property
    def shown_letter(self) -> str:
        return self.letter if self._shows(Shown.LETTER) else ""

    @property
    def shown_range(self) -> tuple[float, float] | None:
        """From the lowest to the highest likely points; it says nothing without the points."""
        if not self._shows(Shown.INTERVAL) or self.shown_points is None or self.points_low is None:
            return None
        return self.points_low, self.points_high if self.points_high is not None else self.points_low

    @property
    def shown_penalty(self) -> float:
        """Points taken off for being late."""
        return self.late_penalty if self._shows(Shown.POINTS) else 0.0

    @property
    def shows_chance(self) -> bool:
        """How likely the letter is."""
        return bool(self.shown_letter) and self._shows(Shown.CHANCE)

    @property
    def shown_standing(self) -> int | None:
        """The run that says where the submission stands: in another one it may stand elsewhere."""
        return self.release.run_id if self.shows_standing else None

    @property
    def shows_standing(self) -> bool:
        """Where the submission stands in the class; a grade set by hand has no standing."""
        return self.submission_id is not None and not self.by_hand and self._shows(Shown.STANDING)

    @property
    def has_grade(self) -> bool:
        """Whether there is something to tell of a submission; where a run gives a standing only, that."""
        ranked = self.submission_id is not None and not self.release.run.has_points
        return self.points is not None or bool(self.letter) or ranked


class PreparedFeedback(models.Model):
    """What a student reads beside the figures, put together as grades are released: then a whole class looks.

    `content` is made by `feedback.prepare`, and by it again where there is none: nothing is known only here.
    It goes when its release ends.
    """

    grade = models.OneToOneField(ReleasedGrade, on_delete=models.CASCADE, related_name="prepared")
    content = models.JSONField()


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


class CommentReport(models.Model):
    """An author finds what a reviewer wrote abusive; staff look at it. The first of a team counts."""

    review = models.OneToOneField(Review, on_delete=models.CASCADE, related_name="comment_report")
    by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="+")
    text = models.CharField(max_length=1000, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)  # when staff had looked at it


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


class Reply(models.Model):
    """What the authors of a submission answered its reviewers, once and without a name."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="reply")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="replies")
    text = models.TextField(max_length=5000, blank=True)  # empty: who wrote it was erased
    written_at = models.DateTimeField(auto_now_add=True)
    reported_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )  # the first reviewer who did
    reported_at = models.DateTimeField(null=True, blank=True)
    report = models.CharField(max_length=1000, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)  # when staff had looked at the report
    hidden_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    hidden_at = models.DateTimeField(null=True, blank=True)
    hidden_reason = models.CharField(max_length=300, blank=True)
