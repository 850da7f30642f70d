"""Where somebody is signed in."""

from __future__ import annotations

from django.db import models

from peerage_web.accounts.models.people import Person


class SignIn(models.Model):
    """One browser in which a person is signed in; taking it away signs that browser out at once."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="sign_ins")
    session_key = models.CharField(max_length=40, unique=True)
    browser = models.CharField(max_length=60, blank=True)  # in words, such as "Firefox on Linux"
    began_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField()  # to the hour: no diary

    class Meta:
        ordering = ["-seen_at", "-pk"]

    def __str__(self) -> str:
        return f"sign-in {self.pk}"
