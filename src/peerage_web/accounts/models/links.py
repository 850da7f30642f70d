"""Links that work once."""

from __future__ import annotations

from django.db import models

from peerage_web.accounts.models.people import Person


class OneTimeLink(models.Model):
    """A link that was given out: it expires, works once, and does nothing until a form is sent.

    Programs that scan mail open every link in it; a page that only shows a button survives that. Only the
    hash is kept, as for tokens.
    """

    class Kind(models.TextChoices):
        """What using it does."""

        FIRST = "first", "makes the first account"
        INVITATION = "invitation", "sets the first password"
        RESET = "reset", "sets another password"
        SIGN_IN = "sign-in", "signs in"

    kind = models.CharField(max_length=12, choices=Kind)
    hash = models.CharField(max_length=64, unique=True)
    person = models.ForeignKey(Person, null=True, blank=True, on_delete=models.CASCADE, related_name="links")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        Person, null=True, blank=True, on_delete=models.SET_NULL, related_name="links_given"
    )
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="link_is_somebodys",
                condition=models.Q(kind="first") | models.Q(person__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} link {self.pk}"
