"""How often somebody came in a stretch of time, for the rate limits."""

from __future__ import annotations

from django.db import models


class Visit(models.Model):
    """Requests of one kind, by one visitor (a keyed hash) or token, in one window."""

    who = models.CharField(max_length=64)
    what = models.CharField(max_length=20)
    window = models.DateTimeField(db_index=True)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["who", "what", "window"], name="one_row_per_window")]

    def __str__(self) -> str:
        return f"{self.count} {self.what} since {self.window:%H:%M}"
