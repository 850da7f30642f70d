"""The survey: its questions, what students answered, and how staff read the free texts."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from peerage_web.classes.models.assignments import Assignment
from peerage_web.classes.models.courses import Membership
from peerage_web.classes.models.keys import short_key


class SurveyQuestion(models.Model):
    """One question. Two are the paper's; staff may add others."""

    class Kind(models.TextChoices):
        """How it is answered."""

        HELPFUL = "helpful", "was it helpful or valuable, and why"  # a choice, and free text
        CHOICE = "choice", "one of some answers"
        TEXT = "text", "free text"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="survey_questions")
    code = models.CharField(max_length=20, blank=True)  # "received", "given": the paper's two
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    text = models.CharField(max_length=500)
    choices = models.JSONField(default=list)
    retired_at = models.DateTimeField(null=True, blank=True)  # taken away after answers were given

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "code"], condition=~models.Q(code=""), name="the_papers_questions_once"
            ),
        ]

    def __str__(self) -> str:
        return f"question {self.pk}"


class SurveyAnswer(models.Model):
    """What one student answered. `membership` lets them change it; nothing that staff see leads to it."""

    key = models.CharField(max_length=16, unique=True, default=short_key, editable=False)  # what coders see
    question = models.ForeignKey(SurveyQuestion, on_delete=models.CASCADE, related_name="answers")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="survey_answers")
    choice = models.CharField(max_length=200, blank=True)
    text = models.TextField(max_length=5000, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "membership"], name="answered_once"),
        ]

    def __str__(self) -> str:
        return f"answer {self.pk}"


class SurveyCode(models.Model):
    """How one of the staff read one free text; others see it when they have read it themselves."""

    answer = models.ForeignKey(SurveyAnswer, on_delete=models.CASCADE, related_name="codes")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    category = models.CharField(max_length=20)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["answer", "by"], name="coded_once_each")]

    def __str__(self) -> str:
        return f"code {self.pk}"
