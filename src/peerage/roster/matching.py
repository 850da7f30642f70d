"""A roster beside a class: which of the class's people and items its rows are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.errors import DataError, Problem
from peerage.feedback.labels import fold_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from peerage.feedback.container import Feedback
    from peerage.roster.container import Roster

SHOWN = 6
MATCHED = "names of the roster matched to the feedback"


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


def fitted(roster: Roster, feedback: Feedback, *, rename: bool = True) -> Roster:
    """The roster with the names that the feedback has, where only their writing differs.

    A name that the feedback does not have is looked for in other case, with other blanks, and turned round
    (`Lovelace, Ada` for `Ada Lovelace`); it is taken where there is one candidate, and a note says so. A
    roster of which nobody and nothing is in the feedback is refused.
    """
    if roster.rows.is_empty():
        return roster
    people = same_names(roster.students, feedback.grader_labels)
    works = same_names(roster.works["item"].drop_nulls().unique(), feedback.item_labels.unique())
    _refuse_strangers(roster, people, works, feedback)
    rows = roster.rows
    made = pl.when("submits").then(pl.coalesce("item", "group", "student")).replace(works)
    changed = rows.with_columns(item=pl.coalesce(made, pl.col("item")))
    if rename:
        changed = changed.with_columns(pl.col("student").replace(people))
    told = {**works, **(people if rename else {})}
    other = sorted((name, seen) for name, seen in told.items() if name != seen)
    if not other:
        return roster
    shown = ", ".join(f"{name!r} is {seen!r}" for name, seen in other[:SHOWN])
    more = f" and {len(other) - SHOWN:,} more" if len(other) > SHOWN else ""
    kind = type(roster)
    return kind.from_rows(
        changed,
        roster.cells,
        columns=roster.columns,
        source=roster.source,
        notes=(*roster.notes, f"{MATCHED}: {shown}{more}"),
    )


def same_names(ours: pl.Series, theirs: pl.Series) -> dict[str, str]:
    """Each of our names that they have, to how they write it: exactly so, or as the only candidate."""
    known = set(theirs)
    found = {name: name for name in ours if name in known}
    for key in (fold_key, _turned):
        mine = _by_key((name for name in ours if name not in found), key)
        others = _by_key((name for name in known if name not in found.values()), key)
        found |= {
            names[0]: others[written][0]
            for written, names in mine.items()
            if len(names) == 1 and len(others.get(written, ())) == 1
        }
    return found


def _by_key(names: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(key(name), []).append(name)
    return groups


def _turned(name: str) -> str:
    """`Lovelace, Ada` as `ada lovelace`."""
    last, comma, first = name.partition(",")
    return fold_key(f"{first} {last}" if comma and "," not in first and first.strip() else name)


def _refuse_strangers(
    roster: Roster, people: dict[str, str], works: dict[str, str], feedback: Feedback
) -> None:
    if people or works:
        return
    total = len(roster.students)
    rule = (
        f"0 of {total:,} matched: nobody on the roster has reviewed, and none of its work was reviewed"
        f"\n      on the roster:   {listed_names(roster.students)}"
        f"\n      in the feedback: {listed_names(feedback.grader_labels)}"
    )
    fix = "say which column of the roster holds the names that the feedback uses, or use another roster"
    raise DataError(Problem(rule, fix=fix), source=roster.source)


def listed_names(names: pl.Series) -> str:
    """The first few of many names."""
    shown = ", ".join(repr(name) for name in names.head(SHOWN))
    return f"{shown} … ({plural(len(names), 'name')})" if len(names) > SHOWN else shown
