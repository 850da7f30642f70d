"""Mail that is to be sent, and what became of it."""

from __future__ import annotations

from django.db import models

from peerage_web.accounts.models.people import Person


class Mail(models.Model):
    """One message to one person; written with what caused it, sent by maintenance, kept as a record.

    `once` makes a message single: a second one with the same words there is not queued. Digests and
    reminders use it, so that nothing that runs twice sends twice.
    """

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="mail")
    kind = models.CharField(max_length=40)  # the template it was made from
    about = models.CharField(max_length=64, blank=True, db_index=True)  # such as "course 7"
    once = models.CharField(max_length=200, null=True, blank=True, unique=True)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    language = models.CharField(max_length=10)
    created_at = models.DateTimeField(auto_now_add=True)
    not_before = models.DateTimeField(db_index=True)
    sent_at = models.DateTimeField(null=True, blank=True, db_index=True)
    given_up_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    problem = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["not_before", "pk"]
        verbose_name_plural = "mail"

    def __str__(self) -> str:
        return f"mail {self.pk} ({self.kind})"
