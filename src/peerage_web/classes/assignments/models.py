"""Assignments: what is asked, when it is due, for whom later, and in which teams."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Max, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.keys import short_key

MEGABYTE = 1 << 20


def all_kinds() -> list[str]:
    """The files that are taken unless staff say otherwise."""
    return list(Assignment.Kind.values)


class Assignment(models.Model):
    """One exercise: submissions are submitted, reviewed by peers, and ranked."""

    class Kind(models.TextChoices):
        PDF = "pdf", _("PDF")
        IMAGE = "image", _("Images (PNG, JPEG)")
        TEXT = "text", _("Plain text")
        MARKDOWN = "markdown", _("Markdown")
        WORD = "word", _("Word (.docx)")

    class Design(models.TextChoices):
        """The library's designs of allocation that a class may choose."""

        SPREAD = "spread", _("Spread: as many different pairs as possible are compared (recommended)")
        RANDOM = "random", _("Random: every submission gets the same number of reviews, nothing more")
        CALIBRATED = (
            "calibrated",
            _("Calibrated: everybody reviews one of a few submissions that staff also review"),
        )
        STAFF = "staff", _("Staff: staff reviews link the rankings of the whole class")

    class Sections(models.TextChoices):
        """Whether reviews cross sections."""

        POOLED = "pooled", _("Review across sections")
        APART = "apart", _("Review within each section")

    key = models.CharField(max_length=16, unique=True, default=short_key, editable=False)
    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="assignments")
    title = models.CharField(max_length=200)
    instructions = models.TextField(blank=True)  # Markdown
    in_teams = models.BooleanField(default=False)
    copied_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    phase = models.CharField(max_length=12, choices=Phase, default=Phase.SETUP)
    phase_since = models.DateTimeField(null=True, blank=True)
    by_date = models.BooleanField(default=True)  # whether dates move it on
    allocates_itself = models.BooleanField(default=False)  # with the chosen design, once submissions are in

    opens_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    late_until = models.DateTimeField(null=True, blank=True)  # none: nothing is taken late
    grace_minutes = models.PositiveSmallIntegerField(
        default=10
    )  # in which a submission submitted may be replaced
    reviews_due_at = models.DateTimeField(null=True, blank=True)
    release_at = models.DateTimeField(null=True, blank=True)
    # how long before a due date those are reminded who have not done their part; 0: nobody is
    remind_hours = models.PositiveSmallIntegerField(default=24)

    file_kinds = models.JSONField(default=all_kinds)
    most_bytes = models.PositiveBigIntegerField(default=20 * MEGABYTE)  # of one file
    most_files = models.PositiveSmallIntegerField(default=3)

    reviews_per_student = models.PositiveSmallIntegerField(default=5)
    reviews_per_staff = models.PositiveSmallIntegerField(default=0)
    design = models.CharField(max_length=12, choices=Design, default=Design.SPREAD)
    anchors = models.PositiveSmallIntegerField(default=5)  # of the design "calibrated"
    sections = models.CharField(max_length=8, choices=Sections, default=Sections.POOLED)
    seed = models.PositiveIntegerField(default=0)
    ties_allowed = models.BooleanField(default=True)
    counts_saved = models.BooleanField(default=True)  # complete rankings that nobody submitted, at closing
    min_comment_words = models.PositiveSmallIntegerField(default=0)  # about each submission; 0: no minimum
    self_review = models.BooleanField(default=False)  # authors rank their own submission; it never counts
    review_weight = models.PositiveSmallIntegerField(default=20)  # per cent of the mark, for reviewing
    practice = models.CharField(
        max_length=10,
        default="none",
        choices=[("none", _("No practice round")), ("offered", _("Optional")), ("required", _("Required"))],
    )

    class Meta:
        ordering = ["due_at", "pk"]
        constraints = [
            models.CheckConstraint(name="phase_known", condition=Q(phase__in=Phase.values)),
            models.CheckConstraint(name="review_weight_is_a_share", condition=Q(review_weight__lte=100)),
            models.CheckConstraint(
                name="late_window_after_due",
                condition=Q(late_until__isnull=True) | Q(late_until__gte=F("due_at")),
            ),
            models.CheckConstraint(
                name="reviews_due_after_submissions",
                condition=Q(reviews_due_at__isnull=True) | Q(reviews_due_at__gt=F("due_at")),
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("assignment", args=[self.course.key, self.key])

    @property
    def closes_at(self) -> datetime | None:
        """When the last review is due, extensions included."""
        if self.reviews_due_at is None:
            return None
        latest: dict[str, Any] = self.extensions.aggregate(last=Max("reviews_due_at"))
        return max(self.reviews_due_at, latest["last"] or self.reviews_due_at)

    @property
    def is_published(self) -> bool:
        return self.phase != Phase.SETUP


class FeedbackPrompt(models.Model):
    """A question that reviewers answer about every submission."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="prompts")
    position = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=500)
    required = models.BooleanField(default=False)
    retired_at = models.DateTimeField(null=True, blank=True)  # taken away after answers were written

    class Meta:
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.text


class Extension(models.Model):
    """More time for one student, for the submission, the reviews, or both."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="extensions")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="extensions")
    due_at = models.DateTimeField(null=True, blank=True)
    reviews_due_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    granted_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "membership"], name="one_extension_per_student"),
            models.CheckConstraint(
                name="extension_extends",
                condition=Q(due_at__isnull=False) | Q(reviews_due_at__isnull=False),
            ),
        ]


class Team(models.Model):
    """Who submits together, for one assignment."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(max_length=100)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["assignment", "name"], name="team_names_differ")]


class TeamMember(models.Model):
    """One student of a team; nobody is in two teams of one assignment."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="team_members")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="members")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="team_places")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "membership"], name="in_one_team"),
        ]

    def __str__(self) -> str:
        return f"place {self.pk} in {self.team}"
