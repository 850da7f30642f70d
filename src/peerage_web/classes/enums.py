"""Roles and phases: the words that rules, models and pages share."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What somebody is in a course. Whoever dropped it keeps what they did, and sees nothing."""

    INSTRUCTOR = "instructor", _("Instructor")
    ASSISTANT = "assistant", _("Assistant")
    STUDENT = "student", _("Student")
    OBSERVER = "observer", _("Observer")
    DROPPED = "dropped", _("Dropped")


class Phase(models.TextChoices):
    """Where an assignment stands; see `phases` for the ways from one to the next."""

    SETUP = "setup", _("Set-up")
    SUBMITTING = "submitting", _("Submission")
    ALLOCATING = "allocating", _("Allocation")
    REVIEWING = "reviewing", _("Review")
    CLOSED = "closed", _("Closed")
    RELEASED = "released", _("Released")


class Task(models.TextChoices):
    """What somebody has to do in an assignment, by a date of its own."""

    WORK = "work", _("submission")
    REVIEWS = "reviews", _("reviews")


class WorkState(models.TextChoices):
    """How far somebody's work is."""

    NONE = "none", _("Nothing yet")
    DRAFT = "draft", _("Uploaded, not submitted")
    HANDED_IN = "handed-in", _("Submitted")


class Standing(models.TextChoices):
    """How far somebody is with their reviews."""

    NOTHING = "nothing", _("Nothing to review")
    NOT_BEGUN = "not-begun", _("Not started")
    BEGUN = "begun", _("In progress")
    FINISHED = "finished", _("Submitted")


STAFF = frozenset({Role.INSTRUCTOR, Role.ASSISTANT})
MEMBERS = frozenset({Role.INSTRUCTOR, Role.ASSISTANT, Role.STUDENT, Role.OBSERVER})
ORDER = tuple(Phase)
