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

    SETUP = "setup", _("Setting up")
    SUBMITTING = "submitting", _("Handing in")
    ALLOCATING = "allocating", _("Allocating")
    REVIEWING = "reviewing", _("Reviewing")
    CLOSED = "closed", _("Reviews are in")
    RELEASED = "released", _("Grades are out")


class Task(models.TextChoices):
    """What somebody has to do in an assignment, by a date of its own."""

    WORK = "work", _("the work")
    REVIEWS = "reviews", _("the reviews")


class WorkState(models.TextChoices):
    """How far somebody's work is."""

    NONE = "none", _("Nothing yet")
    DRAFT = "draft", _("Uploaded, not handed in")
    HANDED_IN = "handed-in", _("Handed in")


class Standing(models.TextChoices):
    """How far somebody is with their reviews."""

    NOTHING = "nothing", _("Nothing to review")
    NOT_BEGUN = "not-begun", _("Not begun")
    BEGUN = "begun", _("Begun")
    FINISHED = "finished", _("Handed in")


STAFF = frozenset({Role.INSTRUCTOR, Role.ASSISTANT})
MEMBERS = frozenset({Role.INSTRUCTOR, Role.ASSISTANT, Role.STUDENT, Role.OBSERVER})
ORDER = tuple(Phase)
