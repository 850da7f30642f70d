"""Which tables an archive has, in the order in which one refers to another, and what their columns hold.

The columns are read from the models, so that a new one is in the archive the day it is added. An archive of
an older version lacks it, and gets the default; one of a newer version has what is not known here, and is
refused: nothing of a course is dropped without a word.

Not in it: what belongs to the instance (accounts' passwords and sessions, tokens, webhooks, mail, quotas),
random keys (addresses of the copy are its own), who answered the survey, which nobody is to learn, and what
is put together again from the rest (`PreparedFeedback`).
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models import Field, Model, QuerySet

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import AllocationRun, Report, Review
from peerage_web.classes.announcements.models import Announcement
from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.assignments.models import Assignment, Extension, FeedbackPrompt, Team, TeamMember
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.grading.models import (
    GradingPlan,
    GradingRun,
    Override,
    RunGrade,
    RunReviewer,
    StaffGrade,
    StaffRanking,
)
from peerage_web.classes.practice.models import PracticeAnswer, PracticeExample
from peerage_web.classes.release.models import (
    CommentReport,
    Helpfulness,
    HiddenComment,
    Release,
    ReleasedGrade,
    Reply,
)
from peerage_web.classes.reviewing.models import Comment, Ranking, SelfReview, SubmittedRanking
from peerage_web.classes.rubrics.models import ChosenLevel, RubricCriterion, RubricLevel
from peerage_web.classes.submissions.models import Submission, SubmissionFile, SubmissionVersion
from peerage_web.classes.survey.models import Survey, SurveyQuestion

FORMAT = "peerage-course"
FORMAT_VERSION = 1  # another one where the same column means something else
PEOPLE = "Person"
# model, and how its rows are found from the course
TABLES: tuple[tuple[type[Model], str], ...] = (
    (Course, "pk"),
    (Membership, "course"),
    (Assignment, "course"),
    (Announcement, "course"),
    (FeedbackPrompt, "assignment__course"),
    (RubricCriterion, "assignment__course"),
    (RubricLevel, "criterion__assignment__course"),
    (Extension, "assignment__course"),
    (Team, "assignment__course"),
    (TeamMember, "assignment__course"),
    (Submission, "assignment__course"),
    (SubmissionVersion, "submission__assignment__course"),
    (SubmissionFile, "version__submission__assignment__course"),
    (AllocationRun, "assignment__course"),
    (Review, "assignment__course"),
    (Report, "review__assignment__course"),
    (Ranking, "assignment__course"),
    (SubmittedRanking, "ranking__assignment__course"),
    (Comment, "review__assignment__course"),
    (ChosenLevel, "review__assignment__course"),
    (PracticeExample, "assignment__course"),
    (PracticeAnswer, "assignment__course"),
    (GradingPlan, "assignment__course"),
    (StaffGrade, "submission__assignment__course"),
    (StaffRanking, "assignment__course"),
    (GradingRun, "assignment__course"),
    (RunGrade, "run__assignment__course"),
    (RunReviewer, "run__assignment__course"),
    (Override, "submission__assignment__course"),
    (Release, "assignment__course"),
    (ReleasedGrade, "release__assignment__course"),
    (Helpfulness, "review__assignment__course"),
    (CommentReport, "review__assignment__course"),
    (HiddenComment, "comment__review__assignment__course"),
    (Appeal, "assignment__course"),
    (Reply, "submission__assignment__course"),
    (SelfReview, "submission__assignment__course"),
    (Survey, "assignment__course"),
    (SurveyQuestion, "assignment__course"),
    (Event, "course"),
)
MODELS: dict[str, type[Model]] = {model.__name__: model for model, _path in TABLES}
LEFT_OUT = {  # what another instance makes for itself, or must not be told
    "Course": {"key", "hidden_at", "delete_at", "most_bytes", "digest_until"},
    "Membership": {"invited_at"},
    "Assignment": {"key", "copied_from"},
    "SubmissionFile": {"stored", "state", "pages", "problem", "disk_bytes", "making_since", "attempts"},
    "Review": {"key"},
    "PracticeExample": {"key", "stored", "pages"},
    "GradingRun": {"key", "job"},
    "ReleasedGrade": {"notified_at"},
    "Appeal": {"key"},
}
# numbers of rows inside of JSON: lists of lists of them, or under these names
IN_LISTS = {
    ("SubmittedRanking", "tiers"): "Review",
    ("StaffRanking", "tiers"): "Submission",
    ("PracticeAnswer", "tiers"): "PracticeExample",
}
UNDER_NAMES = {
    ("SubmittedRanking", "comments"): {"review": "Review", "prompt": "FeedbackPrompt"},
    ("SubmittedRanking", "levels"): {
        "review": "Review",
        "criterion": "RubricCriterion",
        "level": "RubricLevel",
    },
    ("AllocationRun", "quality"): {"anchors": "Submission"},
}


def rows_of(model: type[Model], path: str, course: Course) -> QuerySet[Any]:
    """Every row of the course, in the order in which they were made."""
    rows: QuerySet[Any] = model._base_manager.filter(**{path: course.pk}).order_by("pk")
    if model is GradingRun:  # one that is not done has said nothing yet
        rows = rows.filter(drawn_at__isnull=False)
    return rows


def columns_of(model: type[Model]) -> list[Field[Any, Any]]:
    """What is written of a row."""
    left_out = LEFT_OUT.get(model.__name__, set())
    fields = model._meta.concrete_fields
    return [field for field in fields if not field.primary_key and field.name not in left_out]


def schema() -> dict[str, dict[str, dict[str, Any]]]:
    """The tables as plain data, for the child that reads an archive."""
    people = {
        "email": {"kind": "text", "most": 254, "null": False, "choices": None},
        "name": {"kind": "text", "most": 200, "null": False, "choices": None},
        "language": {"kind": "text", "most": 10, "null": False, "choices": None},
        "erased": {"kind": "bool", "null": False},
    }
    return {PEOPLE: people} | {
        model.__name__: {field.name: column(field) for field in columns_of(model)} for model, _path in TABLES
    }


def column(field: Field[Any, Any]) -> dict[str, Any]:
    """What one column holds."""
    if isinstance(field, models.ForeignKey):
        target = field.related_model
        name = PEOPLE if target is Person else str(getattr(target, "__name__", target))
        return {"kind": "ref", "to": name, "null": field.null}
    kinds: tuple[tuple[type[Field[Any, Any]], str], ...] = (
        (models.BooleanField, "bool"),
        (models.FloatField, "float"),
        (models.DateTimeField, "moment"),
        (models.JSONField, "json"),
        (models.IntegerField, "int"),
        (models.CharField, "text"),
        (models.TextField, "text"),
    )
    kind = next(name for of, name in kinds if isinstance(field, of))
    choices = [str(value) for value, _label in field.flatchoices] if kind == "text" else []
    if field.blank and choices:
        choices.append("")
    found = {"kind": kind, "null": field.null, "most": field.max_length, "choices": choices or None}
    if kind == "int":  # as the strictest database has it: SQLite would take everything
        found["range"] = BaseDatabaseOperations.integer_field_ranges[field.get_internal_type()]
    if kind == "json":
        found["shape"] = "object" if field.get_default() == {} else "list"
    return found
