"""What an imported roster would change: whom it adds, changes, takes back and drops; lines it cannot use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from peerage_web.accounts.models import normalize_address
from peerage_web.classes.models import Course, Membership
from peerage_web.classes.words import Role

LONGEST = {"student_id": 100, "email": 254, "name": 200, "section": 100, "group": 100}
FIELDS = ("email", "student_id", "name", "section", "group")


@dataclass(frozen=True, slots=True)
class Change:
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
class Changes:
    """Everything that the import would do."""

    add: list[Change] = field(default_factory=list)
    update: list[Change] = field(default_factory=list)
    take_back: list[Change] = field(default_factory=list)
    same: int = 0
    missing: list[Membership] = field(default_factory=list)  # students who are not in the file
    staff: list[Change] = field(default_factory=list)  # in the file, and staff here: left as they are
    errors: list[RowError] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be done, dropping aside."""
        return not (self.add or self.update or self.take_back)


def changes_of(course: Course, rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> Changes:
    """Compare the rows with the course. Columns that the file does not have change nothing.

    People are known again by their student number where the file has it, else by their address.
    """
    found = Changes()
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
        _sort(Change(row, member, _differences(row, member, given)), found)
    students = [one for one in members if one.role == Role.STUDENT]
    found.missing = sorted((one for one in students if one.pk not in seen), key=lambda one: one.shown_name)
    return found


def _given(columns: Mapping[str, str]) -> tuple[str, ...]:
    named = columns.get("name") or columns.get("first_name") or columns.get("last_name")
    return tuple(one for one in FIELDS if (named if one == "name" else columns.get(one)))


def _usable(
    rows: Iterable[Mapping[str, Any]], found: Changes, by_number: Mapping[str, Membership]
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
        return _("has no e-mail address, which people need to sign in")
    try:
        validate_email(row["email"])
    except ValidationError:
        return _("is not an e-mail address")
    long = next((name for name, most in LONGEST.items() if len(row[name]) > most), None)
    return _("is longer than %(most)d characters") % {"most": LONGEST[long]} if long else ""


def _twice(row: Mapping[str, Any], numbers: dict[str, int], emails: dict[str, int]) -> str:
    line = emails.get(row["email"]) or (numbers.get(row["student_id"]) if row["student_id"] else None)
    if line:
        return _("is in line %(line)d already") % {"line": line}
    emails[row["email"]] = row["line"]
    if row["student_id"]:
        numbers[row["student_id"]] = row["line"]
    return ""


def _fits(
    row: Mapping[str, Any], member: Membership | None, by_email: Mapping[str, Membership], found: Changes
) -> bool:
    """Whether number and address do not belong to two different people of the course."""
    other = by_email.get(row["email"])
    if member is None or other is None or other.pk == member.pk:
        return True
    rule = _("belongs to somebody else in this course than the student number %(number)s") % {
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


def _sort(change: Change, found: Changes) -> None:
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
