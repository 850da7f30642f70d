"""Who graded their own work, or their group's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from peerage._words import plural
from peerage.checking.report import Finding, template
from peerage.roster.container import item_table

if TYPE_CHECKING:
    from peerage.checking.own_work import Judged
    from peerage.feedback.container import Feedback
    from peerage.roster.container import Roster

LIFTED = (
    "Nobody judges their own work by the same measure: it is lifted, and whatever they ranked beside it is"
    " pushed down."
)


def ownership_findings(feedback: Feedback, roster: Roster | None, judged: Judged) -> list[Finding]:
    """Reviews of one's own work and of one's group's, and where roster and feedback disagree."""
    found = [*_own_work(feedback, judged), *_alike(feedback, judged), *_own_group(feedback, judged.group)]
    if roster is None:
        return found
    return [*found, *_strangers(feedback, roster), *_silent(feedback, roster), *_missing(feedback, roster)]


def _own_work(feedback: Feedback, judged: Judged) -> list[Finding]:
    if judged.own.is_empty():
        return []
    means = (
        f"They count, as asked for. {LIFTED}"
        if judged.kept
        else "They are left out of the grading: nobody judges their own work by the same measure. What else"
        " these graders reviewed counts as before."
    )
    return [
        Finding(
            code="own-work",
            severity="warning",
            found=f"{plural(len(judged.own), 'review is', 'reviews are')} of the grader's own work.",
            means=means,
            advice="Keep authors out of the allocation next time. Whether such reviews count can be said when"
            " grading.",
            cases=judged.own,
            example=template(feedback, "{grader} on {item}"),
        )
    ]


def _alike(feedback: Feedback, judged: Judged) -> list[Finding]:
    n = len(judged.alike)
    if n == 0:
        return []
    done = "They count, as asked for" if judged.kept else "To be safe they are left out of the grading"
    return [
        Finding(
            code="own-label",
            severity="info" if judged.kept else "warning",
            found=f"{plural(n, 'review is', 'reviews are')} by a grader who is called like the item.",
            means=f"If that is the same person, they judged their own work. {done}: a review of somebody"
            " else's work that is lost costs little, one of own work that counts lifts its author.",
            advice="Give a roster, which says who made what. Without one, where equal labels mean nothing,"
            " say when grading that reviews of own work count.",
            cases=judged.alike,
            example=template(feedback, "{grader} on {item}"),
        )
    ]


def _own_group(feedback: Feedback, cases: pl.DataFrame) -> list[Finding]:
    if cases.is_empty():
        return []
    return [
        Finding(
            code="own-group",
            severity="warning",
            found=f"{plural(len(cases), 'review is', 'reviews are')} of work from the grader's own group.",
            means="Friends rank friends up: these reviews favour the group. They count.",
            advice="Remove them if the group worked together on it, and keep groups apart in the allocation.",
            cases=cases,
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
