"""A person, and the ways in which the world knows that it is this one."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext


class PersonManager(BaseUserManager["Person"]):
    """Finds people by their address, however it is written."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> Person:
        """Somebody new; without a password, nobody can sign in as them before a link was used."""
        person = self.model(email=plain_address(email), **fields)
        person.set_password(password)
        person.save()
        return person

    def get_by_natural_key(self, username: str | None) -> Person:
        """Who signs in with this."""
        return self.get(email=plain_address(username or ""))


def plain_address(email: str) -> str:
    """An address as it is kept: without blanks around it, in small letters."""
    return email.strip().lower()


ELSEWHERE = "@elsewhere.invalid"  # what stands for the address of somebody who signs in elsewhere


class Person(AbstractBaseUser):
    """Somebody who may sign in with an e-mail address and a password (Argon2).

    Roles belong to courses (see `classes`). Whoever is erased stays as a row without name and address, so
    that judgements and the record still hang together.
    """

    email = models.CharField(max_length=254, unique=True)  # in small letters; what they sign in with
    name = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=10, blank=True)  # empty: the browser says which
    # where mail goes, for somebody whom only a learning platform knows: it opens nothing, for that platform's
    # word is all that says whose it is
    mail_to = models.CharField(max_length=254, blank=True)
    is_active = models.BooleanField(default=True)
    is_operator = models.BooleanField(default=False)  # runs this instance; the first account is one
    may_create_courses = models.BooleanField(default=False)
    wants_reminders = models.BooleanField(default=True)  # mail that is not needed to sign in or to take part
    # opens the calendar of one's deadlines without a sign-in; made when asked for, changed when taken back
    calendar_key = models.CharField(max_length=64, null=True, blank=True, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = []

    objects = PersonManager()

    class Meta:
        ordering = ["email"]
        constraints = [
            models.CheckConstraint(name="address_in_small_letters", condition=models.Q(email=Lower("email")))
        ]

    def __str__(self) -> str:
        return f"person {self.pk}"  # never the address: this is what logs show

    @property
    def shown_name(self) -> str:
        """What pages call them."""
        if self.erased_at is not None:
            return gettext("Erased person")
        if self.name or not self.is_from_elsewhere:
            return self.name or self.email
        return gettext("Person %(number)d, without a name") % {"number": self.pk}

    @property
    def is_from_elsewhere(self) -> bool:
        """Whether they have no address to sign in with: a learning platform signs them in."""
        return self.email.endswith(ELSEWHERE)

    @property
    def shown_address(self) -> str:
        """Their address, for people who may see it; empty where none is known."""
        return self.mail_to if self.is_from_elsewhere else self.email

    def get_full_name(self) -> str:
        """As Django's own models have it."""
        return self.shown_name


class Identity(models.Model):
    """One way of knowing a person again: an address that was confirmed, an account of a learning platform.

    LTI and single sign-on add rows of their own issuer (a registration, an identity provider) here; the
    subject is what that issuer calls the person, never an e-mail address that it mentions beside it.
    """

    EMAIL = "email"  # the issuer of addresses that a link was sent to and used from

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="one_person_per_identity"),
        ]

    def __str__(self) -> str:
        return f"identity {self.pk}"
