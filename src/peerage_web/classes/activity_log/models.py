"""The activity log of who did what. Rows are added; none is ever changed or taken away."""

from typing import Any, NoReturn

from django.conf import settings
from django.db import models

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership


class EventQuerySet(models.QuerySet["Event"]):
    """Reads, and adds through `services.record`."""

    def update(self, **fields: Any) -> NoReturn:
        raise TypeError("the activity log is only added to")

    def delete(self) -> NoReturn:
        """Never; a course that is deleted takes its record along through the database."""
        raise TypeError("the activity log is only added to")


class Event(models.Model):
    """Somebody did something. `verb` is a code of `services.record.VERBS`; pages turn it into a sentence."""

    course = models.ForeignKey(Course, null=True, on_delete=models.CASCADE, related_name="events")
    assignment = models.ForeignKey(Assignment, null=True, on_delete=models.SET_NULL, related_name="events")
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="events"
    )  # None: a date, or the service itself
    subject = models.ForeignKey(
        Membership, null=True, on_delete=models.PROTECT, related_name="events_about"
    )  # whom it was done to
    verb = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["course", "-at"], name="events_of_a_course")]

    def __str__(self) -> str:
        return f"event {self.pk} ({self.verb})"

    def save(self, *args: Any, **options: Any) -> None:
        if self.pk is not None:
            raise TypeError("the activity log is only added to")
        super().save(*args, **options)

    def delete(self, *args: Any, **options: Any) -> NoReturn:
        raise TypeError("the activity log is only added to")
