"""Replies of authors to their reviewers."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from peerage_web.classes.courses.models import Membership
from peerage_web.classes.submissions.models import Submission


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

    def __str__(self) -> str:
        return f"reply {self.pk}"
