"""Columns of the platform's grade book, and the outbox of scores for them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from peerage_web.classes.models import Assignment, Release
from peerage_web.lti.models.contexts import LtiContext, LtiPlace


class LtiLineItem(models.Model):
    """One column: the work or the reviewing of one assignment, in one course of the platform."""

    class Kind(models.TextChoices):
        """What it is about."""

        WORK = "work", "the work"
        REVIEWING = "reviewing", "the reviewing"

    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="line_items")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="lti_line_items")
    kind = models.CharField(max_length=10, choices=Kind)
    url = models.CharField(max_length=1000, blank=True)  # empty: not found nor made yet
    link_id = models.CharField(max_length=255, blank=True)
    maximum = models.FloatField(default=100)
    # the release whose grades are in the outbox, of which nothing is missing; None: look again
    release = models.ForeignKey(Release, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    is_current = models.BooleanField(default=False)  # the outbox has all that there is to say now
    filled_at = models.DateTimeField(null=True, blank=True)  # when that was so
    checked_at = models.DateTimeField(null=True, blank=True)  # what teachers changed there was looked for
    problem = models.CharField(max_length=500, blank=True)  # why the column is not there, in their words

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["context", "assignment", "kind"], name="one_column_each"),
        ]

    def __str__(self) -> str:
        return f"line item {self.pk}"


class LtiScore(models.Model):
    """One score on its way: what was to be said, when it was tried, and what the platform answered."""

    class State(models.TextChoices):
        """What became of it."""

        WAITING = "waiting", "waiting"
        HELD = "held", "held: the grade was changed on the platform"
        SENT = "sent", "arrived"
        REPLACED = "replaced", "a newer one took its place"
        KEPT = "kept", "staff left the platform's grade as it is"
        REFUSED = "refused", "the platform refused it"

    line_item = models.ForeignKey(LtiLineItem, on_delete=models.CASCADE, related_name="scores")
    place = models.ForeignKey(LtiPlace, on_delete=models.CASCADE, related_name="scores")
    release = models.ForeignKey(Release, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    given = models.FloatField(null=True, blank=True)  # None: takes back what was there
    maximum = models.FloatField()
    comment = models.CharField(max_length=100, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    made_at = models.DateTimeField(auto_now_add=True)
    timestamp = models.DateTimeField(null=True, blank=True)  # it carries this one at every try
    attempts = models.PositiveSmallIntegerField(default=0)
    is_open = models.BooleanField(default=False)  # a try went out, and nobody knows how it ended
    not_before = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    found = models.FloatField(null=True, blank=True)  # the other grade, where it is held
    status = models.PositiveSmallIntegerField(null=True, blank=True)  # of the last answer
    problem = models.CharField(max_length=500, blank=True)  # the platform's own words

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(
                fields=["not_before", "id"], condition=Q(state="waiting"), name="lti_scores_waiting"
            ),
            models.Index(fields=["line_item", "place", "-id"], name="lti_scores_of_somebody"),
        ]

    def __str__(self) -> str:
        return f"score {self.pk}"
