"""Webhooks: which addresses a course tells what happens, and what was sent to each."""

import uuid

from django.conf import settings
from django.db import models

from peerage_web.classes.courses.models import Course
from peerage_web.classes.keys import secret_key


class Webhook(models.Model):
    """An address that is told of phase changes and released grades, each message signed with the secret."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="webhooks")
    url = models.URLField(max_length=500)
    secret = models.CharField(max_length=64, default=secret_key, editable=False)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["made_at", "pk"]


class Delivery(models.Model):
    """One message to one address; tried again with the same id until it is taken or given up."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)  # by it repeats are known
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    body = models.JSONField()
    made_at = models.DateTimeField(auto_now_add=True)
    next_at = models.DateTimeField(null=True, blank=True, db_index=True)  # None: taken, or given up
    attempts = models.PositiveSmallIntegerField(default=0)
    taken_at = models.DateTimeField(null=True, blank=True)
    answer = models.CharField(max_length=300, blank=True)  # of the last attempt

    class Meta:
        ordering = ["made_at", "pk"]
