"""The roster: who submits, who reviews, and who must not see whose work."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = ("student", "group", "section", "email", "conflicts", "role", "submits", "reviews")
ROLES = ("student", "staff", "external")
_YES_NO = {
    "yes": True,
    "y": True,
    "true": True,
    "1": True,
    "no": False,
    "n": False,
    "false": False,
    "0": False,
}
_YES_NO_FIX = "write yes or no, or leave it empty"

Conflicts = Literal["mutual", "declared"]
Submissions = Literal["student", "group"]


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """Graders and items as numbers, and the pairs of them that must never meet.

    What grader g must not see is ``barred[barred_starts[g]:barred_starts[g + 1]]``, sorted: own work, the
    own group's, and conflicts. ``own`` is the grader's own item, or -1; ``declared`` the barred pairs that
    only a conflict forbids. ``reviews`` is the grader's own number, or -1 for the common one.
    """

    graders: pl.Series
    items: pl.Series
    barred_starts: NDArray[np.int64]
    barred: NDArray[np.int32]
    own: NDArray[np.int64]
    declared: frozenset[tuple[int, int]]
    reviews: NDArray[np.int64]
    is_staff: NDArray[np.bool_]
    grader_sections: NDArray[np.int64]
    item_sections: NDArray[np.int64]
    sections: tuple[str, ...]
    lines: NDArray[np.int64]
    emails: pl.Series | None = None
    source: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_graders(self) -> int:
        """Number of people on the roster."""
        return len(self.graders)

    @property
    def n_items(self) -> int:
        """Number of submissions."""
        return len(self.items)

    def barred_of(self, grader: int) -> NDArray[np.int32]:
        """The items that a grader must not see."""
        return self.barred[self.barred_starts[grader] : self.barred_starts[grader + 1]]

    def __repr__(self) -> str:
        return f"<Roster: {self.n_graders} graders, {self.n_items} items>"


def read_roster(
    source: str | PathLike[str] | pl.DataFrame | Mapping[str, Sequence[Any]],
    *,
    submissions: Submissions = "student",
    conflicts: Conflicts = "mutual",
) -> Roster:
    """Read a roster from a CSV file, a Polars frame or columns.

    Parameters
    ----------
    source : path, frame or mapping
        Column ``student`` is required. Optional: ``group``, ``section``, ``email``, ``conflicts`` (names of
        students or groups, separated by ``;``), ``role`` (student, staff or external), ``submits`` (yes or
        no; by default students do, staff and externals do not), ``reviews`` (the person's own number).
    submissions : "student" or "group"
        Whether every student hands in work, or every group (students without a group on their own).
    conflicts : "mutual" or "declared"
        Whether a conflict keeps both people from each other's work, or only the one who declares it.

    Raises
    ------
    DataError
        Listing every broken line.
    """
    table, name = _table(source)
    table, notes = _known_columns(table, name)
    problems: list[Problem] = []
    parsed = _Parsed.of(table, problems)
    items = _Items.of(parsed, submissions, problems)
    clashes = _conflict_pairs(parsed, items, conflicts, problems)
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise DataError(problems, source=name)
    return _roster(parsed, items, clashes, name, notes)


def _table(source: Any) -> tuple[pl.DataFrame, str | None]:
    if isinstance(source, pl.DataFrame):
        return source, None
    if isinstance(source, Mapping):
        return pl.DataFrame(dict(source), strict=False), None
    if hasattr(source, "read"):
        return _from_csv(source, "standard input")
    return _from_csv(Path(source), str(source))


def _from_csv(source: Any, name: str) -> tuple[pl.DataFrame, str]:
    try:
        return pl.read_csv(source, infer_schema=False, encoding="utf8-lossy"), name
    except FileNotFoundError as error:
        raise DataError("there is no such file", source=name) from error
    except pl.exceptions.NoDataError as error:
        raise DataError("the roster is empty", source=name) from error
    except pl.exceptions.ComputeError as error:
        fix = "save it as a comma-separated table with one header line"
        raise DataError(Problem("it cannot be read as CSV", fix=fix), source=name) from error


def _known_columns(table: pl.DataFrame, name: str | None) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Columns under their plain names, as stripped text, null where empty; the others are noted."""
    plain = {column: column.strip().lstrip("\ufeff").strip().lower() for column in table.columns}
    known = [column for column in table.columns if plain[column] in COLUMNS]
    found = [plain[column] for column in known]
    twice = sorted({column for column in found if found.count(column) > 1})
    if twice:
        raise DataError(f"there are several columns {twice[0]!r}", source=name)
    if "student" not in found:
        fix = f"name the column of the students 'student' (columns found: {', '.join(table.columns)})"
        raise DataError(Problem("a roster needs a column 'student'", fix=fix), source=name)
    ignored = [column for column in table.columns if plain[column] not in COLUMNS]
    notes = (f"ignored columns: {', '.join(ignored)}",) if ignored else ()
    text = [pl.col(column).cast(pl.String).str.strip_chars().alias(plain[column]) for column in known]
    table = table.select(text).with_columns(pl.all().replace("", None))
    table = table.with_row_index("line", offset=2 if name else 1)
    return table.filter(~pl.all_horizontal(pl.exclude("line").is_null())), notes


@dataclass(frozen=True, slots=True, eq=False)
class _Parsed:
    """The checked cells, one array per column."""

    table: pl.DataFrame
    lines: NDArray[np.int64]
    students: list[str]
    groups: list[str | None]
    submits: NDArray[np.bool_]
    is_staff: NDArray[np.bool_]
    reviews: NDArray[np.int64]

    @classmethod
    def of(cls, table: pl.DataFrame, problems: list[Problem]) -> _Parsed:
        lines = table["line"].to_numpy().astype(np.int64)
        role = _roles(table, lines, problems)
        return cls(
            table=table,
            lines=lines,
            students=_students(table, lines, problems),
            groups=_cells(table, "group"),
            submits=_submits(table, lines, role, problems),
            is_staff=role != "student",
            reviews=_reviews(table, lines, problems),
        )


def _cells(table: pl.DataFrame, column: str) -> list[str | None]:
    return table[column].to_list() if column in table.columns else [None] * len(table)


def _students(table: pl.DataFrame, lines: NDArray[np.int64], problems: list[Problem]) -> list[str]:
    names = table["student"].to_list()
    first: dict[str, int] = {}
    for line, name in zip(lines.tolist(), names, strict=True):
        if name is None:
            fix = "name the student or delete the line"
            problems.append(Problem("the student is empty", line=line, column="student", fix=fix))
        elif name in first:
            rule = f"is on the roster already (line {first[name]})"
            fix = "delete one of the two lines, or tell the two people apart"
            problems.append(Problem(rule, line=line, column="student", value=name, fix=fix))
        else:
            first[name] = line
    if not names:
        problems.append(Problem("there is nobody on the roster"))
    return [name or "" for name in names]


def _roles(table: pl.DataFrame, lines: NDArray[np.int64], problems: list[Problem]) -> NDArray[np.str_]:
    roles = [(cell or "student").lower() for cell in _cells(table, "role")]
    for line, role in zip(lines.tolist(), roles, strict=True):
        if role not in ROLES:
            fix = f"write one of {', '.join(ROLES)}"
            problems.append(Problem("is not a role", line=line, column="role", value=role, fix=fix))
    return np.array(roles, dtype=np.str_)


def _submits(
    table: pl.DataFrame, lines: NDArray[np.int64], role: NDArray[np.str_], problems: list[Problem]
) -> NDArray[np.bool_]:
    submits = role == "student"
    for row, cell in enumerate(_cells(table, "submits")):
        if cell is None:
            continue
        if cell.lower() in _YES_NO:
            submits[row] = _YES_NO[cell.lower()]
            continue
        rule = "does not say whether the person hands in work"
        problems.append(Problem(rule, line=int(lines[row]), column="submits", value=cell, fix=_YES_NO_FIX))
    return np.asarray(submits)


def _reviews(table: pl.DataFrame, lines: NDArray[np.int64], problems: list[Problem]) -> NDArray[np.int64]:
    reviews = np.full(len(table), -1, dtype=np.int64)
    for row, cell in enumerate(_cells(table, "reviews")):
        if cell is None:
            continue
        if cell.isascii() and cell.isdigit():
            reviews[row] = int(cell)
            continue
        fix = "write a whole number, 0 for none, or leave it empty for the common number"
        rule = "is not a number of reviews"
        problems.append(Problem(rule, line=int(lines[row]), column="reviews", value=cell, fix=fix))
    return reviews


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """What is handed in: labels, who made it, and the items of each group."""

    labels: list[str]
    own: NDArray[np.int64]
    of_group: dict[str, list[int]]
    members: dict[str, list[int]]

    @classmethod
    def of(cls, parsed: _Parsed, submissions: Submissions, problems: list[Problem]) -> _Items:
        labels: list[str] = []
        number: dict[str, int] = {}
        own = np.full(len(parsed.students), -1, dtype=np.int64)
        of_group: dict[str, list[int]] = {}
        members: dict[str, list[int]] = {}
        for row, (student, group) in enumerate(zip(parsed.students, parsed.groups, strict=True)):
            if group is not None:
                members.setdefault(group, []).append(row)
            if not parsed.submits[row]:
                continue
            label = group if submissions == "group" and group is not None else student
            if label not in number:
                number[label] = len(labels)
                labels.append(label)
                if group is not None:
                    of_group.setdefault(group, []).append(number[label])
            own[row] = number[label]
        if submissions == "group":
            problems += _name_clashes(parsed, members)
        if not labels:
            fix = "at least one student must hand in work: see the columns 'role' and 'submits'"
            problems.append(Problem("there is nothing to review", fix=fix))
        return cls(labels, own, of_group, members)


def _name_clashes(parsed: _Parsed, groups: Mapping[str, object]) -> list[Problem]:
    """A group and a student on their own with one name would become one submission."""
    fix = "rename one of the two: both would be the same submission"
    rule = "is the name of a group and of a student without a group"
    return [
        Problem(rule, line=int(parsed.lines[row]), column="student", value=student, fix=fix)
        for row, student in enumerate(parsed.students)
        if parsed.groups[row] is None and parsed.submits[row] and student in groups
    ]


def _conflict_pairs(
    parsed: _Parsed, items: _Items, conflicts: Conflicts, problems: list[Problem]
) -> set[tuple[int, int]]:
    """Pairs (grader, item) that declared conflicts forbid."""
    row_of = {student: row for row, student in enumerate(parsed.students)}
    pairs: set[tuple[int, int]] = set()
    for row, cell in enumerate(_cells(parsed.table, "conflicts")):
        for name in (part.strip() for part in (cell or "").split(";")):
            if not name:
                continue
            if name not in row_of and name not in items.members:
                problems.append(_unknown_name(parsed, items, row, name))
                continue
            others = set(items.members.get(name, ())) | ({row_of[name]} if name in row_of else set())
            pairs |= {(row, int(items.own[other])) for other in others}
            if conflicts == "mutual":
                pairs |= {(other, int(items.own[row])) for other in others}
    return {(grader, item) for grader, item in pairs if item >= 0}


def _unknown_name(parsed: _Parsed, items: _Items, row: int, name: str) -> Problem:
    close = difflib.get_close_matches(name, [*parsed.students, *items.members], n=1)
    fix = f"did you mean {close[0]!r}?" if close else "separate several names with ';'"
    rule = "is neither a student nor a group on the roster"
    return Problem(rule, line=int(parsed.lines[row]), column="conflicts", value=name, fix=fix)


def _roster(
    parsed: _Parsed, items: _Items, clashes: set[tuple[int, int]], name: str | None, notes: tuple[str, ...]
) -> Roster:
    barred = {(row, item) for row, item in enumerate(items.own.tolist()) if item >= 0}
    for group, rows in items.members.items():
        barred |= {(row, item) for row in rows for item in items.of_group.get(group, ())}
    starts, flat = _by_grader(barred | clashes, len(parsed.students))
    sections = _cells(parsed.table, "section")
    names = tuple(sorted({section for section in sections if section is not None}))
    number = {section: k for k, section in enumerate(names)}
    grader_sections = np.array([-1 if section is None else number[section] for section in sections])
    item_sections = np.full(len(items.labels), -1, dtype=np.int64)
    made = items.own >= 0
    item_sections[items.own[made]] = grader_sections[made]
    return Roster(
        graders=pl.Series("grader", parsed.students, dtype=pl.String),
        items=pl.Series("item", items.labels, dtype=pl.String),
        barred_starts=starts,
        barred=flat,
        own=items.own,
        declared=frozenset(clashes - barred),
        reviews=parsed.reviews,
        is_staff=parsed.is_staff,
        grader_sections=grader_sections.astype(np.int64),
        item_sections=item_sections,
        sections=names,
        lines=parsed.lines,
        emails=parsed.table["email"] if "email" in parsed.table.columns else None,
        source=name,
        notes=notes,
    )


def _by_grader(pairs: set[tuple[int, int]], n_graders: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    flat = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    flat = flat[np.lexsort((flat[:, 1], flat[:, 0]))]
    starts = np.searchsorted(flat[:, 0], np.arange(n_graders + 1)).astype(np.int64)
    return starts, np.ascontiguousarray(flat[:, 1].astype(np.int32))
