"""Reviews of one's own work, or one's group's: which they are, feedback without them, and their findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._options import SELF_REVIEWS, SelfReviews
from peerage._words import plural
from peerage.checking.findings import Finding, template
from peerage.errors import MethodError
from peerage.roster.container import item_table, join_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.roster.container import Roster

LIFTED = (
    "Nobody judges their own work by the same measure: it is lifted, and whatever they ranked beside it is"
    " pushed down."
)


@dataclass(frozen=True, slots=True, eq=False)
class ReviewSelection:
    """Feedback as it is graded, and the reviews of own work that are, or would be, left out of it.

    Attributes
    ----------
    feedback : what is graded; items and graders keep their numbers.
    own : reviews of own work by the roster: task, grader, item.
    alike : reviews by a grader who is called like the item, where nobody says who made it: own work, if equal
        labels mean the same person.
    group : reviews of work that another member of the grader's group made for themselves; never left out.
    kept : whether reviews of own work count all the same.
    """

    feedback: Feedback
    own: pl.DataFrame
    alike: pl.DataFrame
    group: pl.DataFrame
    kept: bool

    @property
    def left_out(self) -> pl.DataFrame:
        """What is not graded: task, grader, item, and how it is known ("roster" or "label")."""
        sources = (("roster", self.own), ("label", self.alike))
        both = pl.concat([reviews.with_columns(known_by=pl.lit(source)) for source, reviews in sources])
        return both.clear() if self.kept else both


def select_reviews(
    feedback: Feedback, roster: Roster | None, self_reviews: SelfReviews = "drop"
) -> ReviewSelection:
    """Leave out reviews of own work, or keep them; the rest of a list stays as it was ranked."""
    if self_reviews not in SELF_REVIEWS:
        raise MethodError(
            f"self_reviews must be one of {', '.join(map(repr, SELF_REVIEWS))}, not {self_reviews!r}"
        )
    own, group = np.zeros((2, feedback.n_entries), dtype=bool)
    if roster is not None:
        own, group = own_entries(feedback, roster)
    alike = _alike_entries(feedback, roster) & ~own
    keep = self_reviews == "keep"
    out = own | alike
    return ReviewSelection(
        feedback if keep or not out.any() else leave_out(feedback, np.flatnonzero(out)),
        review_rows(feedback, np.flatnonzero(own)),
        review_rows(feedback, np.flatnonzero(alike)),
        review_rows(feedback, np.flatnonzero(group & ~out)),
        keep,
    )


def leave_out(feedback: Feedback, reviews: NDArray[np.int64]) -> Feedback:
    """The feedback without these reviews; of two compared items, one alone says nothing."""
    out = np.zeros(feedback.n_entries, dtype=bool)
    out[reviews] = True
    if feedback.kind == "pairs":
        hit = np.bincount(feedback.entry_lists[reviews], minlength=feedback.n_lists) > 0
        out = hit[feedback.entry_lists]
    return feedback.keep_entries(~out)


def _alike_entries(feedback: Feedback, roster: Roster | None) -> NDArray[np.bool_]:
    """Per review: whether grader and item have the same label, and nobody says who made the item."""
    same = pl.DataFrame({"item": feedback.item_labels, "number": np.arange(feedback.n_items)}).join(
        pl.DataFrame({"item": feedback.grader_labels, "grader": np.arange(feedback.n_graders)}), on="item"
    )
    of_item = np.full(feedback.n_items, -1, dtype=np.int64)
    of_item[same["number"].to_numpy()] = same["grader"].to_numpy()
    if roster is not None:
        for attributed in (roster.makers, roster.item_groups):
            of_item[join_items(attributed, item_table(feedback))["number"].to_numpy()] = -1
    return np.asarray(of_item[feedback.items] == feedback.entry_graders)


def own_entries(feedback: Feedback, roster: Roster) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Per review: whether the grader made the item, and whether a member of the grader's group did."""
    graders, items = feedback.entry_graders, feedback.items
    authors = pl.concat([roster.makers, _team_makers(roster)])
    makers = join_items(authors, item_table(feedback)).join(_graders(feedback), on="student")
    own = _is_in(makers["number"], makers["grader"], items, graders, feedback.n_graders)
    names = pl.concat([roster.groups["group"], roster.item_groups["group"]]).unique().sort()
    codes = pl.DataFrame({"group": names, "code": np.arange(len(names))})
    of_items = join_items(roster.item_groups, item_table(feedback)).join(codes, on="group")
    group = np.zeros(feedback.n_entries, dtype=bool)
    for of_grader in _grader_groups(feedback, roster, codes):
        group |= (of_grader >= 0) & _is_in(of_items["number"], of_items["code"], items, of_grader, len(codes))
    return own, group


def _team_makers(roster: Roster) -> pl.DataFrame:
    """Task, item, student: everybody of a group, for what the group made as one.

    That is an item called like its group or owned by it, and the only item of a group; several items of one
    group are its members' own.
    """
    group_items = roster.item_groups.join(
        roster.makers.select("task", "item", group="student", theirs=pl.lit(True)),
        on=["task", "item", "group"],
        how="left",
        nulls_equal=True,
    )
    named = pl.col("item") != pl.col("group")  # a member without an item has one called like the group
    alone = pl.col("item").filter(named).n_unique().over("task", "group") <= 1
    team = group_items.filter(~named | pl.col("theirs").fill_null(False) | alone)
    members = roster.groups.select("group", "student", in_task="task")
    both = team.select("task", "item", "group").join(members, on="group")
    fits = pl.col("task").is_null() | pl.col("in_task").is_null() | (pl.col("task") == pl.col("in_task"))
    return both.filter(fits).select(pl.coalesce("task", "in_task").alias("task"), "item", "student")


def _graders(feedback: Feedback) -> pl.DataFrame:
    return pl.DataFrame({"student": feedback.grader_labels, "grader": np.arange(feedback.n_graders)})


def _is_in(
    items: pl.Series,
    others: pl.Series,
    entry_items: NDArray[np.int32],
    entry_others: NDArray[np.int32],
    n: int,
) -> NDArray[np.bool_]:
    """Whether each pair of numbers, the second below n, is among the pairs of these columns."""
    pairs = pl.Series(items.to_numpy().astype(np.int64) * n + others.to_numpy())
    wanted = pl.Series(entry_items.astype(np.int64) * n + entry_others)
    return np.asarray(wanted.is_in(pairs.implode()).to_numpy())


def _grader_groups(feedback: Feedback, roster: Roster, codes: pl.DataFrame) -> Iterator[NDArray[np.int32]]:
    """Per review the group its grader is in, -1 for none; once more for each further group anybody is in.

    Groups may differ from task to task: those of a task count for reviews in it alone.
    """
    members = roster.groups.join(_graders(feedback), on="student").join(codes, on="group")
    tasks = pl.DataFrame({"task": feedback.task_labels, "number": np.arange(feedback.n_tasks)})
    anywhere = members.filter(pl.col("task").is_null()).with_columns(place="grader")
    named = members.join(tasks, on="task").with_columns(
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


def review_rows(feedback: Feedback, entries: NDArray[np.int64]) -> pl.DataFrame:
    """These reviews as a table: task, grader, item."""
    items = feedback.items[entries]
    return pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks[items]),
            "grader": feedback.grader_labels.gather(feedback.entry_graders[entries]),
            "item": feedback.item_labels.gather(items),
        }
    )


# -- findings ---------------------------------------------------------------------------------------


def ownership_findings(
    feedback: Feedback, roster: Roster | None, selection: ReviewSelection
) -> list[Finding]:
    """Reviews of one's own work and of one's group's, and where roster and feedback disagree."""
    findings = [
        _self_reviews(feedback, selection),
        _alike(feedback, selection),
        _own_group(feedback, selection.group),
    ]
    if roster is None or not roster.complete:
        return findings
    return [*findings, _strangers(feedback, roster), _silent(feedback, roster), _missing(feedback, roster)]


def _self_reviews(feedback: Feedback, selection: ReviewSelection) -> Finding:
    means = (
        f"They count, as asked for. {LIFTED}"
        if selection.kept
        else "They are left out of the grading: nobody judges their own work by the same measure. What else"
        " these graders reviewed counts as before."
    )
    return Finding(
        code="own-work",
        severity="warning",
        found=f"{plural(len(selection.own), 'review is', 'reviews are')} of the grader's own work.",
        means=means,
        advice="Keep authors out of the allocation next time. Whether such reviews count can be said when"
        " grading.",
        cases=selection.own,
        example=template(feedback, "{grader} on {item}"),
    )


def _alike(feedback: Feedback, selection: ReviewSelection) -> Finding:
    n = len(selection.alike)
    done = "They count, as asked for" if selection.kept else "To be safe they are left out of the grading"
    return Finding(
        code="own-label",
        severity="info" if selection.kept else "warning",
        found=f"{plural(n, 'review is', 'reviews are')} by a grader who is called like the item.",
        means=f"If that is the same person, they judged their own work. {done}: a review of somebody"
        " else's work that is lost costs little, one of own work that counts lifts its author.",
        advice="Give a roster, which says who made what. Without one, where equal labels mean nothing,"
        " say when grading that reviews of own work count.",
        cases=selection.alike,
        example=template(feedback, "{grader} on {item}"),
    )


def _own_group(feedback: Feedback, cases: pl.DataFrame) -> Finding:
    return Finding(
        code="own-group",
        severity="warning",
        found=f"{plural(len(cases), 'review is', 'reviews are')} of work from the grader's own group.",
        means="Friends rank friends up: these reviews favour the group. They count.",
        advice="Remove them if the group worked together on it, and keep groups apart in the allocation.",
        cases=cases,
        example=template(feedback, "{grader} on {item}"),
    )


def _strangers(feedback: Feedback, roster: Roster) -> Finding:
    graders = feedback.grader_labels.filter(~feedback.grader_labels.is_in(roster.students.implode()))
    return Finding(
        code="not-on-roster",
        severity="warning",
        found=f"{plural(len(graders), 'grader is', 'graders are')} not on the roster.",
        means="Whether they graded their own or their group's work cannot be checked.",
        advice="Look for misspelt names, and complete the roster.",
        cases=pl.DataFrame({"grader": graders}),
        example="{grader}".format_map,
    )


def _silent(feedback: Feedback, roster: Roster) -> Finding:
    students = roster.reviewers.filter(~roster.reviewers.is_in(feedback.grader_labels.implode()))
    return Finding(
        code="no-feedback",
        severity="info",
        found=f"{plural(len(students), 'student')} on the roster submitted no reviews.",
        means="The items they were to review have fewer opinions.",
        advice="Remind them while there is time.",
        cases=pl.DataFrame({"student": students}),
        example="{student}".format_map,
    )


def _not_among(expected: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """What is not among these items; a row without a task is where any task has its item."""
    anywhere = pl.col("task").is_null()
    return pl.concat(
        [
            expected.filter(anywhere).join(items, on="item", how="anti"),
            expected.filter(~anywhere).join(items, on=["task", "item"], how="anti"),
        ]
    ).sort("item", "task")


def _missing(feedback: Feedback, roster: Roster) -> Finding:
    """Items that are on the roster only."""
    here = pl.col("task").is_null() | pl.col("task").is_in(feedback.task_labels.implode())
    expected = roster.makers.filter(here).select("task", "item").unique().sort("item", "task")
    key = ["task", "item"] if roster.tasks else ["item"]
    items = _not_among(expected, item_table(feedback))
    some_match = len(expected) > len(items)
    advice = (
        "Have staff or late graders look at them."
        if some_match
        else "Check that roster and feedback name items alike: they share none."
    )
    return Finding(
        code="unreviewed-on-roster",
        severity="warning",
        found=f"{plural(len(items), 'item')} on the roster got no review.",
        means="They will have no grade: the feedback does not know them.",
        advice=advice,
        cases=items.select(key),
        example=template(feedback, "{item}") if "task" in key else "{item}".format_map,
    )
