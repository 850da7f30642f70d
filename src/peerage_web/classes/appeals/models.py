"""Appeals: what a student asks, what staff found and answered. The trail of each is in the activity log."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import GradingRun, StaffGrade
from peerage_web.classes.keys import exactly_one, short_key
from peerage_web.classes.release.models import Release
from peerage_web.classes.submissions.models import Submission


class Appeal(models.Model):
    """One student disagrees with one grade. Who answered is kept, and never shown to the student."""

    class State(models.TextChoices):
        OPEN = "open", "waiting for an answer"
        ACCEPTED = "accepted", "accepted"
        DECLINED = "declined", "declined"
        WITHDRAWN = "withdrawn", "taken back by the student"

    key = models.CharField(max_length=16, unique=True, default=short_key, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="appeals")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="appeals")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="appeals")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="appeals")  # what it is about
    reason = models.TextField(max_length=5000)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    staff_grade = models.ForeignKey(
        StaffGrade, null=True, blank=True, on_delete=models.PROTECT, related_name="appeals"
    )
    # what staff would give the submission, only in the preview until the appeal is accepted
    proposed_points = models.FloatField(null=True, blank=True)
    proposed_reason = models.CharField(max_length=1000, blank=True)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    regrades = models.BooleanField(default=False)  # the whole class with it, not this grade alone
    proposed_answer = models.TextField(
        max_length=5000, blank=True
    )  # what the student will read if they agree
    previewed_at = models.DateTimeField(null=True, blank=True)
    preview = models.ForeignKey(
        GradingRun, null=True, blank=True, on_delete=models.SET_NULL, related_name="appeals"
    )  # what accepting it would change
    answer = models.TextField(max_length=5000, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["opened_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["membership", "submission"],
                condition=Q(state="open"),
                name="one_open_appeal_per_student",
            ),
            models.CheckConstraint(
                name="ended_appeal_says_when",
                condition=exactly_one(Q(state="open"), Q(ended_at__isnull=False)),
            ),
        ]
        indexes = [models.Index(fields=["assignment", "state"], name="appeals_by_state")]
