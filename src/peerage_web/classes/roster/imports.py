"""Importing a roster: keep the file, read it in the sandbox, preview the changes, commit them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person, normalize_address
from peerage_web.classes.courses.models import Course, Membership, RosterImport
from peerage_web.classes.enums import Role
from peerage_web.classes.record.services import record
from peerage_web.classes.roster.services import drop_member
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.sandbox.contract.jobs import JobFiles, safe_name
from peerage_web.sandbox.work.rosters import read_roster_file
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.rate_limits import refuse_too_many_uploads
from peerage_web.shared.services.sandbox_slots import ask_sandbox

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile


KEPT = timedelta(days=1)  # a file that nobody commits
EMPTY: dict[str, Any] = {"header": [], "columns": {}, "rows": [], "notes": [], "left_out": 0, "problem": None}


def keep_roster(*, course: Course, upload: UploadedFile[bytes], by: Person) -> RosterImport:
    """Keep an uploaded file until it is committed or forgotten."""
    refuse_too_many_uploads(visitor=f"person {by.pk}")
    kept = RosterImport(
        course=course, uploaded_by=by, file_name=safe_name(upload.name or "", (), "roster.csv")
    )
    try:
        (kept.folder / "input").mkdir(parents=True, mode=0o700)
        with (kept.folder / "input" / kept.file_name).open("wb") as file:
            for chunk in upload.chunks():
                file.write(chunk)
        kept.save()
    except BaseException:
        shutil.rmtree(kept.folder, ignore_errors=True)
        raise
    return kept


def read_kept(*, kept: RosterImport) -> dict[str, Any]:
    """What the library reads in it (see `sandbox.work.rosters`); `problem` says what is wrong."""
    try:
        found: dict[str, Any] = ask_sandbox(
            read_roster_file,
            JobFiles(str(kept.folder), kept.file_name),
            kept.columns,
            visitor=f"person {kept.uploaded_by_id}",
        )
    except SandboxError as error:
        return {**EMPTY, "problem": describe_problem(error)}
    return found


def choose_columns(*, kept: RosterImport, columns: Mapping[str, str]) -> None:
    """Remember what each column is taken for."""
    kept.columns = dict(columns)
    kept.save(update_fields=["columns"])


def commit_roster(*, kept: RosterImport, by: Person, drop_missing: bool, expected: str) -> RosterChanges:
    """Do what the preview showed; Refused where the course or the file has changed since (`expected`).

    All or nothing: rows with errors, and there is no import.
    """
    found = read_kept(kept=kept)
    if found["problem"] is not None:
        raise Refused(str(found["problem"]["detail"]))
    with exclusively(f"roster of course {kept.course_id}"):
        changes = changes_of(kept.course, found["rows"], found["columns"])
        if changes.errors:
            raise Refused(_("Some lines cannot be used. Correct them in the file and upload it again."))
        if fingerprint(changes) != expected:
            raise Refused(
                _("The course has changed since you opened this page. Here is what would change now.")
            )
        _apply(changes, kept.course, by, drop_missing)
    forget_roster(kept=kept)
    return changes


def put_roster(
    *,
    course: Course,
    by: Person,
    rows: Sequence[Mapping[str, Any]],
    given: Iterable[str],
    drop_missing: bool,
    try_only: bool = False,
) -> RosterChanges:
    """Make the course's students these, all or nothing; with errors, or only tried, nothing is changed.

    Rows are as the sandbox reads them from a file; `given` names the columns that they really have.
    """
    with exclusively(f"roster of course {course.pk}"):
        changes = changes_of(course, rows, {name: name for name in given})
        if changes.errors or try_only:
            return changes
        if changes.is_empty and not (drop_missing and changes.missing):
            return changes
        _apply(changes, course, by, drop_missing)
    return changes


def fingerprint(changes: RosterChanges) -> str:
    """What a preview showed, in short: another one means that something has changed meanwhile."""
    import hashlib

    parts = [
        *(f"+{one.row['email']}" for one in changes.add),
        *(f"~{one.member.pk if one.member else ''}:{sorted(one.fields)}" for one in changes.update),
        *(f"<{one.row['email']}" for one in changes.take_back),
        *(f"-{one.pk}" for one in changes.missing),
    ]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]


def _apply(changes: RosterChanges, course: Course, by: Person, drop_missing: bool) -> None:
    people = _people([*changes.add, *changes.update, *changes.take_back])
    Membership.objects.bulk_create(
        Membership(
            course=course,
            person=people[one.row["email"]],
            role=Role.STUDENT,
            **{name: one.row[name] for name in ("student_id", "name", "section", "group")},
        )
        for one in changes.add
    )
    for one in (*changes.update, *changes.take_back):
        _update(one, people, by)
    dropped = changes.missing if drop_missing else []
    for member in dropped:
        drop_member(member=member, by=by)
    counts: dict[str, Any] = {
        "added": len(changes.add) + len(changes.take_back),
        "updated": len(changes.update),
    }
    record("roster-imported", by=by, course=course, **counts, dropped=len(dropped))


def _people(changes: Sequence[RosterChange]) -> dict[str, Person]:
    """Everybody by address; who is new gets a row, without a password."""
    names = {one.row["email"]: one.row["name"] for one in changes}
    known = _known_people(list(names))
    new = [email for email in names if email not in known]
    Person.objects.bulk_create(
        [Person(email=email, name=names[email], password="!") for email in new], ignore_conflicts=True
    )
    return {**known, **_known_people(new)}


def _known_people(emails: Sequence[str], at_once: int = 500) -> dict[str, Person]:
    found: dict[str, Person] = {}
    for start in range(0, len(emails), at_once):  # databases bound how much one question may hold
        part = Person.objects.filter(email__in=emails[start : start + at_once])
        found |= {one.email: one for one in part}
    return found


def _update(change: RosterChange, people: Mapping[str, Person], by: Person) -> None:
    member = change.member
    if member is None:
        return
    for name, (before, after) in change.fields.items():
        if name == "email":  # the place in the course moves to whoever has the new address
            member.person = people[after]
        else:
            setattr(member, name, after)
        record(
            "member-changed",
            by=by,
            course=member.course,
            subject=member,
            field=name,
            before=before,
            after=after,
        )
    if member.role == Role.DROPPED:
        member.role, member.dropped_at = Role.STUDENT, None
        record("member-returned", by=by, course=member.course, subject=member, role=Role.STUDENT.value)
    member.save()


def forget_roster(*, kept: RosterImport) -> None:
    """Delete the file and the row."""
    shutil.rmtree(kept.folder, ignore_errors=True)
    kept.delete()


def forget_old_rosters() -> None:
    """Files that nobody came back for."""
    for kept in RosterImport.objects.filter(created_at__lt=timezone.now() - KEPT):
        forget_roster(kept=kept)
    if not settings.ROSTERS.is_dir():
        return
    known = set(RosterImport.objects.values_list("key", flat=True))
    cut = (timezone.now() - KEPT).timestamp()
    for folder in settings.ROSTERS.iterdir():  # left by a process that died in between
        if folder.name not in known and folder.stat().st_mtime < cut:
            shutil.rmtree(folder, ignore_errors=True)


# -- What an imported roster would change: whom it adds, changes, takes back and drops; lines it cannot use


LONGEST = {"student_id": 100, "email": 254, "name": 200, "section": 100, "group": 100}
FIELDS = ("email", "student_id", "name", "section", "group")


@dataclass(frozen=True, slots=True)
class RosterChange:
    """One person: the row of the file, who that is in the course, and field to (before, after)."""

    row: Mapping[str, Any]
    member: Membership | None = None
    fields: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowError:
    """A line that cannot be used, and what to do about it."""

    line: int
    value: str
    rule: str


@dataclass(slots=True)
class RosterChanges:
    """Everything that the import would do."""

    add: list[RosterChange] = field(default_factory=list)
    update: list[RosterChange] = field(default_factory=list)
    take_back: list[RosterChange] = field(default_factory=list)
    same: int = 0
    missing: list[Membership] = field(default_factory=list)  # students who are not in the file
    staff: list[RosterChange] = field(default_factory=list)  # in the file, and staff here: left as they are
    errors: list[RowError] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be done, dropping aside."""
        return not (self.add or self.update or self.take_back)


def changes_of(
    course: Course, rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]
) -> RosterChanges:
    """Compare the rows with the course. Columns that the file does not have change nothing.

    People are known again by their student number where the file has it, else by their address.
    """
    found = RosterChanges()
    members = list(Membership.objects.filter(course=course).select_related("person"))
    by_number = {one.student_id: one for one in members if one.student_id}
    by_email = {one.person.email: one for one in members}
    given = _given(columns)
    seen: set[int] = set()
    for row in _usable(rows, found, by_number):
        member = by_number.get(row["student_id"]) or by_email.get(row["email"])
        if member is not None:
            seen.add(member.pk)
        if not _fits(row, member, by_email, found):
            continue
        _sort(RosterChange(row, member, _differences(row, member, given)), found)
    students = [one for one in members if one.role == Role.STUDENT]
    found.missing = sorted((one for one in students if one.pk not in seen), key=lambda one: one.shown_name)
    return found


def _given(columns: Mapping[str, str]) -> tuple[str, ...]:
    named = columns.get("name") or columns.get("first_name") or columns.get("last_name")
    return tuple(one for one in FIELDS if (named if one == "name" else columns.get(one)))


def _usable(
    rows: Iterable[Mapping[str, Any]], found: RosterChanges, by_number: Mapping[str, Membership]
) -> Iterable[dict[str, Any]]:
    """Rows whose cells are in order, each person once; the others become errors."""
    numbers: dict[str, int] = {}
    emails: dict[str, int] = {}
    for given in rows:
        row = {**given, "email": normalize_address(given["email"])}
        if not row["email"] and row["student_id"] in by_number:
            row["email"] = by_number[row["student_id"]].person.email
        rule = _broken_rule(row) or _twice(row, numbers, emails)
        if rule:
            found.errors.append(RowError(row["line"], row["email"] or row["student_id"] or row["name"], rule))
        else:
            yield row


def _broken_rule(row: Mapping[str, Any]) -> str:
    if not row["email"]:
        return _("has no e-mail address; people need one to sign in")
    try:
        validate_email(row["email"])
    except ValidationError:
        return _("is not an e-mail address")
    long = next((name for name, most in LONGEST.items() if len(row[name]) > most), None)
    return _("is longer than %(most)d characters") % {"most": LONGEST[long]} if long else ""


def _twice(row: Mapping[str, Any], numbers: dict[str, int], emails: dict[str, int]) -> str:
    line = emails.get(row["email"]) or (numbers.get(row["student_id"]) if row["student_id"] else None)
    if line:
        return _("is already in line %(line)d") % {"line": line}
    emails[row["email"]] = row["line"]
    if row["student_id"]:
        numbers[row["student_id"]] = row["line"]
    return ""


def _fits(
    row: Mapping[str, Any],
    member: Membership | None,
    by_email: Mapping[str, Membership],
    found: RosterChanges,
) -> bool:
    """Whether number and address do not belong to two different people of the course."""
    other = by_email.get(row["email"])
    if member is None or other is None or other.pk == member.pk:
        return True
    rule = _("belongs to a different person in this course than student number %(number)s") % {
        "number": row["student_id"]
    }
    found.errors.append(RowError(row["line"], row["email"], rule))
    return False


def _differences(
    row: Mapping[str, Any], member: Membership | None, given: Iterable[str]
) -> dict[str, tuple[str, str]]:
    if member is None:
        return {}
    before = {name: member.person.email if name == "email" else getattr(member, name) for name in given}
    # an empty cell says nothing about an address or a number that is known
    kept = [name for name in ("email", "student_id") if not row[name]]
    return {name: (old, row[name]) for name, old in before.items() if old != row[name] and name not in kept}


def _sort(change: RosterChange, found: RosterChanges) -> None:
    if change.member is None:
        found.add.append(change)
    elif change.member.role == Role.DROPPED:
        found.take_back.append(change)
    elif change.member.role != Role.STUDENT:
        found.staff.append(change)
    elif change.fields:
        found.update.append(change)
    else:
        found.same += 1
