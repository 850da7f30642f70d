"""What of a platform belongs to what of ours: courses, links in them, and people's places."""

from __future__ import annotations

from django.db import models

from peerage_web.classes.models import Assignment, Course, Membership
from peerage_web.lti.models.platforms import LtiDeployment


class LtiContext(models.Model):
    """A course of the platform, once an instructor has launched from it; connected to one of ours or not."""

    deployment = models.ForeignKey(LtiDeployment, on_delete=models.CASCADE, related_name="contexts")
    context_id = models.CharField(max_length=255)
    title = models.CharField(max_length=200, blank=True)
    course = models.ForeignKey(
        Course, null=True, blank=True, on_delete=models.CASCADE, related_name="lti_contexts"
    )
    memberships_url = models.CharField(max_length=1000, blank=True)  # empty: no roster is offered
    line_items_url = models.CharField(max_length=1000, blank=True)
    scopes = models.JSONField(default=list)  # of grades, which the platform offers here
    synced_at = models.DateTimeField(null=True, blank=True)  # the roster
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["deployment", "context_id"], name="lti_contexts_differ"),
        ]

    def __str__(self) -> str:
        return f"context {self.pk}"


class LtiLink(models.Model):
    """A link in a course of the platform, and the assignment that it opens."""

    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="links")
    link_id = models.CharField(max_length=255)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="lti_links")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["context", "link_id"], name="lti_links_differ")]

    def __str__(self) -> str:
        return f"link {self.pk}"


class LtiPlace(models.Model):
    """Somebody of the platform's course in ours, under the name that the platform has for them.

    `told` is what the platform last said that they are: when it says something else, that holds; as long as
    it says the same, what staff decided here since then stays.
    """

    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="places")
    subject = models.CharField(max_length=255)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="lti_places")
    told = models.CharField(max_length=10, blank=True)  # a role; empty: none
    told_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["context", "subject"], name="one_lti_place_each"),
            models.UniqueConstraint(fields=["context", "membership"], name="one_lti_subject_each"),
        ]

    def __str__(self) -> str:
        return f"place {self.pk}"
