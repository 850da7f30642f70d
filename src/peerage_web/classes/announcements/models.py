"""Announcements of staff to students."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course


class Announcement(models.Model):
    """A title and a text for the students of a course; mailed once, shown until it is withdrawn."""

    class Audience(models.TextChoices):
        STUDENTS = "students", _("All students")
        MISSING = "missing", _("Students who have not submitted")

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="announcements")
    assignment = models.ForeignKey(
        Assignment, null=True, blank=True, on_delete=models.CASCADE, related_name="announcements"
    )  # None: it is about the whole course
    audience = models.CharField(max_length=10, choices=Audience, default=Audience.STUDENTS)
    title = models.CharField(max_length=200)
    text = models.TextField(max_length=10_000)
    recipients = models.PositiveIntegerField(default=0)  # of the mail
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                name="missing_from_an_assignment",
                condition=Q(audience="students") | Q(assignment__isnull=False),
            ),
        ]
