"""Courses and who is in them."""

from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from peerage_web.classes.enums import STAFF, Role
from peerage_web.classes.keys import exactly_one, secret_key, short_key


class Course(models.Model):
    """A class: its people and its assignments."""

    key = models.CharField(max_length=16, unique=True, default=short_key, editable=False)
    name = models.CharField(max_length=200)
    term = models.CharField(max_length=60, blank=True)
    time_zone = models.CharField(max_length=60, default="UTC")  # in which its pages and mail tell the time
    language = models.CharField(max_length=10, blank=True)  # of its mail to people who have not chosen one
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="courses_created"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    hidden_at = models.DateTimeField(null=True, blank=True)  # only staff see it, and no date moves anything
    delete_at = models.DateTimeField(null=True, blank=True)  # an instructor wants it deleted then
    # everything is deleted so many months after its last date; 0: it is kept
    keep_months = models.PositiveSmallIntegerField(default=0)
    most_bytes = models.PositiveBigIntegerField(null=True, blank=True)  # on disk; None: as the service has it
    digest_until = models.DateTimeField(default=timezone.now)  # what came until then, staff were told by mail

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("course", args=[self.key])

    @property
    def zone(self) -> tzinfo:
        """Where its clocks are; UTC where this machine has no such zone (any more)."""
        try:
            return ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return UTC


class Membership(models.Model):
    """Somebody in a course. A role that is taken away is gone at the next request: each looks it up."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="memberships")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    name = models.CharField(max_length=200, blank=True)  # as the roster has it
    student_id = models.CharField(max_length=100, blank=True)  # what the roster and grade books call them
    section = models.CharField(max_length=100, blank=True)
    group = models.CharField(max_length=100, blank=True)  # where teams of an assignment come from at first
    created_at = models.DateTimeField(auto_now_add=True)
    invited_at = models.DateTimeField(null=True, blank=True)
    dropped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["course", "person"], name="in_a_course_once"),
            models.UniqueConstraint(
                fields=["course", "student_id"], condition=~Q(student_id=""), name="one_student_per_id"
            ),
            models.CheckConstraint(name="role_known", condition=Q(role__in=Role.values)),
            models.CheckConstraint(
                name="dropped_says_when", condition=exactly_one(Q(role="dropped"), Q(dropped_at__isnull=True))
            ),
        ]
        indexes = [models.Index(fields=["course", "role"], name="members_by_role")]

    @property
    def is_staff(self) -> bool:
        return self.role in STAFF

    @property
    def shown_name(self) -> str:
        """What staff read; never shown across the blind."""
        if self.person.erased_at is not None:
            return gettext("Erased person")
        return self.name or self.person.shown_name


class RosterImport(models.Model):
    """An uploaded roster between its preview and its commit; the file is deleted with it."""

    key = models.CharField(max_length=32, unique=True, default=secret_key, editable=False)
    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="roster_imports")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    file_name = models.CharField(max_length=200)
    columns = models.JSONField(default=dict)  # what each column is taken for, once somebody has said so
    created_at = models.DateTimeField(auto_now_add=True)

    @property
    def folder(self) -> Path:
        """Where its file is, under `input`."""
        folder: Path = settings.ROSTERS / self.key
        return folder
