"""Deleting a whole course: every row that is part of it, its files, and people who were in nothing else."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.models import ProtectedError
from django.db.models.functions import Now

from peerage_web.accounts.models import Mail, Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Course, Membership, RosterImport
from peerage_web.classes.enums import Role
from peerage_web.classes.erasure.services import erase_person
from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.submissions.models import Submission, SubmissionFile
from peerage_web.files.models import Job
from peerage_web.files.services.jobs import delete_job
from peerage_web.files.services.storage import checkpoint_sqlite

Paths = dict[type[models.Model], str]


def delete_course(*, course: Course, by: Person | None) -> None:
    """Everything of it, for good; that it was deleted, and how much it was, stays in the activity log.

    Rows go in one transaction, and files after it: whoever dies in between leaves folders without a row and
    jobs whose time is up, both of which maintenance deletes.
    """
    number, name = course.pk, course.name
    with transaction.atomic():
        folders = [file.folder for file in _files(course)] + [roster.folder for roster in _rosters(course)]
        folders += [SubmissionFile(stored=stored).folder for stored in _examples(course)]
        jobs = list(Job.objects.filter(grading_run__assignment__course=course))
        members = list(Membership.objects.filter(course=course).select_related("person"))
        submissions = Submission.objects.filter(assignment__course=course).count()
        _delete_rows(course)
        Job.objects.filter(pk__in=[job.pk for job in jobs]).update(expires_at=Now())
        Mail.objects.filter(about=f"course {number}").delete()
        for member in members:
            if member.role in (Role.STUDENT, Role.DROPPED):
                _delete_person(member.person)
        record("course-deleted", by=by, title=name, people=len(members), count=submissions)
        transaction.on_commit(lambda: _delete_files(folders, jobs))


def _delete_files(folders: list[Path], jobs: list[Job]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    for job in jobs:
        delete_job(job=job)
    checkpoint_sqlite()


def _files(course: Course) -> list[SubmissionFile]:
    return list(SubmissionFile.objects.filter(version__submission__assignment__course=course))


def _rosters(course: Course) -> list[RosterImport]:
    return list(RosterImport.objects.filter(course=course))


def _examples(course: Course) -> list[str]:
    examples = PracticeExample.objects.filter(assignment__course=course).exclude(stored="")
    return list(examples.values_list("stored", flat=True))


def _delete_rows(course: Course) -> None:
    """What hangs from something goes before it; what points here from elsewhere points nowhere then."""
    paths = paths_to_course()
    for model, field in _loose(paths):
        path = f"{field.name}__{paths[field.related_model]}"
        model._base_manager.filter(**{path: course.pk}).update(**{field.name: None})
    for model, path in sorted(paths.items(), key=lambda item: -item[1].count("__")):
        rows = model._base_manager.filter(**{path: course.pk})
        rows._raw_delete(rows.db)  # the activity log deletes nothing, and PROTECT is meant for single rows


def paths_to_course() -> Paths:
    """Every model that is part of a course, and the way from it to the course's number.

    By fields that are always filled where there are such, for through one that is empty nothing is found.
    """
    paths: Paths = {Course: "pk"}
    while True:
        ways = [way for way in _ways(paths) if not way[1].null] or _ways(paths)
        if not ways:
            return paths
        shortest = min(paths[field.related_model].count("__") for _model, field in ways)
        for model, field in ways:
            if model not in paths and paths[field.related_model].count("__") == shortest:
                paths[model] = f"{field.name}__{paths[field.related_model]}"


def _ways(paths: Paths) -> list[tuple[type[models.Model], Any]]:
    """Fields of models that have no path yet, to models that have one."""
    return [
        (model, field)
        for model, field in _to(paths)
        if model not in paths and field.remote_field.on_delete is not models.SET_NULL
    ]


def _loose(paths: Paths) -> list[tuple[type[models.Model], Any]]:
    """Fields that are emptied when what they point to is deleted."""
    return [(model, field) for model, field in _to(paths) if field.remote_field.on_delete is models.SET_NULL]


def _to(paths: Paths) -> Iterator[tuple[type[models.Model], Any]]:
    """Every field of ours that points to a model with a path."""
    for model in apps.get_app_config("peerage_web").get_models(include_auto_created=True):
        fields: tuple[Any, ...] = tuple(model._meta.concrete_fields)
        for field in fields:
            if field.is_relation and field.related_model in paths:
                yield model, field


def _delete_person(person: Person) -> None:
    """Who is in no other course and runs nothing has no account without it."""
    keeps = person.is_operator or person.may_create_courses or Job.objects.filter(owner=person).exists()
    if keeps or Membership.objects.filter(person=person).exists():
        return
    try:
        with transaction.atomic():
            person.delete()
    except ProtectedError:  # an entry of the activity log that belongs to no course
        erase_person(person)
