"""Submissions: what a student or a team made, every time it was submitted, and its files."""

from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import Q

from peerage_web.classes.assignments.models import Assignment, Team
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.keys import exactly_one, secret_key


class Submission(models.Model):
    """What one student or one team submits; the thing that reviewers rank."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="submissions")
    author = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions"
    )
    team = models.ForeignKey(
        Team, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    excluded_at = models.DateTimeField(null=True, blank=True)  # after reports, or by staff
    excluded_reason = models.CharField(max_length=300, blank=True)
    # staff let its authors replace it until then, though it is under review; empty once they have
    reopened_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "author"], name="one_submission_per_student"),
            models.UniqueConstraint(fields=["assignment", "team"], name="one_submission_per_team"),
            models.CheckConstraint(
                name="submission_has_one_author",
                condition=exactly_one(Q(author__isnull=True), Q(team__isnull=True)),
            ),
        ]


class SubmissionVersion(models.Model):
    """Files of a submission: uploaded, seen as reviewers will see them, then submitted. The newest counts.

    As long as `submitted_at` is empty it is a draft that only its authors see. Receipt and hash stand on the
    page that confirms it.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveSmallIntegerField()  # 1, 2, … of this submission
    receipt = models.CharField(max_length=32, unique=True, default=secret_key, editable=False)
    sha256 = models.CharField(max_length=64)  # of all its files, in their order
    uploaded_at = models.DateTimeField(auto_now_add=True)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="uploaded_versions"
    )  # for a team any member, for a student also staff
    submitted_at = models.DateTimeField(null=True, blank=True, db_index=True)
    is_late = models.BooleanField(default=False)
    names_found = models.JSONField(default=list)  # by the scan, as the author saw them before submitting

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "number"], name="submissions_are_numbered"),
        ]


class SubmissionFile(models.Model):
    """One file, stored under a random name; `shown` is the folder of what reviewers get instead of it."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting to be made"
        READY = "ready", "ready"
        FAILED = "failed", "could not be made"

    version = models.ForeignKey(SubmissionVersion, on_delete=models.CASCADE, related_name="files")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=200)  # what its author called it; never shown to reviewers
    stored = models.CharField(max_length=32, unique=True, default=secret_key, editable=False)
    kind = models.CharField(max_length=10, choices=Assignment.Kind)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING, db_index=True)
    pages = models.PositiveSmallIntegerField(default=0)  # images of pages in `shown`
    problem = models.CharField(max_length=300, blank=True)  # a code, see file_problems
    disk_bytes = models.PositiveBigIntegerField(default=0)  # of the file and its copy
    making_since = models.DateTimeField(null=True, blank=True)  # who makes the copy has claimed it then
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["version", "position"], name="files_are_numbered"),
        ]

    @property
    def folder(self) -> Path:
        """Everything of this file on disk, outside the web root."""
        folder: Path = settings.SUBMISSIONS / self.stored
        return folder

    @property
    def original(self) -> Path:
        """The file as it was uploaded; what works on it gets a copy."""
        return self.folder / "original"
