"""The one container of a roster, and what follows from its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import polars as pl

from peerage.errors import DataError, Problem
from peerage.feedback.arrays import ONLY_TASK

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback

_Change = Callable[[pl.DataFrame], pl.DataFrame]

MAKERS = ("task", "item", "student")
GROUPS = ("task", "student", "group")
ITEM_GROUPS = ("task", "item", "group")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Roster:
    """Who is in the class, who hands in what, and who belongs together.

    A null `task` stands for every task, here and in all tables below.

    Attributes
    ----------
    rows : one row per person and work, in the order of the file: line, student, item, group, task, section,
        email, conflicts (a list of names), role (student, staff or external), submits, reviews. All columns
        are there; null is what the file does not say.
    cells : all columns of the file as text under their own names, beside `rows`: what grade books know
        people by.
    columns : role to what the file calls its column.
    makers : task, item, student: who made what.
    groups : task, student, group: who belongs together.
    item_groups : task, item, group: the groups whose work the item is.
    complete : whether everybody of the class is on it, so that who is missing is worth a word.
    source, notes : where it came from, and what was assumed in reading it.
    """

    rows: pl.DataFrame
    cells: pl.DataFrame
    makers: pl.DataFrame
    groups: pl.DataFrame
    item_groups: pl.DataFrame
    columns: Mapping[str, str] = field(default_factory=dict)
    complete: bool = True
    source: str | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def from_rows(
        cls,
        rows: pl.DataFrame,
        cells: pl.DataFrame,
        *,
        columns: Mapping[str, str],
        source: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> Roster:
        """From checked rows. A work without an item is labelled like its group, or else its student."""
        made = _handed_in(rows).drop_nulls("item")
        grouped = pl.col("group").is_not_null()
        return cls(
            rows=rows,
            cells=cells,
            makers=made.select(*MAKERS).unique(maintain_order=True),
            groups=rows.filter(grouped).select(*GROUPS).unique(maintain_order=True),
            item_groups=made.filter(grouped).select(*ITEM_GROUPS).unique(maintain_order=True),
            columns=columns,
            source=source,
            notes=notes,
        )

    def __repr__(self) -> str:
        people, works = len(self.students), self.makers.select("task", "item").n_unique()
        return f"<Roster: {people} people, {works} works>"

    @property
    def students(self) -> pl.Series:
        """Everybody named, staff too, sorted."""
        named = (self.rows["student"], self.makers["student"], self.groups["student"])
        return pl.concat(named).unique().sort()

    @property
    def reviewers(self) -> pl.Series:
        """The students who are to review, sorted."""
        expected = (pl.col("role") == "student") & (pl.col("reviews").fill_null(1) > 0)
        return self.rows.filter(expected)["student"].unique().sort()

    @property
    def works(self) -> pl.DataFrame:
        """Beside `rows`: task, item, student; the item is null where nothing is handed in."""
        return _handed_in(self.rows).select(*MAKERS)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that it names, sorted."""
        named = pl.concat([frame["task"] for frame in (self.rows, self.makers, self.groups)])
        return tuple(named.drop_nulls().unique().sort())

    def for_task(self, task: str) -> Roster:
        """The rows of one task, and those that stand for every task."""
        if self.tasks and task not in self.tasks and not self.rows["task"].null_count():
            rule = f"the roster has nobody in task {task!r}"
            raise DataError(Problem(rule, fix=f"it has {_listed(self.tasks)}"), source=self.source)
        return self._with_tasks(lambda frame: frame.filter(_is_in_task(task)))

    def for_class(self, tasks: pl.Series) -> Roster:
        """The roster of a class that has these tasks, refused where it is that of other tasks.

        A class whose feedback names no task is the one task that the roster names.
        """
        known = set(tasks)
        if not self.tasks or known & set(self.tasks):
            return self
        if known == {ONLY_TASK} and len(self.tasks) == 1:
            return self._with_tasks(lambda frame: frame.with_columns(task=pl.lit(None, dtype=pl.String)))
        theirs, ours = _listed(sorted(known)), _listed(self.tasks)
        rule = f"the roster's tasks ({ours}) are not those of the class ({theirs})"
        fix = "call tasks alike in both, or leave the roster's column out where its rows are for every task"
        raise DataError(Problem(rule, fix=fix), source=self.source)

    def for_feedback(self, feedback: Feedback, *, rename: bool = True) -> Roster:
        """The roster of a class with this feedback: its tasks, and its names as the feedback writes them.

        See :func:`peerage.roster.matching.fitted`; without ``rename``, students keep the roster's names.
        """
        from peerage.roster.matching import fitted

        return fitted(self.for_class(feedback.task_labels), feedback, rename=rename)

    def makers_of(self, task: str, item: str) -> pl.Series:
        """Who made an item, with their group: everybody who must not judge it."""
        here = _is_in_task(task)
        its = (pl.col("item") == item) & here
        groups = self.item_groups.filter(its)["group"]
        mates = self.groups.filter(here & pl.col("group").is_in(groups.implode()))["student"]
        return pl.concat([self.makers.filter(its)["student"], mates]).unique().sort()

    def _with_tasks(self, change: _Change) -> Roster:
        kept = change(self.rows.with_row_index("number"))
        return replace(
            self,
            rows=kept.drop("number"),
            cells=self.cells[kept["number"].to_list()],
            makers=change(self.makers),
            groups=change(self.groups),
            item_groups=change(self.item_groups),
        )


def _handed_in(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with what each hands in as `item`: its item, group or student by name; null for nothing."""
    label = pl.coalesce("item", "group", "student")
    return rows.with_columns(item=pl.when("submits").then(label))


def _is_in_task(task: str) -> pl.Expr:
    return pl.col("task").is_null() | (pl.col("task") == task)


def _listed(names: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return f"{shown} …" if len(names) > 5 else shown
