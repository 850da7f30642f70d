"""Tokens of the API."""

from __future__ import annotations

from django.db import models


class ApiToken(models.Model):
    """A token that was given out; only its hash is kept, so it cannot be shown again."""

    name = models.CharField(max_length=100, unique=True)
    prefix = models.CharField(max_length=12, unique=True)  # the part that lists may show
    hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created_at"]

    def __str__(self) -> str:
        return f"token {self.name} ({self.prefix}…)"
