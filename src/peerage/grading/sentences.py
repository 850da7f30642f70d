"""What the numbers mean, in words; written once, used by every front end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._options import named
from peerage._words import plural
from peerage.grading.graders import luck_sentence
from peerage.grading.guessing import guessing_sentence
from peerage.grading.items import EDGE_WORDS
from peerage.grading.letters import COMPLETE
from peerage.grading.misfit import disputed_sentence, tails_sentence
from peerage.grading.rank_sets import best_sentence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.grading.comparison import Comparison
    from peerage.grading.items import ItemPoints
    from peerage.grading.letters import LetterGrades
    from peerage.grading.result import GradedCriterion, MethodUsed
    from peerage.grading.staff.validity import Validity
    from peerage.models.base import Estimator
    from peerage.uncertainty.chance import ChanceTest
    from peerage.uncertainty.posterior import Posterior


SHOWN = 5  # items that a sentence names
SOME, MANY = 6, 20  # staff grades: from so many on trials found less to warn of, and nothing
# `experiments/anchor_coverage.py`, five kinds of classes, with 3 staff grades and with 6 or 12: per cent of
# other staff grades inside 90 % intervals, least and most of a kind; chances of letters above one half,
# points off over all kinds together, and too high in the worst of them. A test holds them to its file.
FEW_HELD, SOME_HELD = (87, 100), (87, 99)
FEW_OFF, SOME_OFF = (1, 18), (3, 16)


def _method_sentence(method: MethodUsed) -> str:
    if method.chosen:
        return f"Peerage chose {method.code}, because {method.reason}."
    return f"{method.code}, as asked for: {method.reason}."


def _score_sentence(fitted: Estimator) -> str:
    if fitted.score_scale == "grading":
        return "A score is on the graders' own scale: what the class as a whole would give."
    if fitted.score_scale == "rank":
        return "The method gives a ranking; its scores only put items in order."
    unit = "A score has no unit: only differences count, and 0 is the middle of the task."
    if not fitted.predicts_wins:
        return unit
    chance = fitted.win_probability(np.ones(1), _typical_reliability(fitted))
    ties = " (ties counting half)" if fitted.get_params().get("ties", "indifferent") != "indifferent" else ""
    return (
        f"{unit} An item one point above another is put first by a typical reviewer"
        f" {100 * chance[0]:.0f} times in 100{ties}."
    )


def _typical_reliability(fitted: Estimator) -> float:
    """The mean of the reliabilities, each by its grader's evidence: 1 where that is held."""
    if fitted.identified:
        return 1.0
    pairs = fitted.feedback_.grader_strict_pairs
    return float(np.average(fitted.reliabilities_, weights=pairs)) if pairs.any() else 1.0


def _chance_sentence(feedback: Feedback, tests: Sequence[ChanceTest]) -> str:
    """Where reviewers order as at random: nothing else that is said of the class matters as much."""
    lost = [task for task, test in enumerate(tests) if test.no_better]
    if not lost:
        return ""
    names = ", ".join(feedback.task_labels.gather(lost))
    where = "" if feedback.n_tasks == 1 else f" in {'task' if len(lost) == 1 else 'tasks'} {names}"
    as_good = 100 * min(tests[task].as_good for task in lost)
    return (
        f"The reviewers agree no more than chance would{where}: if everybody had ranked at random, they would"
        f" agree as well in {as_good:.0f} of 100 classes. Ranks, points and letters say nothing here: have"
        " staff grade, or ask the reviewers again."
    )


def _fit_sentence(fitted: Estimator) -> str:
    if fitted.converged_:
        return "The estimate converged."
    return "The estimate did NOT converge: scores are near the best ones, not at them."


def _steps_sentence(items: pl.DataFrame, level: float) -> str:
    n, among, sure = (
        items.select("task", "step").n_unique(),
        plural(len(items), "item"),
        f"{100 * level:.0f} %",
    )
    if n == items["task"].n_unique():
        return f"The data are nowhere {sure} certain of the order of the {among}: ranks are a best guess."
    return (
        f"The {among} stand on {plural(n, 'step')}: the first of a step is above the first of the next with"
        f" at least {sure}. Ranks within a step, and of neighbours across a border, are a best guess."
    )


def _best_sentence(items: pl.DataFrame, level: float) -> str:
    """Among which items the best is; of several tasks the table says it."""
    if items["task"].n_unique() > 1 or len(items) < 2:
        return ""
    return best_sentence(items.filter(may_be_best=1)["item"].to_list(), level, len(items))


def _interval_sentence(level: float, validity: Validity | None) -> str:
    peers = (
        f"Intervals ({100 * level:.0f} %) say how well the peers' judgement is known: what the estimate might"
        " have been with other reviews."
    )
    if validity is None:
        return f"{peers} They do not say how far peers are from staff."
    staff = "Those of points and the chances of letters also include the gap between peers and staff."
    return f"{peers} {staff}{_too_wide(validity)}"


def _too_wide(validity: Validity) -> str:
    """What few staff grades cost (docs/explanation/uncertainty.md)."""
    if validity.n >= MANY:
        return ""
    few, usual = plural(validity.n, "staff grade"), {task_map.prior_source for task_map in validity.maps}
    if None in usual:
        return f" With {few} on no known scale, intervals of 90 % held 89 to 95 % of others in trials."
    least, most = FEW_HELD if validity.n < SOME else SOME_HELD
    return (
        f" With {few} they mostly lean to the safe side: in five kinds of simulated classes intervals of 90 %"
        f" held {least} to {most} % of other staff grades."
    )


def _validity_sentence(validity: Validity | None) -> str:
    if validity is not None:
        return validity.sentence
    return (
        "No staff grades were given, so how far peers are from staff is unknown."
        " A handful of staff grades would tell."
    )


def _edges_sentence(items: pl.DataFrame) -> str:
    """Whose points lie at the end of their interval, and why."""
    if "points_edge" not in items.columns:
        return ""
    parts = []
    for edge, words in EDGE_WORDS.items():
        names = items.filter(points_edge=edge)["item"].to_list()
        if names:
            more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
            parts.append(f"{', '.join(names[:SHOWN])}{more} ({words})")
    return f"Points at the end of their interval: {'; '.join(parts)}." if parts else ""


def _completion_sentence(items: pl.DataFrame) -> str:
    if "completion" not in items.columns:
        return ""
    done = int((items["completion"] == COMPLETE).sum())
    return (
        f"Complete or incomplete: {done:,} of {plural(len(items), 'item')} had a review and"
        f" {'is' if done == 1 else 'are'} complete. A student without a reviewed submission is incomplete."
    )


def _letters_sentence(letter_grades: LetterGrades, validity: Validity | None) -> str:
    """The rule of the letters, and how safe they are."""
    sure = letter_grades.probability
    same, near = round(float(sure.sum())), round(float(letter_grades.near_probability.sum()))
    if validity is not None:
        safe = f"Staff would give about {same} of the {plural(len(sure), 'letter')} as they are"
    else:
        safe = f"By the peers' own judgement about {same} of the {plural(len(sure), 'letter')} are right"
    if len(letter_grades.rule.names) > 2:
        safe += f", and {near} at most one letter away"
    settled = int((sure >= 0.95).sum())
    safe += f"; {settled:,} have a chance of at least 95 %." if settled else "."
    odd = int((letter_grades.chances.max(axis=1) > sure).sum())
    by = letter_grades.rule.by
    why = (
        f" {odd} {'is' if odd == 1 else 'are'} marked “by {by}”: another letter is likelier, because its"
        f" range is wider or open; the letter still goes by the {by}."
        if odd
        else ""
    )
    return f"{letter_grades.rule.sentence} {safe}{why}{_too_sure(validity)}"


def _too_sure(validity: Validity | None) -> str:
    """By how much chances of letters were too high in simulated classes (docs/explanation/uncertainty.md)."""
    if validity is None or validity.n >= MANY:
        return ""
    few, usual = plural(validity.n, "staff grade"), {task_map.prior_source for task_map in validity.maps}
    if None in usual:
        most = 18 if validity.n < SOME else 7
        advice = f"state the scale of staff with {named('scale', 'LOW:HIGH')}, and it is less"
        return f" With {few}, chances above one half were up to {most} points too high in trials: {advice}."
    together, worst = FEW_OFF if validity.n < SOME else SOME_OFF
    return (
        f" With {few}, chances above one half were off by {plural(together, 'point')} over five kinds of"
        f" simulated classes together, and up to {worst} points too high where staff and peers agree least."
    )


def _graders_sentence(graders: pl.DataFrame) -> str:
    count = {word: int((graders["flag"] == word).sum()) for word in graders["flag"].unique()}
    words = {
        "consistent": "{} consistent with the class",
        "unknown": "{} with too few reviews to tell",
        "chance": "{} no better than chance",
        "reversed": "{} against the class",
        "ties": "{} with nothing but ties",
    }
    parts = [text.format(f"{count[word]:,}") for word, text in words.items() if count.get(word)]
    counts = f"Of {plural(len(graders), 'grader')}: {', '.join(parts)}."
    kinds = (graders[f"{kind}_probability"].to_numpy() for kind in ("guess", "worst_first"))
    said = (counts, luck_sentence(graders["flag"].to_list()), guessing_sentence(*kinds))
    return " ".join(sentence for sentence in said if sentence)


def _staff_sentence(staff_list: pl.DataFrame, *, with_letters: bool) -> str:
    """Which items staff should grade, and what that would bring."""
    n = len(staff_list)
    if not n:
        return ""
    gain, left = float(staff_list["expected_gain"].sum()), float(staff_list["left_after"][-1])
    names = ", ".join(staff_list["item"].head(10)) + (f" and {n - 10:,} more" if n > 10 else "")
    unit = "letters" if with_letters else "places"
    return (
        f"Grading {plural(n, 'item')} would help most: {names}. Expected: {gain:.1f} {unit} put right,"
        f" {left:.1f} still in doubt in the class."
    )


def _unreviewed_sentence(reviews: NDArray[np.int64]) -> str:
    n = int((reviews == 0).sum())
    if not n:
        return ""
    have = "has" if n == 1 else "have"
    return (
        f"{plural(n, 'item')} {have} no review at all: the score is the middle of the class, not a judgement."
    )


def _self_reviews_sentence(left_out: pl.DataFrame) -> str:
    """Reviews of own work, which are not graded; without names, as reports may have none."""
    own = left_out.filter(pl.col("known_by") != "favours")
    n, alike = len(own), int((own["known_by"] == "label").sum())
    if not n:
        return ""
    guessed = f" ({alike:,} of them because grader and item are called alike)" if alike else ""
    return (
        f"{plural(n, 'review')} of the grader's own work{guessed} {'was' if n == 1 else 'were'} left out of"
        " the grading."
    )


def criteria_sentence(criteria: Sequence[GradedCriterion]) -> str:
    """How they were put together."""
    weights = ", ".join(f"{criterion.name} {criterion.weight:g}" for criterion in criteria)
    return (
        f"Graded by {len(criteria)} criteria, with the weights {weights}: a review counts with the weighted"
        " mean of its scores. Each criterion was also graded on its own, on the scale graders used for it."
    )


def all_sentences(
    method: MethodUsed,
    fitted: Estimator,
    posterior: Posterior,
    validity: Validity | None,
    item_points: ItemPoints,
    letter_grades: LetterGrades | None,
    items: pl.DataFrame,
    graders: pl.DataFrame,
    comparison: Comparison,
    staff_list: pl.DataFrame,
    level: float,
    left_out: pl.DataFrame,
    chance: Sequence[ChanceTest],
) -> dict[str, str]:
    """Every statement by its name; those that do not apply are left out."""
    feedback = fitted.feedback_
    sentences = {
        "chance": _chance_sentence(feedback, chance),
        "method": _method_sentence(method),
        "fit": _fit_sentence(fitted),
        "score": _score_sentence(fitted),
        "points": item_points.sentence,
        "edges": _edges_sentence(items),
        "complete": _completion_sentence(items),
        "letters": "" if letter_grades is None else _letters_sentence(letter_grades, validity),
        "intervals": _interval_sentence(level, validity),
        "uncertainty": posterior.note,
        "steps": _steps_sentence(items, level),
        "best": _best_sentence(items, level),
        "disputed": disputed_sentence(
            items.filter(disputed=1)["item"].to_list(), widened=posterior.source != "bootstrap"
        ),
        "tails": tails_sentence(fitted),
        "validity": _validity_sentence(validity),
        "graders": _graders_sentence(graders),
        "staff": _staff_sentence(staff_list, with_letters=letter_grades is not None),
        "comparison": comparison.sentence,
        "self_reviews": _self_reviews_sentence(left_out),
        "unreviewed": _unreviewed_sentence(feedback.item_reviews),
    }
    return {name: text for name, text in sentences.items() if text}
