"""Who graded their own work, or their group's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.checking.report import Finding, template
from peerage.roster import item_table, join_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback import Feedback
    from peerage.roster import Roster


def ownership_findings(feedback: Feedback, roster: Roster | None) -> list[Finding]:
    """Reviews of one's own work and of one's group's, and where roster and feedback disagree."""
    if roster is None:
        return []
    own, group = own_entries(feedback, roster)
    found = [
        *_own_work(feedback, np.flatnonzero(own)),
        *_own_group(feedback, np.flatnonzero(group & ~own)),
    ]
    return [*found, *_strangers(feedback, roster), *_silent(feedback, roster), *_missing(feedback, roster)]


def own_entries(feedback: Feedback, roster: Roster) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Per review: whether the grader made the item, and whether a member of the grader's group did."""
    graders, items = feedback.entry_graders, feedback.items
    makers = join_items(roster.makers, item_table(feedback)).join(_graders(feedback), on="student")
    own = _is_in(makers["number"], makers["grader"], items, graders, feedback.n_graders)
    names = pl.concat([roster.groups["group"], roster.item_groups["group"]]).unique().sort()
    codes = pl.DataFrame({"group": names, "code": np.arange(len(names))})
    of_items = join_items(roster.item_groups, item_table(feedback)).join(codes, on="group")
    group = np.zeros(feedback.n_entries, dtype=bool)
    for of_grader in _grader_groups(feedback, roster, codes):
        group |= (of_grader >= 0) & _is_in(of_items["number"], of_items["code"], items, of_grader, len(codes))
    return own, group


def _graders(feedback: Feedback) -> pl.DataFrame:
    return pl.DataFrame({"student": feedback.grader_labels, "grader": np.arange(feedback.n_graders)})


def _is_in(
    items: pl.Series,
    others: pl.Series,
    entry_items: NDArray[np.int32],
    entry_others: NDArray[np.int32],
    n: int,
) -> NDArray[np.bool_]:
    """Whether each pair of numbers, the second below n, is among the known pairs."""
    known = pl.Series(items.to_numpy().astype(np.int64) * n + others.to_numpy())
    wanted = pl.Series(entry_items.astype(np.int64) * n + entry_others)
    return np.asarray(wanted.is_in(known.implode()).to_numpy())


def _grader_groups(feedback: Feedback, roster: Roster, codes: pl.DataFrame) -> Iterator[NDArray[np.int32]]:
    """Per review the group its grader is in, -1 for none; once more for each further group anybody is in.

    Groups may differ from task to task: those of a task count for reviews in it alone.
    """
    known = roster.groups.join(_graders(feedback), on="student").join(codes, on="group")
    tasks = pl.DataFrame({"task": feedback.task_labels, "number": np.arange(feedback.n_tasks)})
    anywhere = known.filter(pl.col("task").is_null()).with_columns(place="grader")
    named = known.join(tasks, on="task").with_columns(
        place=pl.col("number") * feedback.n_graders + pl.col("grader")
    )
    places = feedback.item_tasks[feedback.items].astype(np.int64) * feedback.n_graders
    for rows, size, where in (
        (anywhere, feedback.n_graders, feedback.entry_graders),
        (named, feedback.n_tasks * feedback.n_graders, places + feedback.entry_graders),
    ):
        slots = rows.with_columns(slot=pl.int_range(pl.len()).over("place"))
        for (_,), part in slots.group_by("slot"):
            group = np.full(size, -1, dtype=np.int32)
            group[part["place"].to_numpy()] = part["code"].to_numpy()
            yield group[where]


def _reviews(feedback: Feedback, entries: NDArray[np.int64]) -> pl.DataFrame:
    items = feedback.items[entries]
    return pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks[items]),
            "grader": feedback.grader_labels.gather(feedback.entry_graders[entries]),
            "item": feedback.item_labels.gather(items),
        }
    )


def _own_work(feedback: Feedback, entries: NDArray[np.int64]) -> list[Finding]:
    if len(entries) == 0:
        return []
    return [
        Finding(
            code="own-work",
            severity="warning",
            found=f"{plural(len(entries), 'review is', 'reviews are')} of the grader's own work.",
            means="Nobody judges their own work by the same measure: it is lifted, and whatever they ranked"
            " beside it is pushed down.",
            advice="Remove these reviews before grading, and keep authors out of the allocation.",
            cases=_reviews(feedback, entries),
            example=template(feedback, "{grader} on {item}"),
        )
    ]


def _own_group(feedback: Feedback, entries: NDArray[np.int64]) -> list[Finding]:
    if len(entries) == 0:
        return []
    return [
        Finding(
            code="own-group",
            severity="warning",
            found=f"{plural(len(entries), 'review is', 'reviews are')} of work from the grader's own group.",
            means="Friends rank friends up: these reviews favour the group.",
            advice="Remove them if the group worked together on it, and keep groups apart in the allocation.",
            cases=_reviews(feedback, entries),
            example=template(feedback, "{grader} on {item}"),
        )
    ]


def _strangers(feedback: Feedback, roster: Roster) -> list[Finding]:
    graders = feedback.grader_labels.filter(~feedback.grader_labels.is_in(roster.students.implode()))
    if not roster.complete or len(graders) == 0:
        return []
    return [
        Finding(
            code="not-on-roster",
            severity="warning",
            found=f"{plural(len(graders), 'grader is', 'graders are')} not on the roster.",
            means="Whether they graded their own or their group's work cannot be checked.",
            advice="Look for misspelt names, and complete the roster.",
            cases=pl.DataFrame({"grader": graders}),
            example="{grader}".format_map,
        )
    ]


def _silent(feedback: Feedback, roster: Roster) -> list[Finding]:
    students = roster.reviewers.filter(~roster.reviewers.is_in(feedback.grader_labels.implode()))
    if not roster.complete or len(students) == 0:
        return []
    return [
        Finding(
            code="no-feedback",
            severity="info",
            found=f"{plural(len(students), 'student')} on the roster handed in no reviews.",
            means="The items they were to review have fewer opinions.",
            advice="Remind them while there is time.",
            cases=pl.DataFrame({"student": students}),
            example="{student}".format_map,
        )
    ]


def _without(made: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """What is not among these items; a row without a task is where any task has its item."""
    anywhere = pl.col("task").is_null()
    return pl.concat(
        [
            made.filter(anywhere).join(items, on="item", how="anti"),
            made.filter(~anywhere).join(items, on=["task", "item"], how="anti"),
        ]
    ).sort("item", "task")


def _missing(feedback: Feedback, roster: Roster) -> list[Finding]:
    """Items that are on the roster only."""
    here = pl.col("task").is_null() | pl.col("task").is_in(feedback.task_labels.implode())
    made = roster.makers.filter(here).select("task", "item").unique().sort("item", "task")
    key = ["task", "item"] if roster.tasks else ["item"]
    items = _without(made, item_table(feedback))
    if not roster.complete or len(items) == 0:
        return []
    known = len(made) > len(items)
    advice = (
        "Have staff or late graders look at them."
        if known
        else ("Check that roster and feedback name items alike: they share none.")
    )
    return [
        Finding(
            code="unreviewed-on-roster",
            severity="warning",
            found=f"{plural(len(items), 'item')} on the roster got no review.",
            means="They will have no grade: the feedback does not know them.",
            advice=advice,
            cases=items.select(key),
            example=template(feedback, "{item}") if "task" in key else "{item}".format_map,
        )
    ]
