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
from peerage_web.classes.allocation.matrix import all_entries, maker_name
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.allocation.queries import allocation_input, begun_by, current_allocation
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import STAFF, Phase, Role
from peerage_web.classes.reassignment.lists import AT_ONCE, add_reviews, locked_lists, new_run
from peerage_web.classes.record.services import record
from peerage_web.classes.submissions.models import Work
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
    """What a file would change: pairs of reviewer and work."""

    add: list[Pair] = field(default_factory=list)
    remove: list[Pair] = field(default_factory=list)
    same: int = 0
    errors: list[str] = field(default_factory=list)


# -- out -------------------------------------------------------------------------------------------------


def allocation_file(*, assignment: Assignment) -> bytes:
    """CSV, for staff: one line per review; text that a spreadsheet would run as a formula is neutralised."""
    people = {
        one.pk: one for one in Membership.objects.filter(course=assignment.course_id).select_related("person")
    }
    works = {
        one.pk: one
        for one in Work.objects.filter(assignment=assignment).select_related("author__person", "team")
    }
    rows = [
        {
            "grader": people[one.reviewer].person.email,
            "item": _item_word(works[one.work]),
            "label": one.label,
            "how_far": str(HOW_FAR[one.how_far]),
            "name": people[one.reviewer].shown_name,
            "section": people[one.reviewer].section,
            "made_by": maker_name(works[one.work]),
        }
        for one in all_entries(assignment)
    ]
    columns = ("grader", "item", "label", "how_far", "name", "section", "made_by")
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String))
    return neutralise(table).write_csv().encode()


def _item_word(work: Work) -> str:
    return work.author.person.email if work.author is not None else maker_name(work)


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
        found = ask_sandbox(read_allocation_file, JobFiles(str(folder), name), visitor=f"person {by.pk}")
    except SandboxError as error:
        found = {"rows": [], "problem": describe_problem(error)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if found["problem"] is not None:
        raise Refused(str(found["problem"]["detail"]))
    return [(str(grader), str(item)) for grader, item in found["rows"]]


def changes_of(*, assignment: Assignment, words: Sequence[tuple[str, str]]) -> FileChanges:
    """What would change if these were the lists, and every line that cannot be."""
    people, works, errors = _people(assignment), _works(assignment), []
    wanted: dict[Pair, int] = {}  # to its line
    for line, (grader, item) in enumerate(words, start=2):
        who, work = people.get(_plain(grader)), works.get(_plain(item))
        if who is None:
            errors.append(_("Line %(line)d: “%(word)s” is not in the course.") % _at(line, grader))
        if work is None:
            errors.append(_("Line %(line)d: there is no submission by “%(word)s”.") % _at(line, item))
        if who is not None and work is not None:
            wanted.setdefault((who, work), line)
    return _compared(assignment, wanted, errors)


def _at(line: int, word: str) -> dict[str, Any]:
    return {"line": line, "word": word[:100]}


def _compared(assignment: Assignment, wanted: Mapping[Pair, int], errors: list[str]) -> FileChanges:
    room, given, begun = allocation_input(assignment), current_allocation(assignment), begun_by(assignment)
    own = {one.pk: one.work for one in room.students}
    known = {(who, work) for who, seen in given.seen.items() for work in seen}
    add = [pair for pair in wanted if pair not in known]
    for who, work in add:
        line = wanted[who, work]
        if own.get(who) == work:
            errors.append(
                _("Line %(line)d: nobody can review their own or their team’s submission.") % {"line": line}
            )
        elif work not in room.makers:
            text = _(
                "Line %(line)d: this submission is excluded, was never submitted, or its "
                "authors have left the course."
            )
            errors.append(text % {"line": line})
    remove = sorted(given.open - wanted.keys())
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


def _works(assignment: Assignment) -> dict[str, int]:
    """Works by the author's address or number, or the team's name."""
    found: dict[str, int] = {}
    works = Work.objects.filter(assignment=assignment).select_related("author__person", "team")
    for one in works:
        if one.author is not None and one.author.student_id:
            found.setdefault(_plain(one.author.student_id), one.pk)
    return {**found, **{_plain(_item_word(one)): one.pk for one in works}}


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
    numbers = [pk for pk, who, work in rows.values_list("pk", "reviewer", "work") if (who, work) in leaving]
    for start in range(0, len(numbers), AT_ONCE):
        Review.objects.filter(pk__in=numbers[start : start + AT_ONCE]).delete()
    run = new_run(assignment, AllocationRun.Kind.BY_HAND, by, design="file")
    add_reviews(run=run, pairs=changes.add)
    added, dropped = len(changes.add), len(changes.remove)
    record("allocation-by-file", by=by, assignment=assignment, added=added, dropped=dropped)
