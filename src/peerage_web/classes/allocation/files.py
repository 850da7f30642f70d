"""Who reviews whom as a file: out with names for staff, in with a preview, and only where nothing is lost."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl
from django.conf import settings
from django.core import signing
from django.utils.translation import gettext as _

from peerage.writing.spreadsheet import neutralise
from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.matrix import all_entries, author_name
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.allocation.queries import allocation_input, begun_by, current_allocation
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import STAFF, Phase, Role
from peerage_web.classes.reassignment.lists import AT_ONCE, add_reviews, locked_lists, new_run
from peerage_web.classes.submissions.models import Submission
from peerage_web.classes.texts import HOW_FAR
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.sandbox.contract.jobs import JobFiles, safe_name
from peerage_web.sandbox.work.allocation import read_allocation_file
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.rate_limits import refuse_too_many_uploads
from peerage_web.shared.services.sandbox_slots import ask_sandbox

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile


SALT = "peerage.allocation-file"
LASTS = 24 * 3600  # seconds between preview and commit
SHOWN = 200  # errors
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What a file would change: pairs of reviewer and submission."""

    add: list[Pair] = field(default_factory=list)
    remove: list[Pair] = field(default_factory=list)
    same: int = 0
    errors: list[str] = field(default_factory=list)


# -- out -------------------------------------------------------------------------------------------------


def allocation_file(*, assignment: Assignment) -> bytes:
    """CSV, for staff: one line per review; text that a spreadsheet would run as a formula is neutralised."""
    people = {
        member.pk: member
        for member in Membership.objects.filter(course=assignment.course_id).select_related("person")
    }
    submissions = {
        submission.pk: submission
        for submission in Submission.objects.filter(assignment=assignment).select_related(
            "author__person", "team"
        )
    }
    rows = [
        {
            "grader": people[entry.reviewer].person.email,
            "item": _item_word(submissions[entry.submission]),
            "label": entry.label,
            "how_far": str(HOW_FAR[entry.how_far]),
            "name": people[entry.reviewer].shown_name,
            "section": people[entry.reviewer].section,
            "made_by": author_name(submissions[entry.submission]),
        }
        for entry in all_entries(assignment)
    ]
    columns = ("grader", "item", "label", "how_far", "name", "section", "made_by")
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String))
    return neutralise(table).write_csv().encode()


def _item_word(submission: Submission) -> str:
    return submission.author.person.email if submission.author is not None else author_name(submission)


# -- in --------------------------------------------------------------------------------------------------


def read_upload(*, upload: UploadedFile[bytes], by: Person) -> list[tuple[str, str]]:
    """Pairs of words in an uploaded file, read behind walls; Refused with what is wrong with it."""
    refuse_too_many_uploads(visitor=f"person {by.pk}")
    folder = settings.ROSTERS / f"lists-{secrets.token_hex(12)}"  # what a crash leaves, maintenance finds
    name = safe_name(upload.name or "", (), "allocation.csv")
    try:
        (folder / "input").mkdir(parents=True, mode=0o700)
        with (folder / "input" / name).open("wb") as file:
            for chunk in upload.chunks():
                file.write(chunk)
        answer = ask_sandbox(read_allocation_file, JobFiles(str(folder), name), visitor=f"person {by.pk}")
    except SandboxError as error:
        answer = {"rows": [], "problem": describe_problem(error)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if answer["problem"] is not None:
        raise Refused(str(answer["problem"]["detail"]))
    return [(str(grader), str(item)) for grader, item in answer["rows"]]


def changes_of(*, assignment: Assignment, words: Sequence[tuple[str, str]]) -> FileChanges:
    """What would change if these were the lists, and every line that cannot be."""
    people, submissions, errors = _people(assignment), _submissions(assignment), []
    wanted: dict[Pair, int] = {}  # to its line
    for line, (grader, item) in enumerate(words, start=2):
        who, submission = people.get(_plain(grader)), submissions.get(_plain(item))
        if who is None:
            errors.append(_("Line %(line)d: “%(word)s” is not in the course.") % _at(line, grader))
        if submission is None:
            errors.append(_("Line %(line)d: there is no submission by “%(word)s”.") % _at(line, item))
        if who is not None and submission is not None:
            wanted.setdefault((who, submission), line)
    return _compared(assignment, wanted, errors)


def _at(line: int, word: str) -> dict[str, Any]:
    return {"line": line, "word": word[:100]}


def _compared(assignment: Assignment, wanted: Mapping[Pair, int], errors: list[str]) -> FileChanges:
    room, current, begun = allocation_input(assignment), current_allocation(assignment), begun_by(assignment)
    own = {student.pk: student.submission for student in room.students}
    assigned = {(who, submission) for who, seen in current.seen.items() for submission in seen}
    add = [pair for pair in wanted if pair not in assigned]
    for who, submission in add:
        line = wanted[who, submission]
        if own.get(who) == submission:
            errors.append(
                _("Line %(line)d: nobody can review their own or their team’s submission.") % {"line": line}
            )
        elif submission not in room.authors:
            text = _(
                "Line %(line)d: this submission is excluded, was never submitted, or its "
                "authors have left the course."
            )
            errors.append(text % {"line": line})
    remove = sorted(current.open - wanted.keys())
    lost = [pair for pair in remove if pair[0] in begun]
    if lost:
        text = _(
            "The file would take %(count)d reviews from people who have already started. Keep "
            "their lines in the file."
        )
        errors.append(text % {"count": len(lost)})
    return FileChanges(add, remove, len(wanted) - len(add), errors[:SHOWN])


def _people(assignment: Assignment) -> dict[str, int]:
    """Students and staff by address and by number."""
    roles = [Role.STUDENT, *STAFF]
    members = Membership.objects.filter(course=assignment.course_id, role__in=roles)
    rows = list(members.values_list("pk", "person__email", "student_id"))
    numbers = {_plain(number): pk for pk, _email, number in rows if number}
    return {**numbers, **{_plain(email): pk for pk, email, _number in rows}}


def _submissions(assignment: Assignment) -> dict[str, int]:
    """Submissions by the author's address or number, or the team's name."""
    numbers: dict[str, int] = {}
    submissions = Submission.objects.filter(assignment=assignment).select_related("author__person", "team")
    for submission in submissions:
        if submission.author is not None and submission.author.student_id:
            numbers.setdefault(_plain(submission.author.student_id), submission.pk)
    return {**numbers, **{_plain(_item_word(submission)): submission.pk for submission in submissions}}


def _plain(word: str) -> str:
    """As it is looked up: the apostrophe of a neutralised cell is not part of it."""
    return word.strip().removeprefix("'").casefold()


# -- commit ----------------------------------------------------------------------------------------------


def keep(*, assignment: Assignment, changes: FileChanges, by: Person) -> str:
    """The changes that a preview showed, signed: nothing is stored until they are committed."""
    said = {
        "add": changes.add,
        "remove": changes.remove,
        "assignment": assignment.pk,
        "person": by.pk,
        "state": _state(assignment),
    }
    return signing.dumps(said, salt=SALT, compress=True)


def _state(assignment: Assignment) -> str:
    begun = sorted(begun_by(assignment))
    return allocation_input(assignment).fingerprint(current_allocation(assignment).fingerprint(), begun)


def commit_file(*, assignment: Assignment, kept: str, by: Person) -> FileChanges:
    """Do what the preview showed, all or nothing; Refused where the class has changed since."""
    try:
        said = signing.loads(kept, salt=SALT, max_age=LASTS)
    except signing.BadSignature:
        raise Refused(_("This preview has expired. Upload the file again.")) from None
    if (said["assignment"], said["person"]) != (assignment.pk, by.pk):
        raise Refused(_("This preview has expired. Upload the file again."))
    changes = FileChanges([(a, b) for a, b in said["add"]], [(a, b) for a, b in said["remove"]])
    with locked_lists(assignment):
        locked = Assignment.objects.select_for_update(of=("self",)).get(pk=assignment.pk)
        if locked.phase not in (Phase.ALLOCATING, Phase.REVIEWING) or _state(locked) != said["state"]:
            raise Refused(_("The class has changed since your preview. Upload the file again."))
        _apply(locked, changes, by)
    return changes


def _apply(assignment: Assignment, changes: FileChanges, by: Person) -> None:
    leaving = set(changes.remove)
    rows = Review.objects.filter(assignment=assignment, state=Review.State.OPEN)
    numbers = [
        pk
        for pk, who, submission in rows.values_list("pk", "reviewer", "submission")
        if (who, submission) in leaving
    ]
    for start in range(0, len(numbers), AT_ONCE):
        Review.objects.filter(pk__in=numbers[start : start + AT_ONCE]).delete()
    run = new_run(assignment, AllocationRun.Kind.BY_HAND, by, design="file")
    add_reviews(run=run, pairs=changes.add)
    added, dropped = len(changes.add), len(changes.remove)
    record("allocation-by-file", by=by, assignment=assignment, added=added, dropped=dropped)
