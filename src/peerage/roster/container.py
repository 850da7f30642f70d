"""The container of a roster, what follows from its rows, and its names beside those of a class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.errors import DataError, Problem
from peerage.feedback.arrays import ONLY_TASK
from peerage.feedback.labels import fold_key

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback

# the columns of `Roster.rows`
ROWS: dict[str, pl.DataType] = {
    "line": pl.Int64(),
    **dict.fromkeys(("student", "item", "group", "task", "section", "email"), pl.String()),
    "conflicts": pl.List(pl.String),
    "role": pl.String(),
    "submits": pl.Boolean(),
    "reviews": pl.Int64(),
}
MAKERS = ("task", "item", "student")
GROUPS = ("task", "student", "group")
ITEM_GROUPS = ("task", "item", "group")
# what a row submits: its item, group or student by name; null for nothing
SUBMISSION = pl.when("submits").then(pl.coalesce("item", "group", "student"))

SHOWN = 6
NO_SECTION = "no section"
MATCHED = "names of the roster matched to the feedback"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Roster:
    """Who is in the class, who submits what, and who belongs together.

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
        submitted = rows.with_columns(item=SUBMISSION).drop_nulls("item")
        grouped = pl.col("group").is_not_null()
        return cls(
            rows=rows,
            cells=cells,
            makers=submitted.select(*MAKERS).unique(maintain_order=True),
            groups=rows.filter(grouped).select(*GROUPS).unique(maintain_order=True),
            item_groups=submitted.filter(grouped).select(*ITEM_GROUPS).unique(maintain_order=True),
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
        """Beside `rows`: task, item, student; the item is null where nothing is submitted."""
        return self.rows.with_columns(item=SUBMISSION).select(*MAKERS)

    def item_sections(self, feedback: Feedback) -> pl.Series | None:
        """The section of every item of the feedback, as categories; None where fewer than two are known."""
        named = (
            self.rows.with_columns(item=SUBMISSION)
            .select("task", "item", "section")
            .drop_nulls(["item", "section"])
        )
        if named["section"].n_unique() < 2:
            return None
        items = pl.DataFrame(
            {"task": feedback.task_labels.gather(feedback.item_tasks), "item": feedback.item_labels}
        )
        everywhere = dict(named.filter(pl.col("task").is_null()).select("item", "section").iter_rows())
        here = {(task, item): section for task, item, section in named.iter_rows()}
        sections = [
            here.get((task, item)) or everywhere.get(item, NO_SECTION) for task, item in items.iter_rows()
        ]
        if len(set(sections)) < 2:
            return None
        return pl.Series("section", sections, dtype=pl.Enum(sorted(set(sections))))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that it names, sorted."""
        named = pl.concat([frame["task"] for frame in (self.rows, self.makers, self.groups)])
        return tuple(named.drop_nulls().unique().sort())

    def for_task(self, task: str) -> Roster:
        """The rows of one task, and those that stand for every task."""
        if self.tasks and task not in self.tasks and not self.rows["task"].null_count():
            rule = f"the roster has nobody in task {task!r}"
            raise DataError(Problem(rule, fix=f"it has {_list_tasks(self.tasks)}"), source=self.source)
        return self._with_tasks(lambda frame: frame.filter(_is_in_task(task)))

    def for_class(self, tasks: pl.Series) -> Roster:
        """The roster of a class that has these tasks, refused where it is that of other tasks.

        A class whose feedback names no task is the one task that the roster names.
        """
        class_tasks = set(tasks)
        if not self.tasks or class_tasks & set(self.tasks):
            return self
        if class_tasks == {ONLY_TASK} and len(self.tasks) == 1:
            return self._with_tasks(lambda frame: frame.with_columns(task=pl.lit(None, dtype=pl.String)))
        theirs, ours = _list_tasks(sorted(class_tasks)), _list_tasks(self.tasks)
        rule = f"the roster's tasks ({ours}) are not those of the class ({theirs})"
        fix = "call tasks alike in both, or leave the roster's column out where its rows are for every task"
        raise DataError(Problem(rule, fix=fix), source=self.source)

    def for_feedback(self, feedback: Feedback, *, rename: bool = True) -> Roster:
        """The roster of a class with this feedback: its tasks, and its names as the feedback writes them.

        A name that the feedback does not have is looked for in other case, with other blanks, and turned
        round (`Lovelace, Ada` for `Ada Lovelace`); it is taken where there is one candidate, and a note says
        so. A roster of which nobody and nothing is in the feedback is refused. Without ``rename``, students
        keep the roster's names.
        """
        roster = self.for_class(feedback.task_labels)
        return roster if roster.rows.is_empty() else roster._with_names_of(feedback, rename)

    def makers_of(self, task: str, item: str) -> pl.Series:
        """Who made an item, with their group: everybody who must not judge it."""
        here = _is_in_task(task)
        its = (pl.col("item") == item) & here
        groups = self.item_groups.filter(its)["group"]
        mates = self.groups.filter(here & pl.col("group").is_in(groups.implode()))["student"]
        return pl.concat([self.makers.filter(its)["student"], mates]).unique().sort()

    def _with_names_of(self, feedback: Feedback, rename: bool) -> Roster:
        people = match_names(self.students, feedback.grader_labels)
        works = match_names(self.works["item"].drop_nulls().unique(), feedback.item_labels.unique())
        if not people and not works:
            raise self._stranger_to(feedback)
        rows = self.rows.with_columns(item=pl.coalesce(SUBMISSION.replace(works), pl.col("item")))
        if rename:
            rows = rows.with_columns(pl.col("student").replace(people))
        matches = {**works, **(people if rename else {})}
        changes = sorted((ours, theirs) for ours, theirs in matches.items() if ours != theirs)
        if not changes:
            return self
        shown = ", ".join(f"{ours!r} is {theirs!r}" for ours, theirs in changes[:SHOWN])
        more = f" and {len(changes) - SHOWN:,} more" if len(changes) > SHOWN else ""
        notes = (*self.notes, f"{MATCHED}: {shown}{more}")
        return Roster.from_rows(rows, self.cells, columns=self.columns, source=self.source, notes=notes)

    def _stranger_to(self, feedback: Feedback) -> DataError:
        rule = (
            f"0 of {len(self.students):,} matched:"
            " nobody on the roster has reviewed, and none of its work was reviewed"
            f"\n      on the roster:   {listed_names(self.students)}"
            f"\n      in the feedback: {listed_names(feedback.grader_labels)}"
        )
        fix = "say which column of the roster holds the names that the feedback uses, or use another roster"
        return DataError(Problem(rule, fix=fix), source=self.source)

    def _with_tasks(self, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Roster:
        kept = change(self.rows.with_row_index("number"))
        return replace(
            self,
            rows=kept.drop("number"),
            cells=self.cells[kept["number"].to_list()],
            makers=change(self.makers),
            groups=change(self.groups),
            item_groups=change(self.item_groups),
        )


def _is_in_task(task: str) -> pl.Expr:
    return pl.col("task").is_null() | (pl.col("task") == task)


def _list_tasks(names: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return f"{shown} …" if len(names) > 5 else shown


def item_table(feedback: Feedback) -> pl.DataFrame:
    """The items of a class: task, item, number."""
    return pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks),
            "item": feedback.item_labels,
            "number": np.arange(feedback.n_items),
        }
    )


def join_items(rows: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """What a roster says of items (`task`, `item` and more) with what is known of them (the same and more).

    Items belong to tasks, and a label may be that of several: task and item are joined, never the item alone.
    A row without a task is about the items of its label in every task. Rows about no item fall out.
    """
    anywhere = pl.col("task").is_null()
    everywhere = rows.filter(anywhere).drop("task").join(items, on="item", maintain_order="left_right")
    named = rows.filter(~anywhere).join(items, on=["task", "item"], maintain_order="left_right")
    return pl.concat([everywhere.select(named.columns), named])


def match_names(ours: pl.Series, theirs: pl.Series) -> dict[str, str]:
    """Each of our names that they have, to how they write it: exactly so, or as the only candidate."""
    candidates = set(theirs)
    matches = {name: name for name in ours if name in candidates}
    for key in (fold_key, _first_name_first):
        mine = _by_key((name for name in ours if name not in matches), key)
        others = _by_key((name for name in candidates if name not in matches.values()), key)
        matches |= {
            names[0]: others[written][0]
            for written, names in mine.items()
            if len(names) == 1 and len(others.get(written, ())) == 1
        }
    return matches


def _by_key(names: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(key(name), []).append(name)
    return groups


def _first_name_first(name: str) -> str:
    """`Lovelace, Ada` as `ada lovelace`."""
    last, comma, first = name.partition(",")
    return fold_key(f"{first} {last}" if comma and "," not in first and first.strip() else name)


def listed_names(names: pl.Series) -> str:
    """The first few of many names."""
    shown = ", ".join(repr(name) for name in names.head(SHOWN))
    return f"{shown} … ({plural(len(names), 'name')})" if len(names) > SHOWN else shown
