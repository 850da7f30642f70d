"""Who graded their own work, or their group's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.checking.report import Finding, template

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.checking.roster import Roster
    from peerage.feedback import Feedback


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
    makers = _coded(feedback, roster.makers)
    own = _is_in(makers["number"], makers["grader"], items, graders, feedback.n_graders)
    codes = pl.concat([roster.groups["group"], roster.item_groups["group"]]).unique().sort()
    item_groups = _coded(feedback, roster.item_groups, codes)
    group = np.zeros(feedback.n_entries, dtype=bool)
    for of_grader in _group_slots(feedback, roster, codes):
        known = of_grader[graders] >= 0
        group |= known & _is_in(
            item_groups["number"], item_groups["code"], items, of_grader[graders], len(codes)
        )
    return own, group


def _coded(feedback: Feedback, frame: pl.DataFrame, groups: pl.Series | None = None) -> pl.DataFrame:
    """Rows about items of this feedback, with the item's number and the student's or group's."""
    numbers = pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks),
            "item": feedback.item_labels,
            "number": np.arange(feedback.n_items),
        }
    )
    keys = ["task", "item"] if "task" in frame.columns else ["item"]
    frame = frame.join(numbers, on=keys)
    if groups is None:
        students = pl.DataFrame({"student": feedback.grader_labels, "grader": np.arange(feedback.n_graders)})
        return frame.join(students, on="student")
    return frame.join(pl.DataFrame({"group": groups, "code": np.arange(len(groups))}), on="group")


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


def _group_slots(feedback: Feedback, roster: Roster, codes: pl.Series) -> list[NDArray[np.int32]]:
    """The group of each grader, -1 for none; one array more for each further group anybody is in."""
    students = pl.DataFrame({"student": feedback.grader_labels, "grader": np.arange(feedback.n_graders)})
    numbers = pl.DataFrame({"group": codes, "code": np.arange(len(codes))})
    known = roster.groups.join(students, on="student").join(numbers, on="group")
    known = known.with_columns(slot=pl.int_range(pl.len()).over("grader"))
    slots = []
    for (_,), part in known.group_by("slot"):
        group = np.full(feedback.n_graders, -1, dtype=np.int32)
        group[part["grader"].to_numpy()] = part["code"].to_numpy()
        slots.append(group)
    return slots


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
    students = roster.students.filter(~roster.students.is_in(feedback.grader_labels.implode()))
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


def _missing(feedback: Feedback, roster: Roster) -> list[Finding]:
    """Items that are on the roster only."""
    made = roster.makers["item"].unique().sort()
    items = made.filter(~made.is_in(feedback.item_labels.implode()))
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
            cases=pl.DataFrame({"item": items}),
            example="{item}".format_map,
        )
    ]
