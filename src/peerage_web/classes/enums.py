"""Roles and phases: the words that rules, models and pages share."""

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

    SUBMISSION = "submission", _("submission")
    REVIEWS = "reviews", _("reviews")
    OPENED = "opened", _("reviews that have just opened")


class SubmissionState(models.TextChoices):
    NONE = "none", _("Nothing yet")
    DRAFT = "draft", _("Uploaded, not submitted")
    SUBMITTED = "submitted", _("Submitted")


class Standing(models.TextChoices):
    NOTHING = "nothing", _("Nothing to review")
    NOT_BEGUN = "not-begun", _("Not started")
    BEGUN = "begun", _("In progress")
    FINISHED = "finished", _("Submitted")


STAFF = frozenset({Role.INSTRUCTOR, Role.ASSISTANT})
MEMBERS = frozenset({Role.INSTRUCTOR, Role.ASSISTANT, Role.STUDENT, Role.OBSERVER})
ORDER = tuple(Phase)
# what several features ask of a phase; a new phase is put into those it belongs to
ALLOCATED = frozenset({Phase.REVIEWING, Phase.CLOSED, Phase.RELEASED})
REVIEWED = frozenset({Phase.CLOSED, Phase.RELEASED})
GRADES_SHOWN = frozenset({Phase.RELEASED})
