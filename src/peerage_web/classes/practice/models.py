"""The practice round: examples that staff have ranked, and what a student answered."""

from django.db import models

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.keys import secret_key
from peerage_web.classes.submissions.models import SubmissionFile


class PracticeExample(models.Model):
    """One example: a text, or a file that is shown as submissions are."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="practice_examples")
    key = models.CharField(max_length=32, unique=True, default=secret_key, editable=False)
    position = models.PositiveSmallIntegerField()  # in the list of staff; students see them mixed
    place = models.PositiveSmallIntegerField()  # that staff gave it; equal places are ties
    title = models.CharField(max_length=200)
    text = models.TextField(blank=True)  # Markdown
    stored = models.CharField(max_length=32, blank=True)  # of its file, if it has one
    kind = models.CharField(max_length=10, blank=True, choices=SubmissionFile._meta.get_field("kind").choices)
    pages = models.PositiveSmallIntegerField(default=0)
    because = models.TextField(blank=True)  # why staff put it there; shown as the answer

    class Meta:
        ordering = ["position", "pk"]


class PracticeAnswer(models.Model):
    """How a student ranked the examples."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="practice_answers")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="practice_answers")
    tiers = models.JSONField(default=list)
    version = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField(auto_now=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "membership"], name="one_practice_per_student"),
        ]
