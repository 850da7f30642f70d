"""Tokens of the API."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """A token that was given out; only its hash is kept, so it cannot be shown again."""

    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12, unique=True)  # the part that lists may show
    hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)
    # a token of a course opens that course and nothing else; what it does is done by whoever made it
    course = models.ForeignKey(
        "peerage_web.Course", null=True, blank=True, on_delete=models.CASCADE, related_name="tokens"
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    may_write = models.BooleanField(default=True)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                name="token_of_a_course_has_a_maker",
                condition=models.Q(course__isnull=True) | models.Q(made_by__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["name"],
                condition=models.Q(course__isnull=True),
                name="names_of_the_services_tokens_differ",
            ),
            models.UniqueConstraint(
                fields=["course", "name"],
                condition=models.Q(course__isnull=False),
                name="names_of_a_courses_tokens_differ",
            ),
        ]

    def __str__(self) -> str:
        return f"token {self.name} ({self.prefix}…)"
