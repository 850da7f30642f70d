"""Launches on their way: each of these lives for minutes, is used once, and is kept as a hash only."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from peerage_web.classes.models.keys import secret_key
from peerage_web.lti.models.contexts import LtiContext
from peerage_web.lti.models.platforms import LtiRegistration


class LtiLogin(models.Model):
    """State, nonce and registration, bound together at the login and used up by one launch."""

    state_hash = models.CharField(max_length=64, unique=True)
    nonce_hash = models.CharField(max_length=64)
    registration = models.ForeignKey(LtiRegistration, on_delete=models.CASCADE, related_name="+")
    storage = models.CharField(max_length=100, blank=True)  # the frame that keeps things for us, if any
    asked = models.JSONField(default=dict)  # with what the login began; it can begin again elsewhere
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"login {self.pk}"


class LtiTicket(models.Model):
    """The way from a frame into a window of its own: signs in once, within a minute."""

    hash = models.CharField(max_length=64, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=300)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"ticket {self.pk}"


class LtiPicking(models.Model):
    """A question of the platform or of a launch: which assignment. The key in its address opens it.

    With `return_url` it is Deep Linking; with `link_id` a link that does not say yet what it opens.
    """

    key = models.CharField(max_length=32, unique=True, default=secret_key, editable=False)
    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    subject = models.CharField(max_length=255)  # what the platform calls them
    return_url = models.CharField(max_length=1000, blank=True)
    data = models.TextField(blank=True)  # what the platform wants back as it was
    takes_line_item = models.BooleanField(default=True)
    link_id = models.CharField(max_length=255, blank=True)
    link_title = models.CharField(max_length=200, blank=True)
    grades = models.JSONField(default=dict)  # the launch's own claim about line items
    framed = models.BooleanField(default=True)
    language = models.CharField(max_length=10, blank=True)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"picking {self.pk}"
