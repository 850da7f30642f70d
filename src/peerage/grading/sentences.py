"""What the numbers mean, in words; written once, used by every front end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from peerage._options import named
from peerage._words import plural
from peerage.grading.graders import luck_sentence

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from peerage.grading.comparison import Comparison
    from peerage.grading.items import ItemPoints
    from peerage.grading.letters import LetterGrades
    from peerage.grading.result import GradedCriterion, MethodUsed
    from peerage.grading.staff.validity import Validity
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior


SOME, MANY = 6, 20  # staff grades: from so many on trials found less to warn of, and nothing


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
    chance = fitted.win_probability(np.ones(1), _typical_reliability(fitted))
    if chance is None:
        return unit
    ties = " (ties counting half)" if fitted.get_params().get("ties") == "model" else ""
    return (
        f"{unit} An item one point above another is put first by a typical reviewer"
        f" {100 * chance[0]:.0f} times in 100{ties}."
    )


def _typical_reliability(fitted: Estimator) -> float:
    """The mean of the reliabilities, each by its grader's evidence: 1 where that is held."""
    pairs = fitted.feedback_.grader_strict_pairs
    return float(np.average(fitted.reliabilities_, weights=pairs)) if pairs.any() else 1.0


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
    """What few staff grades cost (docs/uncertainty.md)."""
    if validity.n >= MANY:
        return ""
    few, usual = plural(validity.n, "staff grade"), {task_map.prior_source for task_map in validity.maps}
    held, close = ("91 to 97", "98 to 99") if validity.n < SOME else ("91 to 94", "96 to 97")
    real = " (83 % in a real set of orders)" if validity.n < SOME and "scale" in usual else ""
    if None in usual:
        return f" With {few} on no known scale, intervals of 90 % held 89 to 95 % of others in trials."
    return (
        f" With {few} they lean to the safe side: in simulated classes intervals of 90 % held {held} % of"
        f" other staff grades{real}, and {close} % where staff and peers agreed closely."
    )


def _validity_sentence(validity: Validity | None) -> str:
    if validity is not None:
        return validity.sentence
    return (
        "No staff grades were given, so how far peers are from staff is unknown."
        " A handful of staff grades would tell."
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
    """By how much chances of letters were too high in simulated classes (docs/uncertainty.md)."""
    if validity is None or validity.n >= MANY:
        return ""
    few, usual = plural(validity.n, "staff grade"), {task_map.prior_source for task_map in validity.maps}
    if None in usual:
        most = 18 if validity.n < SOME else 7
        advice = f"state the scale of staff with {named('scale', 'LOW:HIGH')}, and it is less"
        return f" With {few}, chances above one half were up to {most} points too high in trials: {advice}."
    if validity.n >= SOME:
        return ""
    real = 14 if "scale" in usual else 10
    return (
        f" With {few}, chances were up to 5 points off in simulated classes, and those above one half {real}"
        " points too high in a real one."
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
    return f"{counts} {luck_sentence(graders['flag'].to_list())}".strip()


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


def _own_work_sentence(left_out: pl.DataFrame) -> str:
    """Reviews of own work, which are not graded; without names, as reports may have none."""
    n, alike = len(left_out), int((left_out["known_by"] == "label").sum())
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
) -> dict[str, str]:
    """Every statement by its name; those that do not apply are left out."""
    feedback = fitted.feedback_
    sentences = {
        "method": _method_sentence(method),
        "fit": _fit_sentence(fitted),
        "score": _score_sentence(fitted),
        "points": item_points.sentence or "",
        "letters": "" if letter_grades is None else _letters_sentence(letter_grades, validity),
        "intervals": _interval_sentence(level, validity),
        "uncertainty": posterior.note,
        "steps": _steps_sentence(items, level),
        "validity": _validity_sentence(validity),
        "graders": _graders_sentence(graders),
        "staff": _staff_sentence(staff_list, with_letters=letter_grades is not None),
        "comparison": comparison.sentence,
        "own_work": _own_work_sentence(left_out),
        "unreviewed": _unreviewed_sentence(feedback.item_reviews),
    }
    return {name: text for name, text in sentences.items() if text}
