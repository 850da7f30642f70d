"""Counts for the rate limits."""

from django.db import models


class RequestCount(models.Model):
    """Requests of one kind, by one visitor (a keyed hash) or token, in one window."""

    client = models.CharField(max_length=64)
    kind = models.CharField(max_length=20)
    window = models.DateTimeField(db_index=True)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["client", "kind", "window"], name="one_row_per_window")
        ]

    def __str__(self) -> str:
        return f"{self.count} {self.kind} since {self.window:%H:%M}"
