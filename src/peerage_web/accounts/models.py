"""People, how they prove who they are, what they hold, and the mail they get."""

from __future__ import annotations

import unicodedata
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext


class PersonManager(BaseUserManager["Person"]):
    """Finds people by their address, however it is written."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> Person:
        """Somebody new; without a password, nobody can sign in as them before a link was used."""
        person = self.model(email=normalize_address(email), **fields)
        person.set_password(password)
        person.save()
        return person

    def get_by_natural_key(self, username: str | None) -> Person:
        return self.get(email=normalize_address(username or ""))


def normalize_address(email: str) -> str:
    """An address as it is kept: in small letters, full-width ones as plain ones, without blanks around it."""
    return unicodedata.normalize("NFKC", email).strip().lower()


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
        if self.erased_at is not None:
            return gettext("Erased person")
        if self.name or not self.is_from_elsewhere:
            return self.name or self.email
        return gettext("Person %(number)d (no name)") % {"number": self.pk}

    @property
    def is_from_elsewhere(self) -> bool:
        """Whether they have no address to sign in with: a learning platform signs them in."""
        return self.email.endswith(ELSEWHERE)

    @property
    def shown_address(self) -> str:
        """Their address, for people who may see it; empty where none is known."""
        return self.mail_to if self.is_from_elsewhere else self.email

    def get_full_name(self) -> str:
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


class SignIn(models.Model):
    """One browser in which a person is signed in; taking it away signs that browser out at once."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="sign_ins")
    session_key = models.CharField(max_length=40, unique=True)
    browser = models.CharField(max_length=60, blank=True)  # in words, such as "Firefox on Linux"
    began_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField()  # to the hour: no diary

    class Meta:
        ordering = ["-seen_at", "-pk"]


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
        EMAIL = "email", "changes the address"

    kind = models.CharField(max_length=12, choices=Kind)
    email = models.CharField(max_length=254, blank=True)  # the new address, which the link was sent to
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
                name="token_of_a_course_has_a_author",
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


class Mail(models.Model):
    """One message to one person; written with what caused it, sent by maintenance, kept as a record.

    `once` makes a message single: a second one with the same words there is not queued. Digests and
    reminders use it, so that nothing that runs twice sends twice.
    """

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="mail")
    kind = models.CharField(max_length=40)  # the template it was made from
    to = models.CharField(max_length=254, blank=True)  # another address than theirs: a new or an old one
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
