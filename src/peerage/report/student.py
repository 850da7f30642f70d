"""One student's page: how their work stands, what that rests on, and how their reviewing went.

It names nobody else: neither who reviewed the work nor what it was ranked beside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._words import did_you_mean, plural
from peerage.errors import DataError
from peerage.grading.items import EDGE_WORDS
from peerage.grading.points import decimals
from peerage.report.class_plot import class_axis, open_dot, tick_text
from peerage.report.page import interval, number, paragraphs, render, text
from peerage.roster.container import item_table, join_items

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.grading.result import GradingResult
    from peerage.roster.container import Roster

HEIGHT = 62


def student_page(result: GradingResult, student: str, roster: Roster | None, title: str | None = None) -> str:
    """The page of a grader, of a student on the roster, or of the maker of the item of that label."""
    items = works_of(result.feedback, student, roster)
    grader = _grader(result.feedback, student)
    if not items and grader is None and not (roster is not None and student in roster.students):
        raise DataError(_stranger(result.feedback, student))
    none = (
        '<section id="work" aria-labelledby="work-title"><h2 id="work-title">Your work</h2>'
        "<p>No work of yours is among what was reviewed here.</p></section>"
    )
    return render(
        "student.html",
        title=f"{title or 'Peer grading'}: {student}",
        works="\n".join(_work(result, item, k) for k, item in enumerate(items, start=1)) or none,
        reviewing=paragraphs(*_reviewing(result, grader)),
        how=paragraphs(*_how(result)),
        questions=paragraphs(
            "Grades from peers are estimates, and the range above says how firm yours is. If you think that"
            " something went wrong, ask your teacher: they can see what the grade rests on, compare it with"
            " other methods, and look at the work themselves.",
        ),
    )


def works_of(feedback: Feedback, student: str, roster: Roster | None) -> list[int]:
    """The numbers of the items that are the student's; without a roster, those of the same label."""
    if roster is not None:
        made = roster.for_feedback(feedback).makers.filter(student=student)
        if len(made):
            return sorted(join_items(made, item_table(feedback))["number"].to_list())
    return np.flatnonzero((feedback.item_labels == student).to_numpy()).tolist()


def _grader(feedback: Feedback, student: str) -> int | None:
    numbers = np.flatnonzero((feedback.grader_labels == student).to_numpy())
    return int(numbers[0]) if len(numbers) else None


def _stranger(feedback: Feedback, student: str) -> str:
    known = [*feedback.grader_labels.to_list(), *feedback.item_labels.to_list()]
    return f"student {student!r} is no grader, no item and not on the roster{did_you_mean(student, known)}"


# -- the work -----------------------------------------------------------------------------------------


def _work(result: GradingResult, item: int, which: int) -> str:
    row = int(np.flatnonzero(result.order == item)[0])
    name = result.feedback.item_labels[item]
    task = f" ({result.items['task'][row]})" if result.feedback.n_tasks > 1 else ""
    standing, rest = _standing(result, row), _rests_on(result, item)
    return (
        f'<section id="work-{which}" aria-labelledby="work-{which}-title">'
        f'<h2 id="work-{which}-title">Your work: {text(str(name) + task)}</h2>'
        f'<p class="standing">{text(standing[0])}</p>{paragraphs(*standing[1:])}'
        f"{_picture(result, row)}<h3>What this rests on</h3>{paragraphs(*rest)}</section>"
    )


def _standing(result: GradingResult, row: int) -> list[str]:
    item = result.items.row(row, named=True)
    first = " ".join(part for part in (_letter(item), _points(result, item)) if part)
    size = int(np.diff(result.feedback.task_starts)[result.feedback.item_tasks[result.order[row]]])
    low, high = int(item["rank_low"]), int(item["rank_high"])
    fit = (
        f"At {100 * result.interval:.0f} % the reviews fit no other place."
        if low == high
        else f"The reviews fit places {low} to {high} about as well; neighbouring places mean little."
    )
    ranks = f"In order of estimate it is at place {item['rank']} of {size:,}. {fit}"
    return [first or ranks, *([ranks] if first else []), _chances(item)]


def _letter(item: dict[str, Any]) -> str:
    grade = item.get("letter") or item.get("completion")
    return f"Your work has the grade {grade}." if grade else ""


def _points(result: GradingResult, item: dict[str, Any]) -> str:
    if item.get("points") is None:
        return ""
    scale = (
        "" if result.scale is None else f" on the scale from {result.scale.low:g} to {result.scale.high:g}"
    )
    points = result.items["points"]
    digits = decimals(float(points.max() - points.min()))  # type: ignore[operator, arg-type]
    span = interval(item["points_low"], item["points_high"], digits)
    edge = f"; it is {EDGE_WORDS[item['points_edge']]}" if item["points_edge"] else ""
    estimate = f"The estimate is {number(item['points'], digits)} points{scale}"
    return f"{estimate}, with a likely range of {span}{edge}."


def _chances(item: dict[str, Any]) -> str:
    if "letter" not in item or item["letter_probability"] >= 0.95:
        return ""
    chances, by = item["letter_probabilities"].replace("; ", ", "), ""
    for what in (" by points", " by rank"):
        if what in chances:
            chances, by = chances.replace(what, ""), f" The letter goes{what}."
    return (
        f"It is not certain: seen as chances, {chances}.{by} Your teachers see such cases first when they"
        " look over the grades."
    )


def _rests_on(result: GradingResult, item: int) -> list[str]:
    reviews, above, below, level = beside(result.feedback, item)
    if not reviews:
        return [
            "Nobody reviewed it, so the estimate is the middle of the class and says nothing about the work."
        ]
    if not above + below + level:
        return [f"{plural(reviews, 'review')}, none of them beside other work."]
    ties = f", and level with another {plural(level, 'time')}" if level else ""
    return [
        f"{plural(reviews, 'review')} by other students, each beside other work. In them, your work was put"
        f" above another {plural(above, 'time')} and below another {plural(below, 'time')}{ties}.",
        "What it was compared with counts too: to be placed above strong work says more than to be placed"
        " above weak work.",
    ]


def beside(feedback: Feedback, item: int) -> tuple[int, int, int, int]:
    """Reviews of an item, and how many others were put below, above and level with it in them."""
    bucket = np.cumsum(feedback.bucket_starts)
    lists = feedback.entry_lists
    entries = np.flatnonzero(feedback.items == item)
    above = below = level = 0
    for entry in entries.tolist():
        first, last = feedback.list_starts[lists[entry]], feedback.list_starts[lists[entry] + 1]
        mine = bucket[first:last]
        above += int((mine > bucket[entry]).sum())
        below += int((mine < bucket[entry]).sum())
        level += int((mine == bucket[entry]).sum()) - 1
    return len(entries), above, below, level


def _picture(result: GradingResult, row: int) -> str:
    """The estimate and its interval among the rest of the task."""
    axis = class_axis(result)
    tasks = result.items["task"].to_numpy()
    others = axis.place(axis.value[tasks == tasks[row]])
    others = others[np.linspace(0, len(others) - 1, min(len(others), 400)).round().astype(np.int64)]
    at, low, high = (float(axis.place(v[row])) for v in (axis.value, axis.low, axis.high))
    ticks = axis.ticks()
    words = text(
        f"{axis.name}: {number(float(axis.value[row]), 2)}, likely"
        f" {interval(float(axis.low[row]), float(axis.high[row]), 2)}."
    )
    return "\n".join(
        [
            "<figure><figcaption>The dot is the estimate for your work, the line its likely range, and the"
            " short strokes below are all the work of the class.</figcaption>",
            f'<svg width="100%" height="{HEIGHT}" role="img" aria-label="{words}">',
            *(f'<text class="tick" x="{x:.2f}%" y="{HEIGHT - 4}">{tick_text(v, ticks)}</text>'
              for v, x in zip(ticks.tolist(), axis.place(ticks).tolist(), strict=True)),
            *(f'<line class="other" x1="{x:.2f}%" x2="{x:.2f}%" y1="30" y2="42"/>' for x in others.tolist()),
            f'<g class="mark"><line class="whisker" x1="{min(low, high):.2f}%" x2="{max(low, high):.2f}%"'
            f' y1="16" y2="16"/><circle{open_dot(axis, row)} cx="{at:.2f}%" cy="16" r="6"/></g>'
            "</svg></figure>",
        ]
    )  # fmt: skip


# -- the reviewing ------------------------------------------------------------------------------------


_FLAG_SENTENCES = {
    "consistent": "That is clearly more than chance: your reviews helped to place the work of others.",
    "unknown": "That is too little to say anything about your reviewing, good or bad.",
    "chance": "That is about what chance would give. Perhaps the work was hard to tell apart or the criteria"
    " were unclear; your teacher can go through an example with you.",
    "reversed": "Your order ran mostly opposite to that of the others. That often means that best and worst"
    " were swapped by mistake: if so, please tell your teacher.",
}


def _reviewing(result: GradingResult, grader: int | None) -> list[str]:
    if grader is None:
        return ["No reviews of yours are part of this."]
    row = result.graders.row(grader, named=True)
    done = f"You reviewed {plural(row['reviews'], 'piece')} of work. Thank you."
    if row["check_agreement"] is None:
        return [
            done,
            "You put no work above other work, so there is no order to compare with that of the others.",
        ]
    agreed = (
        f"Of {plural(row['strict_pairs'], 'pair')} that you put in order, the other reviewers as a whole"
        f" agree with you on {100 * row['check_agreement']:.0f} %."
    )
    sentences = [done, f"{agreed} {_FLAG_SENTENCES.get(row['flag'], '')}"]
    if row["quality_mark"] is not None:
        sentences.append(
            f"Your mark for reviewing is {number(row['quality_mark'])} of 100: 100 is what is typical of the"
            " class, and few reviews cost little."
        )
    return sentences


def _how(result: GradingResult) -> list[str]:
    sentence = result.sentences.get
    return [
        "Several students put the same work in order, each on their own. The grades are the estimate that"
        " fits all of their reviews together best.",
        *(words for words in (sentence("points"), sentence("intervals")) if words),
    ]
