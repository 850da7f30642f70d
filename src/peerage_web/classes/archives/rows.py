"""Rows of an archive become rows here, table by table, each reference under its new number."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Model
from django.utils import timezone

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.users import get_or_create_person
from peerage_web.classes.archives.tables import IN_LISTS, PEOPLE, TABLES, UNDER_NAMES, columns_of
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.keys import secret_key
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.files.models import Job

AT_ONCE = 300
IMPORTED = " (imported)"  # after the version of a run, which this instance has not made
Numbers = dict[str, dict[int, int]]  # table to old number to new number
Row = dict[str, Any]


class Rows:
    """`course` is the new one; `files` are rows that need their file, by their old number.

    `examples` says where files of the practice round are kept already, and how many pages they have.
    """

    def __init__(
        self, tables: Mapping[str, list[Row]], by: Person, examples: Mapping[int, tuple[str, int]]
    ) -> None:
        self.tables, self.by, self.examples = tables, by, examples
        self.numbers: Numbers = {}
        self.files: dict[int, SubmissionFile] = {}
        self.course: Course

    def make(self) -> None:
        """All of them; ValueError or an error of the database where they do not hold together."""
        if len(self.tables.get("Course", [])) != 1:
            raise ValueError("an archive has one course")
        self.numbers[PEOPLE] = {row["id"]: self._person(row).pk for row in self.tables.get(PEOPLE, [])}
        for model, _path in TABLES:
            self._table(model)
        self.course = Course.objects.get(pk=next(iter(self.numbers["Course"].values())))
        self._let_in()

    def _person(self, row: Row) -> Person:
        if row["erased"]:
            return Person.objects.create(
                email=f"erased-{secrets.token_hex(8)}@invalid",
                password="!",
                is_active=False,
                erased_at=timezone.now(),
            )
        return get_or_create_person(email=row["email"], name=row.get("name", ""))

    def _table(self, model: type[Model]) -> None:
        name = model.__name__
        rows = self.tables.get(name, [])
        self.numbers[name] = {}
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            instances = [self._one(model, row) for row in part]
            model._base_manager.bulk_create(instances)
            self.numbers[name] |= {
                row["id"]: instance.pk for row, instance in zip(part, instances, strict=True)
            }
            self._set_times(model, part, instances)
            self._remember(part, instances)
        self._set_own_references(model, rows)

    def _one(self, model: type[Model], row: Row) -> Any:
        """A row that is not saved yet; what an older version did not write gets the default."""
        instance: Any = model()
        for field in columns_of(model):
            if field.name not in row:
                continue
            value = row[field.name]
            if isinstance(field, models.ForeignKey):
                if field.related_model is not model:
                    setattr(instance, field.attname, self._new(field, value))
            else:
                setattr(instance, field.attname, self._value(model.__name__, field, value))
        adjust = ADJUST.get(model.__name__)
        if adjust is not None:
            adjust(instance, row, self)
        return instance

    def _new(self, field: models.ForeignKey[Any, Any], old: int | None) -> int | None:
        target = field.related_model
        name = PEOPLE if target is Person else str(getattr(target, "__name__", target))
        return None if old is None else self.numbers[name][old]

    def _value(self, table: str, field: models.Field[Any, Any], value: Any) -> Any:
        if value is None:
            return None
        if isinstance(field, models.DateTimeField):
            return datetime.fromisoformat(value)
        if (table, field.name) in IN_LISTS:
            numbers = self.numbers[IN_LISTS[table, field.name]]
            return [[numbers[old] for old in place] for place in value]
        if (table, field.name) in UNDER_NAMES:
            return self._renamed(UNDER_NAMES[table, field.name], value)
        return value

    def _renamed(self, names: Mapping[str, str], value: Any) -> Any:
        """Numbers under these names, in an object or in a list of them."""
        if isinstance(value, list):
            return [self._renamed(names, entry) for entry in value]
        return {
            name: self._number(names[name], part) if name in names else part for name, part in value.items()
        }

    def _number(self, table: str, value: Any) -> Any:
        if isinstance(value, list):
            return [self._number(table, entry) for entry in value]
        return None if value is None else self.numbers[table][value]

    @staticmethod
    def _set_times(model: type[Model], rows: list[Row], instances: list[Any]) -> None:
        """Fields that Django fills with the present moment get what the archive says."""
        own = [
            field
            for field in columns_of(model)
            if isinstance(field, models.DateTimeField) and (field.auto_now or field.auto_now_add)
        ]
        for field in own:
            for row, instance in zip(rows, instances, strict=True):
                if row.get(field.name) is not None:
                    setattr(instance, field.attname, datetime.fromisoformat(row[field.name]))
        if own:
            models.QuerySet(model).bulk_update(instances, [field.name for field in own])

    def _set_own_references(self, model: type[Model], rows: list[Row]) -> None:
        """From row to row of one table, once all of them are there."""
        for field in columns_of(model):
            if field.related_model is model:
                numbers = self.numbers[model.__name__]
                for row in rows:
                    if row.get(field.name) is not None:
                        own: Any = models.QuerySet(model).filter(pk=numbers[row["id"]])
                        own.update(**{field.attname: numbers[row[field.name]]})

    def _remember(self, rows: list[Row], instances: list[Any]) -> None:
        for row, instance in zip(rows, instances, strict=True):
            if isinstance(instance, SubmissionFile):
                self.files[row["id"]] = instance

    def _let_in(self) -> None:
        """Whoever imports a course is an instructor of it."""
        place, is_new = Membership.objects.get_or_create(
            course=self.course,
            person=self.by,
            defaults={"role": Role.INSTRUCTOR, "name": self.by.name},
        )
        if not is_new and place.role != Role.INSTRUCTOR:
            place.role, place.dropped_at = Role.INSTRUCTOR, None
            place.save(update_fields=["role", "dropped_at"])


# -- what is different in a copy -----------------------------------------------------------------------


def _assignment(assignment: Any, row: Row, rows: Rows) -> None:
    """Dates have passed, or would move it on and write to people who know nothing of it."""
    assignment.by_date, assignment.remind_hours = False, 0
    assignment.most_bytes = max(1, min(assignment.most_bytes, settings.LIMITS.file_bytes))


def _receipt(instance: Any, row: Row, rows: Rows) -> None:
    """As on the paper that somebody has, unless this instance has given it out itself."""
    if type(instance)._base_manager.filter(receipt=instance.receipt).exists():
        instance.receipt = secret_key()


def _example(example: Any, row: Row, rows: Rows) -> None:
    example.stored, example.pages = rows.examples.get(row["id"], ("", 0))
    example.kind = example.kind if example.stored else ""


def _run(run: GradingRun, row: Row, rows: Rows) -> None:
    """Its job is over; what it wrote stayed where it was."""
    run.version = run.version[: 40 - len(IMPORTED)] + IMPORTED
    run.job = Job.objects.create(
        visitor="imported",
        origin="class",
        expires_at=None,
        state=Job.State.DONE,
        attempt=1,
        file_name="feedback.csv",
        summary={},
    )


def _notified(instance: Any, row: Row, rows: Rows) -> None:
    instance.notified_at = timezone.now()  # nobody gets mail about grades of a copy


ADJUST: dict[str, Callable[[Any, Row, Rows], None]] = {
    "Assignment": _assignment,
    "SubmissionVersion": _receipt,
    "SubmittedRanking": _receipt,
    "PracticeExample": _example,
    "GradingRun": _run,
    "ReleasedGrade": _notified,
}
