"""The survey: its questions, what students answered, and how staff read the free texts.

While students answer, nobody but themselves sees anything of it. Closing the survey cuts every answer off
from its student for good, and only then staff read (`services.survey.closing`). Whatever shows or exports
answers goes through `queries.survey`, which knows that.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.keys import exactly_one, short_key


class Survey(models.Model):
    """Of one assignment; made with its first look, together with the paper's two questions."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="survey")
    closed_at = models.DateTimeField(null=True, blank=True)


class SurveyQuestion(models.Model):
    """One question. Two are the paper's; staff may add others."""

    class Kind(models.TextChoices):
        HELPFUL = "helpful", "was it helpful or valuable, and why"  # a choice, and free text
        CHOICE = "choice", "one of some answers"
        TEXT = "text", "free text"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="survey_questions")
    code = models.CharField(max_length=20, blank=True)  # "received", "given": the paper's two
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    text = models.CharField(max_length=500)  # empty for the paper's, which pages have in every language
    choices = models.JSONField(default=list)
    retired_at = models.DateTimeField(null=True, blank=True)  # no longer asked

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "code"], condition=~models.Q(code=""), name="the_papers_questions_once"
            ),
        ]


class SurveyAnswer(models.Model):
    """What one student answered: theirs while the survey is open, afterwards nobody's."""

    key = models.CharField(max_length=16, unique=True, default=short_key, editable=False)  # what coders see
    question = models.ForeignKey(SurveyQuestion, on_delete=models.CASCADE, related_name="answers")
    membership = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.CASCADE, related_name="survey_answers"
    )  # lets them change it while the survey is open
    respondent = models.CharField(max_length=16, blank=True)  # random; the same for one student's answers
    choice = models.CharField(max_length=200, blank=True)
    text = models.TextField(max_length=5000, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "membership"], name="answered_once"),
            models.UniqueConstraint(
                fields=["question", "respondent"], condition=~Q(respondent=""), name="answered_once_by_nobody"
            ),
            models.CheckConstraint(
                name="answers_are_theirs_or_nobodys",
                condition=exactly_one(Q(membership__isnull=False), ~Q(respondent="")),
            ),
        ]


class SurveyCode(models.Model):
    """How one of the staff read one free text; others see it when they can no longer read it themselves."""

    answer = models.ForeignKey(SurveyAnswer, on_delete=models.CASCADE, related_name="codes")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    category = models.CharField(max_length=20)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["answer", "by"], name="coded_once_each")]


class SurveyResultsViewer(models.Model):
    """Somebody of the staff saw how others sorted the answers, and sorts none any more."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="results_viewers")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["survey", "by"], name="results_seen_once")]
