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

from peerage_web.accounts.models import Identity, Person, normalize_address
from peerage_web.accounts.services.users import people_by_address
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Course, Membership, RosterImport
from peerage_web.classes.enums import Role
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
        content: dict[str, Any] = ask_sandbox(
            read_roster_file,
            JobFiles(str(kept.folder), kept.file_name),
            kept.columns,
            visitor=f"person {kept.uploaded_by_id}",
        )
    except SandboxError as error:
        return {**EMPTY, "problem": describe_problem(error)}
    return content


def choose_columns(*, kept: RosterImport, columns: Mapping[str, str]) -> None:
    kept.columns = dict(columns)
    kept.save(update_fields=["columns"])


def commit_roster(*, kept: RosterImport, by: Person, drop_missing: bool, expected: str) -> RosterChanges:
    """Do what the preview showed; Refused where the course or the file has changed since (`expected`).

    All or nothing: rows with errors, and there is no import.
    """
    content = read_kept(kept=kept)
    if content["problem"] is not None:
        raise Refused(str(content["problem"]["detail"]))
    with exclusively(f"roster of course {kept.course_id}"):
        changes = changes_of(kept.course, content["rows"], content["columns"])
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
        *(f"+{change.row['email']}" for change in changes.add),
        *(
            f"~{change.member.pk if change.member else ''}:{sorted(change.fields)}"
            for change in changes.update
        ),
        *(f"<{change.row['email']}" for change in changes.take_back),
        *(f"-{member.pk}" for member in changes.missing),
    ]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:16]


def _apply(changes: RosterChanges, course: Course, by: Person, drop_missing: bool) -> None:
    people = _people([*changes.add, *changes.update, *changes.take_back])
    Membership.objects.bulk_create(
        Membership(
            course=course,
            person=people[change.row["email"]],
            role=Role.STUDENT,
            **{name: change.row[name] for name in ("student_id", "name", "section", "group")},
        )
        for change in changes.add
    )
    for change in (*changes.update, *changes.take_back):
        _update(change, people, by)
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
    names = {change.row["email"]: change.row["name"] for change in changes}
    people = people_by_address(list(names))
    new = [email for email in names if email not in people]
    Person.objects.bulk_create(
        [Person(email=email, name=names[email], password="!") for email in new], ignore_conflicts=True
    )
    return {**people, **people_by_address(new)}


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
    shutil.rmtree(kept.folder, ignore_errors=True)
    kept.delete()


def forget_old_rosters() -> None:
    """Files that nobody came back for."""
    for kept in RosterImport.objects.filter(created_at__lt=timezone.now() - KEPT):
        forget_roster(kept=kept)
    if not settings.ROSTERS.is_dir():
        return
    keys = set(RosterImport.objects.values_list("key", flat=True))
    cut = (timezone.now() - KEPT).timestamp()
    for folder in settings.ROSTERS.iterdir():  # left by a process that died in between
        if folder.name not in keys and folder.stat().st_mtime < cut:
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

    @property
    def role(self) -> Role:
        """As what somebody is added: files name students only."""
        return Role(self.row.get("role") or Role.STUDENT)


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
    missing: list[Membership] = field(default_factory=list)  # who is not in the file
    staff: list[RosterChange] = field(default_factory=list)  # in the file, and staff here: left as they are
    repeated: list[RowError] = field(default_factory=list)  # the same as an earlier line: skipped
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
    changes = RosterChanges()
    members = list(Membership.objects.filter(course=course).select_related("person"))
    by_number = {member.student_id: member for member in members if member.student_id}
    by_email = {member.person.email: member for member in members}
    fields = _given(columns)
    former = Identity.objects.filter(issuer=Identity.EMAIL, person__memberships__course=course)
    former = former.exclude(subject__in=list(by_email))
    current = dict(former.values_list("subject", "person__email"))  # people may change their address
    seen: set[int] = set()
    for row in _usable(rows, changes, by_number, current):
        member = by_number.get(row["student_id"]) or by_email.get(row["email"])
        if member is not None:
            seen.add(member.pk)
        if not _fits(row, member, by_email, changes):
            continue
        _sort(RosterChange(row, member, _differences(row, member, fields)), changes)
    students = [member for member in members if member.role == Role.STUDENT]
    changes.missing = sorted(
        (student for student in students if student.pk not in seen), key=lambda student: student.shown_name
    )
    return changes


def _given(columns: Mapping[str, str]) -> tuple[str, ...]:
    named = columns.get("name") or columns.get("first_name") or columns.get("last_name")
    return tuple(field for field in FIELDS if (named if field == "name" else columns.get(field)))


def _usable(
    rows: Iterable[Mapping[str, Any]],
    changes: RosterChanges,
    by_number: Mapping[str, Membership],
    current: Mapping[str, str],
) -> Iterable[dict[str, Any]]:
    """Rows whose cells are in order, each person once; the others are repeated, or become errors."""
    earlier: dict[tuple[str, str], dict[str, Any]] = {}
    for raw in rows:
        address = normalize_address(raw["email"])
        row = {**raw, "email": current.get(address, address)}
        if not row["email"] and row["student_id"] in by_number:
            row["email"] = by_number[row["student_id"]].person.email
        keys = [(name, row[name]) for name in ("email", "student_id") if row[name]]
        same = next((earlier[key] for key in keys if key in earlier), None)
        rule = _broken_rule(row)
        if not rule and same is not None:
            rule = _("is already in line %(line)d") % {"line": same["line"]}
        if not rule:
            earlier |= dict.fromkeys(keys, row)
            yield row
            continue
        is_repeated = same is not None and all(row[name] == same[name] for name in FIELDS)
        listed = changes.repeated if is_repeated else changes.errors
        listed.append(RowError(row["line"], row["email"] or row["student_id"] or row["name"], rule))


def _broken_rule(row: Mapping[str, Any]) -> str:
    if not row["email"]:
        return _("has no e-mail address; people need one to sign in")
    try:
        validate_email(row["email"])
    except ValidationError:
        return _("is not an e-mail address")
    long = next((name for name, most in LONGEST.items() if len(row[name]) > most), None)
    return _("is longer than %(most)d characters") % {"most": LONGEST[long]} if long else ""


def _fits(
    row: Mapping[str, Any],
    member: Membership | None,
    by_email: Mapping[str, Membership],
    changes: RosterChanges,
) -> bool:
    """Whether number and address do not belong to two different people of the course."""
    other = by_email.get(row["email"])
    if member is None or other is None or other.pk == member.pk:
        return True
    rule = _("belongs to a different person in this course than student number %(number)s") % {
        "number": row["student_id"]
    }
    changes.errors.append(RowError(row["line"], row["email"], rule))
    return False


def _differences(
    row: Mapping[str, Any], member: Membership | None, fields: Iterable[str]
) -> dict[str, tuple[str, str]]:
    if member is None:
        return {}
    before = {name: member.person.email if name == "email" else getattr(member, name) for name in fields}
    # an empty cell says nothing about an address or a number that is known
    kept = [name for name in ("email", "student_id") if not row[name]]
    return {name: (old, row[name]) for name, old in before.items() if old != row[name] and name not in kept}


def _sort(change: RosterChange, changes: RosterChanges) -> None:
    if change.member is None:
        changes.add.append(change)
    elif change.member.role == Role.DROPPED:
        changes.take_back.append(change)
    elif change.member.role != Role.STUDENT:
        changes.staff.append(change)
    elif change.fields:
        changes.update.append(change)
    else:
        changes.same += 1
