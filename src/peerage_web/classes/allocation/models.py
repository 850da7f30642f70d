"""Who reviews what, and what was said about a submission that could not be reviewed."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.keys import exactly_one, secret_key
from peerage_web.classes.submissions.models import Submission


class AllocationRun(models.Model):
    """One committed allocation or repair: how it was made, and how good it was."""

    class Kind(models.TextChoices):
        FIRST = "first", "the allocation"
        LATE = "late", "late submissions and their authors joined"
        REPAIR = "repair", "what no-shows held was given to others"
        REPLACEMENT = "replacement", "a reported submission was replaced"
        BY_HAND = "by-hand", "staff, or a file"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="allocation_runs")
    kind = models.CharField(max_length=12, choices=Kind)
    design = models.CharField(max_length=12)
    seed = models.PositiveIntegerField(default=0)
    options = models.JSONField(default=dict)
    quality = models.JSONField(default=dict)  # the library's figures
    notes = models.JSONField(default=list)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )  # None: by itself
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "pk"]


class Review(models.Model):
    """One submission in one reviewer's hands, under a label and an address that no other reviewer has."""

    class State(models.TextChoices):
        """A review that ends is kept with whatever was written."""

        OPEN = "open", "to be done"
        REPLACED = "replaced", "reported, another submission came in its place"
        RELEASED = "released", "taken from a no-show"
        EXCLUDED = "excluded", "the submission was excluded"

    key = models.CharField(max_length=32, unique=True, default=secret_key, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="reviews")
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="reviews")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="reviews")
    run = models.ForeignKey(AllocationRun, on_delete=models.PROTECT, related_name="reviews")
    label = models.CharField(max_length=8)  # A, B, … in this reviewer's own order
    position = models.PositiveSmallIntegerField()  # in which the list is shown
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    in_place_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="replacements"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["reviewer", "submission"], name="a_submission_once_per_reviewer"),
            models.UniqueConstraint(fields=["assignment", "reviewer", "label"], name="labels_differ"),
            models.CheckConstraint(
                name="ended_review_says_when",
                condition=exactly_one(Q(state="open"), Q(ended_at__isnull=False)),
            ),
        ]
        indexes = [models.Index(fields=["assignment", "state"], name="reviews_by_state")]

    def __str__(self) -> str:
        return f"review {self.pk}"  # never the key


class Report(models.Model):
    """A reviewer says that a submission cannot be reviewed by them."""

    class Reason(models.TextChoices):
        BLANK = "blank", _("It is blank")
        UNREADABLE = "unreadable", _("I cannot open or read it")
        KNOWN = "known", _("I know whose it is")
        PLAGIARISM = "plagiarism", _("It seems to be copied")
        OFFENSIVE = "offensive", _("It is offensive")
        OTHER = "other", _("Something else is wrong")

    review = models.OneToOneField(Review, on_delete=models.CASCADE, related_name="report")
    reason = models.CharField(max_length=10, choices=Reason)
    text = models.CharField(max_length=1000, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    outcome = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["made_at", "pk"]
