"""The practice round: examples that staff have ranked; students rank them and see at once what staff say."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.keys import secret_key
from peerage_web.classes.practice.models import PracticeAnswer, PracticeExample
from peerage_web.classes.practice.queries import PracticeSheet, labelled, practice_of
from peerage_web.classes.reviewing.ranking_input import Tiers, Unreadable
from peerage_web.classes.submissions.copies import (
    CannotMakeError,
    make_copy,
    problem_in_words,
    stored_problem,
)
from peerage_web.classes.submissions.storage import HEAD, kind_of
from peerage_web.sandbox.contract.errors import DiskFullError, KilledError, OutOfTimeError
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Full, Refused
from peerage_web.shared.services.disk import has_disk_space
from peerage_web.shared.services.sandbox_slots import ask_sandbox

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile


FEWEST = 2  # examples; one alone has no order
MOST = 20


def is_offered(assignment: Assignment) -> bool:
    """Whether students have a practice round: staff want one, and there are examples to rank."""
    return assignment.practice != "none" and assignment.practice_examples.count() >= FEWEST


def stands_before_reviewing(assignment: Assignment, member: Membership) -> bool:
    """The one rule: where practice is required, a student reviews only after they have finished it.

    It holds for students, not for staff; and not where there is nothing to practise with.
    """
    if assignment.practice != "required" or member.role != Role.STUDENT or not is_offered(assignment):
        return False
    done = PracticeAnswer.objects.filter(assignment=assignment, membership=member, finished_at__isnull=False)
    return not done.exists()


def practice_state(assignment: Assignment, member: Membership) -> dict[str, bool]:
    done = PracticeAnswer.objects.filter(assignment=assignment, membership=member, finished_at__isnull=False)
    offered = is_offered(assignment)
    return {"offered": offered, "finished": offered and done.exists()}


def save_practice(*, assignment: Assignment, member: Membership, tiers: Tiers) -> PracticeSheet:
    """Keep how somebody ranks the examples; the newest holds, for nothing hangs on it."""
    with exclusively(f"practice {assignment.pk} {member.pk}"):
        examples = labelled(assignment, member)
        if {label for tier in tiers for label in tier} - examples.keys():
            raise Unreadable(_("The examples have changed. Reload the page."))
        kept, _made = PracticeAnswer.objects.get_or_create(assignment=assignment, membership=member)
        kept.tiers = [[examples[label].pk for label in tier] for tier in tiers]
        kept.version += 1
        kept.save()
    return practice_of(assignment, member)


def finish_practice(*, assignment: Assignment, member: Membership, by: Person) -> None:
    """All examples have a place; whether it is the one staff gave is not the question."""
    with exclusively(f"practice {assignment.pk} {member.pk}"):
        sheet = practice_of(assignment, member)
        if not sheet.items or sheet.unranked:
            raise Refused(_("Rank every example first."))
        kept = PracticeAnswer.objects.filter(assignment=assignment, membership=member, finished_at=None)
        if kept.update(finished_at=timezone.now()):
            record("practice-finished", by=by, assignment=assignment, subject=member)


# -- what staff do ------------------------------------------------------------------------------------------


def add_example(*, assignment: Assignment, by: Person, **fields: object) -> PracticeExample:
    with exclusively(f"examples {assignment.pk}"):
        there = assignment.practice_examples.aggregate(last=Max("position"))["last"]
        if assignment.practice_examples.count() >= MOST:
            raise Refused(_("A practice round can have at most %(most)d examples.") % {"most": MOST})
        example = PracticeExample.objects.create(
            assignment=assignment, position=0 if there is None else there + 1, **fields
        )
        _record(assignment, by)
    return example


def change_example(*, example: PracticeExample, by: Person, **fields: object) -> None:
    """What students have answered stays; it is compared with the new place. A new file replaces the old."""
    before = example.stored
    with transaction.atomic():
        for name, value in fields.items():
            setattr(example, name, value)
        example.save()
        _record(example.assignment, by)
    if example.stored != before:
        forget_file(before)


def remove_example(*, example: PracticeExample, by: Person) -> None:
    """It leaves the order of everybody who has ranked it."""
    with transaction.atomic():
        assignment = example.assignment
        example.delete()
        _record(assignment, by)
    forget_file(example.stored)


def _record(assignment: Assignment, by: Person) -> None:
    record("practice-changed", by=by, assignment=assignment, count=assignment.practice_examples.count())


# -- The file of an example: kept and shown as submissions are; whoever uploads it waits for its copy


MEGABYTE = 1 << 20
SECONDS = 30.0  # for which staff wait


def folder_of(example: PracticeExample) -> Path:
    folder: Path = settings.SUBMISSIONS / example.stored
    return folder


def keep_file(*, upload: UploadedFile[bytes], visitor: str) -> dict[str, object]:
    """The fields of an example with this file; Refused where it cannot be shown."""
    if (upload.size or 0) > settings.LIMITS.file_bytes:
        most = settings.LIMITS.file_bytes // MEGABYTE
        raise Refused(_("The file is larger than %(most)d MB. Choose a smaller one.") % {"most": most})
    if not has_disk_space():
        raise Full(_("This site has no space for more files right now. Try again later."))
    kind = kind_of(upload.read(HEAD), upload.name or "", list(Assignment.Kind.values))
    upload.seek(0)
    if kind is None:
        raise Refused(_("An example must be a PDF, an image or text."))
    stored = secret_key()
    folder: Path = settings.SUBMISSIONS / stored
    try:
        pages = _make(folder, upload, kind, visitor)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return {"stored": stored, "kind": kind, "pages": pages}


def _make(folder: Path, upload: UploadedFile[bytes], kind: str, visitor: str) -> int:
    folder.mkdir(parents=True, mode=0o700)
    with (folder / "original").open("wb") as kept:
        for chunk in upload.chunks():
            kept.write(chunk)
    try:
        copy = make_copy(
            folder=folder, kind=kind, run=partial(ask_sandbox, visitor=visitor, cost=1.0, seconds=SECONDS)
        )
    except CannotMakeError as error:
        raise Refused(problem_in_words(str(error))) from None
    except (OutOfTimeError, KilledError, DiskFullError):
        raise Refused(problem_in_words(stored_problem("time"))) from None
    return len(copy.pictures)


def forget_file(stored: str) -> None:
    """After its row; what is left behind, maintenance finds."""
    if stored:
        shutil.rmtree(settings.SUBMISSIONS / stored, ignore_errors=True)
