"""Reminders: who is to be reminded of what, by whom, and the mail that came of it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from peerage_web.accounts.models import Mail
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Task


class Reminder(models.Model):
    """One thing that somebody is to be reminded of. Maintenance puts all of a person's into one mail.

    Until then it waits (`settled_at` is empty). It ends without a mail where nothing was left to do.
    """

    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="reminders")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="reminders")
    task = models.CharField(max_length=10, choices=Task)
    due_at = models.DateTimeField()  # for this person, when the reminder was made
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )  # None: by itself, before the date
    made_at = models.DateTimeField(default=timezone.now)  # the same for all that were made together
    settled_at = models.DateTimeField(null=True, blank=True, db_index=True)
    mail = models.ForeignKey(Mail, null=True, blank=True, on_delete=models.SET_NULL, related_name="reminders")

    class Meta:
        ordering = ["made_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["membership", "assignment", "task", "due_at"],
                condition=Q(made_by__isnull=True),
                name="reminded_by_itself_once",
            ),
        ]
        indexes = [models.Index(fields=["membership", "made_at"], name="reminders_of_a_member")]
