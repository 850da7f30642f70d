"""One file on its way to grades."""

import re
import secrets
import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from peerage_web.shared.database import database_now

_REFUSED = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL stores neither


def new_key() -> str:
    """What makes the address unguessable: 256 random bits."""
    return secrets.token_urlsafe(32)


def expiry() -> datetime:
    """When a job that is made now will be deleted; by the clock that says whether it may still be seen."""
    return database_now() + timedelta(hours=settings.LIMITS.kept_hours)


class Job(models.Model):
    """An uploaded file, how to grade it, and how far that has come. Its files are in `folder`."""

    class State(models.TextChoices):
        """A job goes down this list; it never goes back, but for one retry of a lost run."""

        DRAFT = "draft", "uploaded, waiting for the visitor"
        QUEUED = "queued", "waiting for its turn"
        RUNNING = "running", "being graded"
        DONE = "done", "graded"
        FAILED = "failed", "could not be graded"
        CANCELLED = "cancelled", "cancelled"

    ACTIVE = (State.QUEUED, State.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    key = models.CharField(max_length=64, unique=True, default=new_key, editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT, db_index=True)
    origin = models.CharField(
        max_length=8, choices=[("page", "page"), ("api", "API"), ("class", "class")], default="page"
    )
    visitor = models.CharField(max_length=64, db_index=True)  # a keyed hash that changes every day
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE)

    name = models.CharField(max_length=100, blank=True)  # what the visitor calls the result
    file_name = models.CharField(max_length=200)
    file_bytes = models.PositiveBigIntegerField(default=0)
    options = models.JSONField(default=dict)  # of reading and grading: see peerage_web.sandbox.contract.jobs
    filled = models.JSONField(null=True)  # what a draft's form held that could not be meant, and why
    roster_name = models.CharField(max_length=200, blank=True)
    anchors_name = models.CharField(max_length=200, blank=True)

    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(null=True)
    # None: it belongs to a class, which keeps it and shows it; no visitor finds it by its key
    expires_at = models.DateTimeField(null=True, default=expiry, db_index=True)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)  # a running job without one has lost its worker
    finished_at = models.DateTimeField(null=True)

    attempt = models.PositiveSmallIntegerField(default=0)
    worker = models.CharField(max_length=64, blank=True)  # who runs it, or ran it last
    cost = models.FloatField(default=0)  # about how many seconds it will take: see services.jobs
    not_before = models.DateTimeField(null=True)  # a job that waits for room on the disk
    disk_bytes = models.PositiveBigIntegerField(default=0)  # of everything in `folder`
    cancel_requested = models.BooleanField(default=False)
    step = models.CharField(max_length=200, blank=True)
    steps_done = models.PositiveSmallIntegerField(default=0)
    problem = models.JSONField(null=True)  # what went wrong: title, detail, problems
    summary = models.JSONField(null=True)  # what the result's first lines show

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                name="job_state_known",
                condition=models.Q(state__in=["draft", "queued", "running", "done", "failed", "cancelled"]),
            ),
            models.CheckConstraint(
                name="job_failed_says_why",
                condition=~models.Q(state="failed") | models.Q(problem__isnull=False),
            ),
            models.CheckConstraint(name="job_tried_at_most_twice", condition=models.Q(attempt__lte=2)),
        ]

    def __str__(self) -> str:
        return f"job {self.id}"  # never the key: this is what logs show

    def get_absolute_url(self) -> str:
        return reverse("job", args=[self.key])

    @property
    def folder(self) -> Path:
        return settings.JOBS / str(self.id)

    @property
    def results(self) -> Path:
        """What the finished attempt wrote."""
        return self.folder / f"attempt-{self.attempt}"

    @property
    def kept_until(self) -> datetime:
        """When everything of it is deleted; of a visitor's job."""
        assert self.expires_at is not None  # visitors do not get to jobs of classes
        return self.expires_at

    @property
    def is_active(self) -> bool:
        return self.state in self.ACTIVE


def storable(value: Any) -> Any:
    """Texts, numbers, lists and mappings from a visitor's file, with a mark for what databases refuse."""
    if isinstance(value, str):
        return _REFUSED.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {storable(name): storable(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [storable(part) for part in value]
    return value
