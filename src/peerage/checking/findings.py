"""What a finding is, and the findings about items, their labels, scores far out, and ranks against scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peerage._options import named, named_column
from peerage._words import plural
from peerage.checking.near_labels import find_near_labels
from peerage.feedback.labels import group_spellings
from peerage.reading.long import rank_score_agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.roster.container import Roster

Severity = Literal["info", "warning"]
FINDING_TEXTS = ("code", "severity", "found", "means", "advice")
APART = 2.0  # ranges of the other scores: a 0 among scores from 6 to 10 may be meant, 77 for 7 is not
FEW_OF, FEWEST_SCORES = (
    20,
    12,
)  # one score in twenty at most is far out; fewer than twelve have no usual range
_MOST_LISTS = (
    "What is ranked better has the lower scores: the ranks or the scores of this file run the other way, and"
    " grades would be upside down."
)
_SOME_LISTS = (
    "What these lists rank better has the lower scores: these graders may have mixed up which end is best."
)


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One thing an instructor should know; where there are no cases, :func:`peerage.check` drops it.

    Attributes
    ----------
    code : short name that never changes, for programs.
    found : what was found, with its number.
    means : what it means for the grades.
    advice : what to do about it.
    cases : one row per case, all of them.
    example : how a case is written in a sentence; None where `found` says it all.
    """

    code: str
    severity: Severity
    found: str
    means: str
    advice: str
    cases: pl.DataFrame
    example: Callable[[Mapping[str, Any]], str] | None = None

    def examples(self, most: int = 5) -> list[str]:
        """The first cases in words."""
        if self.example is None:
            return []
        return [self.example(row) for row in self.cases.head(most).iter_rows(named=True)]

    def to_dict(self) -> dict[str, Any]:
        """Everything, cases included, ready for JSON."""
        texts = {name: getattr(self, name) for name in FINDING_TEXTS}
        return {**texts, "count": len(self.cases), "cases": self.cases.to_dicts()}


def template(feedback: Feedback, text: str) -> Callable[[Mapping[str, Any]], str]:
    """How to write a case; its task is named only where there are several."""
    return (f"{text} in task {{task}}" if feedback.n_tasks > 1 else text).format_map


def item_cases(feedback: Feedback, items: Any, **columns: Any) -> pl.DataFrame:
    """One row per item number, with its task and label."""
    return pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks[items]),
            "item": feedback.item_labels.gather(items),
            **columns,
        }
    )


def weighted_reviews(feedback: Feedback) -> NDArray[np.float64]:
    """Reviews of each item; a list that counts n times gives n."""
    if feedback.weights is None:
        return feedback.item_reviews.astype(np.float64)
    weights = np.repeat(feedback.weights, feedback.list_lengths)
    return np.bincount(feedback.items, weights, feedback.n_items).astype(np.float64)


def score_scale(scores: NDArray[np.float64]) -> float:
    """What to divide scores by before squaring, so that even absurd ones do not overflow."""
    return float(np.abs(scores).max(initial=0.0)) or 1.0


# -- items that the feedback says too little about --------------------------------------------------


def item_findings(feedback: Feedback, min_reviews: int) -> list[Finding]:
    """Items without or with few reviews, and items that only ever win or lose."""
    reviews = weighted_reviews(feedback)
    lost, won = lost_and_won(feedback)
    return [
        _unreviewed(feedback, np.flatnonzero(reviews == 0)),
        _few_reviews(feedback, reviews, min_reviews),
        _unbeaten(feedback, np.flatnonzero(won & ~lost)),
        _winless(feedback, np.flatnonzero(lost & ~won)),
    ]


def lost_and_won(feedback: Feedback) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Per item: whether some list puts another strictly above it, and strictly below it."""
    bucket = np.cumsum(feedback.bucket_starts)
    top = np.repeat(bucket[feedback.list_starts[:-1]], feedback.list_lengths)
    bottom = np.repeat(bucket[feedback.list_starts[1:] - 1], feedback.list_lengths)
    lost, won = np.zeros((2, feedback.n_items), dtype=bool)
    lost[feedback.items[bucket != top]] = True
    won[feedback.items[bucket != bottom]] = True
    return lost, won


def _unreviewed(feedback: Feedback, items: NDArray[np.int64]) -> Finding:
    return Finding(
        code="unreviewed",
        severity="warning",
        found=f"{plural(len(items), 'item')} got no review at all.",
        means="There is nothing to grade them by: they are reported as ungraded.",
        advice="Have staff or late graders look at them.",
        cases=item_cases(feedback, items),
        example=template(feedback, "{item}"),
    )


def _few_reviews(feedback: Feedback, reviews: NDArray[np.float64], least: int) -> Finding:
    items = np.flatnonzero((reviews > 0) & (reviews < least))
    items = items[np.argsort(reviews[items], kind="stable")]
    return Finding(
        code="few-reviews",
        severity="warning",
        found=f"{plural(len(items), 'item has', 'items have')} fewer than {plural(least, 'review')}.",
        means="Their grades hang on few opinions and can be far off in either direction.",
        advice="Collect more reviews of them, or grade them by hand.",
        cases=item_cases(feedback, items, reviews=reviews[items]),
        example=template(feedback, "{item} ({reviews:g})"),
    )


def _how_far(feedback: Feedback, where: str) -> str:
    """What says how far from the others an item is that stands at an end."""
    if feedback.scores is not None:
        return f"their scores alone say how far {where} they belong"
    return f"the data do not say how far {where} they belong: the prior decides"


def _unbeaten(feedback: Feedback, items: NDArray[np.int64]) -> Finding:
    return Finding(
        code="always-wins",
        severity="info",
        found=f"{plural(len(items), 'item was', 'items were')} never ranked below another.",
        means=f"Nothing was ever put above them, so {_how_far(feedback, 'up')}, and after few reviews it"
        " may be luck.",
        advice="Nothing, unless exact points at the top matter: then add staff grades for them.",
        cases=item_cases(feedback, items, reviews=feedback.item_reviews[items]),
        example=template(feedback, "{item} ({reviews})"),
    )


def _winless(feedback: Feedback, items: NDArray[np.int64]) -> Finding:
    return Finding(
        code="never-wins",
        severity="info",
        found=f"{plural(len(items), 'item was', 'items were')} never ranked above another.",
        means=f"Nothing was ever put below them, so {_how_far(feedback, 'down')}, and after few reviews"
        " it may be bad luck.",
        advice="Have staff look at them before a failing grade is given.",
        cases=item_cases(feedback, items, reviews=feedback.item_reviews[items]),
        example=template(feedback, "{item} ({reviews})"),
    )


# -- labels that may be one person or one item, written in several ways -----------------------------


def label_findings(feedback: Feedback) -> list[Finding]:
    """Graders, and items of a task, that differ in nothing but case, blanks or Unicode form."""
    cases = [("grader", group) for group in group_spellings(feedback.grader_labels)]
    for task in range(feedback.n_tasks):
        low, high = (int(edge) for edge in feedback.task_starts[task : task + 2])
        cases += [("item", group) for group in group_spellings(feedback.item_labels[low:high])]
    if not cases:
        return []
    return [
        Finding(
            code="labels-alike",
            severity="warning",
            found=f"{plural(len(cases), 'name')} may be written in several ways.",
            means=(
                "Labels that differ in nothing but case, blanks or Unicode form count as different: one"
                " person would be two graders, and one work two items with half of the reviews each."
            ),
            advice=(
                f"If they are the same, join them with {named('ids', 'fold')}; if not, there is nothing"
                " to do."
            ),
            cases=pl.DataFrame(
                {
                    "what": [what for what, _ in cases],
                    "labels": [" and ".join(map(repr, group)) for _, group in cases],
                }
            ),
            example="{what} {labels}".format_map,
        )
    ]


def misspelling_findings(feedback: Feedback, roster: Roster | None) -> list[Finding]:
    """Graders, and items of a task, that are nearly called the same, one of them rare.

    Names that are both on the roster are two.
    """
    graders, items = _names_on(roster)
    cases = _misspelt("grader", feedback.grader_labels, feedback.grader_reviews, graders)
    reviews = feedback.item_reviews
    for task in range(feedback.n_tasks):
        low, high = (int(edge) for edge in feedback.task_starts[task : task + 2])
        found = _misspelt("item", feedback.item_labels[low:high], reviews[low:high], items)
        cases += [case for case in found if case not in cases]
    columns = ("what", "label", "reviews", "other", "other_reviews")
    return [
        Finding(
            code="labels-misspelt",
            severity="warning",
            found=f"{plural(len(cases), 'name')} may be misspelt.",
            means=(
                "Labels that differ in a letter, a hyphen or an accent count as different: one item would be"
                " two, one of them graded on few reviews, and one person two graders."
            ),
            advice=(
                "If they are the same, write them alike in the file and read it again; if not, there is"
                " nothing to do."
            ),
            cases=pl.DataFrame(cases, schema=columns, orient="row"),
            example="{what} {label!r} ({reviews}) and {other!r} ({other_reviews})".format_map,
        )
    ]


def _names_on(roster: Roster | None) -> tuple[set[str], set[str]]:
    """Of graders and of items; a roster that was taken from the reviews themselves tells nothing."""
    if roster is None or not roster.complete:
        return set(), set()
    return set(roster.students), set(roster.makers["item"])


def _misspelt(
    what: str, labels: pl.Series, reviews: NDArray[np.int64], on_roster: set[str]
) -> list[tuple[str, str, int, str, int]]:
    near = find_near_labels(labels, reviews)
    cases = [
        (what, labels[rare], int(reviews[rare]), labels[usual], int(reviews[usual])) for rare, usual in near
    ]
    return [case for case in cases if not {case[1], case[3]} <= on_roster]


# -- scores so far from all others that they are typing errors, most likely -------------------------


def far_out_findings(feedback: Feedback) -> list[Finding]:
    """Scores that stand apart from all others of their task by more than `APART` times the others' range."""
    if feedback.scores is None:
        return []
    entries = np.concatenate([_far_out(feedback.scores, task) for task in feedback.entries_by_task()])
    count = len(entries)
    cases = item_cases(
        feedback,
        feedback.items[entries],
        grader=feedback.grader_labels.gather(feedback.entry_graders[entries]),
        score=feedback.scores[entries],
    )
    return [
        Finding(
            code="scores-far-out",
            severity="warning",
            found=f"{plural(count, 'score is', 'scores are')} far from all others.",
            means=(
                "One such score moves an item past the whole class, and makes everybody else look alike:"
                " most likely it is a typing error."
            ),
            advice="Ask, correct it in the file, and grade again.",
            cases=cases,
            example=template(feedback, "{score:g} by {grader} for {item}"),
        )
    ]


def _far_out(scores: NDArray[np.float64], entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which of these entries, of one task, are far out: a few of many, at either end."""
    entries = entries[np.isfinite(scores[entries])]
    few = max(1, len(entries) // FEW_OF)
    if len(entries) < FEWEST_SCORES:
        return entries[:0]
    values = scores[entries]
    return entries[_beyond(values, few) | _beyond(-values, few)]


def _beyond(values: NDArray[np.float64], few: int) -> NDArray[np.bool_]:
    """Above the widest step among the few largest, if that is `APART` times the range of all but a few."""
    rising = np.sort(values)
    steps = np.diff(rising[-few - 1 :])
    at = len(rising) - few + int(steps.argmax())
    bulk = rising[at - 1] - rising[few]
    return np.asarray((values >= rising[at]) & (bulk > 0) & (float(steps.max()) > APART * bulk))


# -- ranks and scores of one file that contradict each other: one of the two may run the other way --


def direction_findings(feedback: Feedback) -> list[Finding]:
    """Lists whose scores say, on the whole, the opposite of their ranks."""
    sign = rank_score_agreement(feedback)
    against = np.flatnonzero(sign < 0)
    if len(against) == 0:
        return []
    clear, count = int(np.count_nonzero(sign)), len(against)
    most = 2 * count > clear
    cases = pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.list_tasks[against]),
            "grader": feedback.grader_labels.gather(feedback.list_graders[against]),
        }
    )
    verb = "has" if count == 1 else "have"
    return [
        Finding(
            code="ranks-against-scores",
            severity="warning" if most or 5 * count >= clear else "info",
            found=f"{plural(count, 'list')} of {clear:,} {verb} ranks and scores that contradict each other.",
            means=_MOST_LISTS if most else _SOME_LISTS,
            advice=_direction_advice() if most else "Ask them, or leave their reviews out.",
            cases=cases,
            example=template(feedback, "{grader}"),
        )
    ]


def _direction_advice() -> str:
    return (
        f"Ask how they were entered. Leave out the scores with {named_column('score', '')}, or take the order"
        f" from them: {named('direction', 'scores')}, or {named('direction', 'lower-is-better')} where low"
        " scores are good."
    )
