"""Our keys, of which platforms know the public half."""

from __future__ import annotations

from django.db import models


class LtiKey(models.Model):
    """One pair. It is shown to platforms before it signs and after it has stopped, for they keep copies."""

    kid = models.CharField(max_length=64, unique=True)
    public = models.JSONField()  # as a JWK
    private = models.TextField()  # encrypted under the secret key of the instance
    made_at = models.DateTimeField(auto_now_add=True)
    signs_from = models.DateTimeField()
    shown_until = models.DateTimeField(null=True, blank=True)  # set once another has taken over

    class Meta:
        ordering = ["-signs_from", "-pk"]

    def __str__(self) -> str:
        return f"key {self.kid}"
