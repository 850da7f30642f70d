"""Who may review what: graders and items of one allocation as numbers, and who must not see whose work.

A pool is allocated as one cohort, or as one cohort per section.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from peerage._options import named
from peerage.errors import DataError, Problem
from peerage.roster.container import Roster
from peerage.roster.reader import RosterSource, read_roster

if TYPE_CHECKING:
    from numpy.typing import NDArray

Conflicts = Literal["mutual", "declared"]
Sections = Literal["pooled", "apart"]
Submissions = Literal["student", "group"]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
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
        return len(self.graders)

    @property
    def n_items(self) -> int:
        return len(self.items)

    def barred_of(self, grader: int) -> NDArray[np.int32]:
        """The items that a grader must not see."""
        return self.barred[self.barred_starts[grader] : self.barred_starts[grader + 1]]

    def __repr__(self) -> str:
        return f"<Pool: {self.n_graders} graders, {self.n_items} items>"


def as_pool(
    roster: Pool | RosterSource, *, submissions: Submissions = "student", conflicts: Conflicts = "mutual"
) -> Pool:
    """The people and the work of a roster; a Pool is returned as it is.

    Parameters
    ----------
    roster : Roster, or what :func:`peerage.read_roster` reads
        One row per person: of a roster of several tasks, take ``roster.for_task(task)``.
    submissions : "student" or "group"
        Whether every student submits work, or every group (students without a group on their own), where the
        roster has no ``item`` that says so.
    conflicts : "mutual" or "declared"
        Whether a conflict keeps both people from each other's work, or only the one who declares it.

    Raises :class:`peerage.DataError` listing every broken line.
    """
    if isinstance(roster, Pool):
        return roster
    roster = read_roster(roster)
    _refuse_several_tasks(roster)
    people = _People.of(roster)
    items = _ItemIndex.of(people, submissions)
    problems = [*_repeated_students(people), *items.clashes(people)]
    if problems:
        raise DataError(sorted(problems, key=lambda problem: problem.line or 0), source=roster.source)
    if not items.labels:
        fix = "at least one student must submit work: see the columns 'role' and 'submits'"
        raise DataError(Problem("there is nothing to review", fix=fix), source=roster.source)
    return _pool(roster, people, items, _conflict_pairs(people, items, conflicts))


def _refuse_several_tasks(roster: Roster) -> None:
    if len(roster.tasks) > 1:
        rule = f"the roster has {len(roster.tasks)} tasks, and an allocation is for one"
        task = roster.tasks[0]
        fix = f"choose one with {named('task', task, in_python=f'roster.for_task({task!r})')}"
        raise DataError(Problem(rule, fix=fix), source=roster.source)


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """The rows, one list or array per column."""

    lines: NDArray[np.int64]
    students: list[str]
    named_items: list[str | None]
    groups: list[str | None]
    sections: list[str | None]
    conflicts: list[list[str] | None]
    submits: NDArray[np.bool_]
    is_staff: NDArray[np.bool_]
    reviews: NDArray[np.int64]

    @classmethod
    def of(cls, roster: Roster) -> _People:
        rows = roster.rows
        return cls(
            lines=rows["line"].to_numpy().astype(np.int64),
            students=rows["student"].to_list(),
            named_items=rows["item"].to_list(),
            groups=rows["group"].to_list(),
            sections=rows["section"].to_list(),
            conflicts=rows["conflicts"].to_list(),
            submits=rows["submits"].to_numpy(),
            is_staff=(rows["role"] != "student").to_numpy(),
            reviews=rows["reviews"].fill_null(-1).to_numpy().astype(np.int64),
        )

    def problem(self, row: int, rule: str, fix: str) -> Problem:
        student = self.students[row]
        return Problem(rule, line=int(self.lines[row]), column="student", value=student, fix=fix)


def _repeated_students(people: _People) -> list[Problem]:
    first: dict[str, int] = {}
    problems = []
    fix = "delete one of the two lines, or tell the two people apart"
    for row, name in enumerate(people.students):
        if name in first:
            problems.append(people.problem(row, f"is on the roster already (line {first[name]})", fix))
        else:
            first[name] = int(people.lines[row])
    return problems


@dataclass(frozen=True, slots=True, eq=False)
class _ItemIndex:
    """What is submitted and after what it is called, who made it, and the items and members of each group."""

    labels: list[str]
    named_by: list[str]
    own: NDArray[np.int64]
    of_group: dict[str, set[int]]
    members: dict[str, list[int]]

    @classmethod
    def of(cls, people: _People, submissions: Submissions) -> _ItemIndex:
        number: dict[str, int] = {}
        named_by = []
        own = np.full(len(people.students), -1, dtype=np.int64)
        of_group: dict[str, set[int]] = {}
        members: dict[str, list[int]] = {}
        for row, group in enumerate(people.groups):
            kind, label = _label(people, row, submissions)
            named_by.append(kind)
            if group is not None:
                members.setdefault(group, []).append(row)
            if people.submits[row]:
                own[row] = number.setdefault(label, len(number))
                if group is not None:
                    of_group.setdefault(group, set()).add(int(own[row]))
        return cls(list(number), named_by, own, of_group, members)

    def clashes(self, people: _People) -> list[Problem]:
        """An item, a group and a student on their own with one name would become one submission."""
        others: dict[int, str] = {}
        for row in np.flatnonzero(self.own >= 0):
            if self.named_by[row] != "student":
                others.setdefault(int(self.own[row]), self.named_by[row])
        fix = "rename one of the two: both would be the same submission"
        return [
            people.problem(row, f"is the name of {_RULES[others[int(item)]]}", fix)
            for row, item in enumerate(self.own)
            if self.named_by[row] == "student" and int(item) in others
        ]


_RULES = {
    "group": "a group and of a student without a group",
    "item": "an item and of a student without one",
}


def _label(people: _People, row: int, submissions: Submissions) -> tuple[str, str]:
    """What the work of a row is called, and after what."""
    item, group = people.named_items[row], people.groups[row]
    if item is not None:
        return "item", item
    if submissions == "group" and group is not None:
        return "group", group
    return "student", people.students[row]


def _conflict_pairs(people: _People, items: _ItemIndex, conflicts: Conflicts) -> set[tuple[int, int]]:
    """Pairs (grader, item) that declared conflicts forbid."""
    row_of = {student: row for row, student in enumerate(people.students)}
    pairs: set[tuple[int, int]] = set()
    for row, names in enumerate(people.conflicts):
        for name in names or ():
            others = set(items.members.get(name, ())) | ({row_of[name]} if name in row_of else set())
            pairs |= {(row, int(items.own[other])) for other in others}
            if conflicts == "mutual":
                pairs |= {(other, int(items.own[row])) for other in others}
    return {(grader, item) for grader, item in pairs if item >= 0}


def _pool(roster: Roster, people: _People, items: _ItemIndex, conflicts: set[tuple[int, int]]) -> Pool:
    barred = {(row, item) for row, item in enumerate(items.own.tolist()) if item >= 0}
    for group, rows in items.members.items():
        barred |= {(row, item) for row in rows for item in items.of_group.get(group, ())}
    starts, flat = _by_grader(barred | conflicts, len(people.students))
    names = tuple(sorted({section for section in people.sections if section is not None}))
    number = {section: k for k, section in enumerate(names)}
    grader_sections = np.array([-1 if section is None else number[section] for section in people.sections])
    item_sections = np.full(len(items.labels), -1, dtype=np.int64)
    submits = items.own >= 0
    item_sections[items.own[submits]] = grader_sections[submits]
    return Pool(
        graders=pl.Series("grader", people.students, dtype=pl.String),
        items=pl.Series("item", items.labels, dtype=pl.String),
        barred_starts=starts,
        barred=flat,
        own=items.own,
        declared=frozenset(conflicts - barred),
        reviews=people.reviews,
        is_staff=people.is_staff,
        grader_sections=grader_sections.astype(np.int64),
        item_sections=item_sections,
        sections=names,
        lines=people.lines,
        emails=roster.rows["email"] if "email" in roster.columns else None,
        source=roster.source,
        notes=_notes(roster),
    )


def _notes(roster: Roster) -> tuple[str, ...]:
    used = set(roster.columns.values())
    ignored = [name for name in roster.cells.columns if name not in used]
    return (*roster.notes, *([f"ignored columns: {', '.join(ignored)}"] if ignored else []))


def _by_grader(pairs: set[tuple[int, int]], n_graders: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    flat = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    flat = flat[np.lexsort((flat[:, 1], flat[:, 0]))]
    starts = np.searchsorted(flat[:, 0], np.arange(n_graders + 1)).astype(np.int64)
    return starts, np.ascontiguousarray(flat[:, 1].astype(np.int32))


# -- cohorts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Cohort:
    """Graders, their numbers of reviews, and the items they choose from."""

    name: str
    graders: NDArray[np.int64]
    numbers: NDArray[np.int64]
    items: NDArray[np.int64]


def split_cohorts(pool: Pool, numbers: NDArray[np.int64], sections: Sections) -> list[Cohort]:
    """The class as a whole, or one cohort per section."""
    everybody, everything = np.arange(pool.n_graders), np.arange(pool.n_items)
    if sections == "pooled":
        return [Cohort("the class", everybody, numbers, everything)]
    _check_sections(pool)
    shares = _shares(pool, numbers)
    cohorts = []
    for section, name in enumerate(pool.sections):
        graders = np.flatnonzero((pool.grader_sections == section) | (shares[:, section] > 0))
        items = np.flatnonzero(pool.item_sections == section)
        if len(items):
            cohorts.append(Cohort(f"section {name}", graders, shares[graders, section], items))
    return cohorts


def _check_sections(pool: Pool) -> None:
    problems = []
    for grader in range(pool.n_graders):
        line, name = int(pool.lines[grader]), str(pool.graders[grader])
        item, section = int(pool.own[grader]), int(pool.grader_sections[grader])
        if section < 0 and not (pool.is_staff[grader] and item < 0):
            fix = "fill in the section, or pool the sections"
            problems.append(Problem("has no section", line=line, column="section", value=name, fix=fix))
        elif item >= 0 and section != pool.item_sections[item]:
            fix = "move the group into one section, or pool the sections"
            rule = f"submits {pool.items[item]!r} together with people of another section"
            problems.append(Problem(rule, line=line, column="section", value=name, fix=fix))
    if problems:
        raise DataError(problems, source=pool.source)


def _shares(pool: Pool, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many reviews everybody gives in each section; people without one split theirs evenly."""
    n_sections = len(pool.sections)
    shares = np.zeros((pool.n_graders, n_sections), dtype=np.int64)
    first = 0
    for grader in range(pool.n_graders):
        section = pool.grader_sections[grader]
        if section >= 0:
            shares[grader, section] = numbers[grader]
            continue
        whole, rest = divmod(int(numbers[grader]), n_sections)
        shares[grader] = whole
        shares[grader, (first + np.arange(rest)) % n_sections] += 1
        first += rest  # the next person goes on where this one stopped
    return shares
