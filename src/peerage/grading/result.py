"""The result of grading: the one object that the command line, the report and the web page draw from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from peerage._display import as_html
from peerage._words import plural

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from peerage.checking.preflight import Preflight
    from peerage.feedback.container import Feedback
    from peerage.grading.comparison import Comparison
    from peerage.grading.letters import Letters
    from peerage.grading.points import PointsRule, Scale
    from peerage.grading.staff.validity import Validity
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior


@dataclass(frozen=True, slots=True)
class MethodUsed:
    """Which method made the grades, and why this one."""

    code: str
    params: dict[str, Any]
    reason: str
    chosen: bool  # by Peerage; false where it was asked for


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GradingResult:
    """Grades of a class, and how sure they are; made by :func:`peerage.grade`.

    Attributes
    ----------
    method : the method, its parameters, and the sentence that says why.
    fitted : the estimator; ``fitted.feedback_`` is the feedback.
    posterior : how well the peers' judgement is known; items numbered as in the feedback.
    preflight : what :func:`peerage.check` says of the feedback.
    left_out : the reviews that were not graded: task, grader, item, known_by; of own work ("roster",
        "label"), or of a group that seems to favour its own ("favours").
    items : one row per item, best first within its task: task, item, rank, score, percentile, reviews,
        percentile_low, percentile_high, se, score_low, score_high, rank_low, rank_high, rank_set_low,
        rank_set_high, may_be_best, step, infit, outfit, disputed; where a rule makes points, points,
        points_low, points_high and points_edge (why the points lie at the end of their interval: "top of
        the scale" and "bottom of the scale" where they were cut off, "upper end" and "lower end" where the
        interval is lopsided; else null); with staff grades staff; with letters letter, letter_probability,
        letter_probabilities (text); with `complete` completion ("complete" or "incomplete").
    order : the feedback's number of the item in each row of ``items``.
    graders : one row per grader, in the feedback's order: grader, reliability, reliability_low,
        reliability_high, reliability_percentile, reviews, lists, strict_pairs, agreement, check_agreement,
        check_low, check_high, check_typical, infit, outfit, flag, flag_text, guess_probability,
        worst_first_probability, quality_mark; for scores also bias and spread.
    class_figures : the class as a whole, one row per figure that is defined for it: name, value, low, high,
        sentence; see `grading/class_figures.py`.
    strategic : graders whom staff may want to look at: kind (copied, favours), graders, chance, places, text;
        see `grading/strategic.py`. For staff only.
    points_rule : what makes the points: "staff grades", "curve", "scores", or "none" where there are none;
        ``sentences["points"]`` says it in words.
    letters : the rule of the letters, or None; ``letter_chances`` has one row per row of ``items``.
    staff_list, pairs_list, next_reviews : where a staff grade, a staff comparison, a review helps.
    comparison : the ranks other methods give, side by side; the simple baselines always among them.
    validity : peers against staff; None where there are no staff grades.
    sentences : the plain-language statements that every front end uses, by name.
    provenance : what made this result, without times: the same run gives the same.
    interval : the level of all intervals, such as 0.9.
    criteria : where there are several, every one graded on its own.
    """

    method: MethodUsed
    fitted: Estimator
    posterior: Posterior
    preflight: Preflight
    left_out: pl.DataFrame
    items: pl.DataFrame
    order: NDArray[np.int64]
    graders: pl.DataFrame
    class_figures: pl.DataFrame
    strategic: pl.DataFrame
    staff_list: pl.DataFrame
    pairs_list: pl.DataFrame
    next_reviews: pl.DataFrame
    comparison: Comparison
    validity: Validity | None
    points_rule: PointsRule
    scale: Scale | None
    letters: Letters | None
    letter_chances: NDArray[np.float64] | None
    sentences: dict[str, str]
    provenance: dict[str, Any]
    interval: float
    criteria: tuple[GradedCriterion, ...] = ()

    @property
    def feedback(self) -> Feedback:
        return self.fitted.feedback_

    def __repr__(self) -> str:
        rules = [] if self.scale is None else [f"points {self.scale.text} by {self.points_rule}"]
        rules += [] if self.letters is None else [f"letters {self.letters.text}"]
        warned = len(self.preflight.warnings)
        parts = [
            f"{plural(len(self.items), 'item')} by {self.method.code}",
            *rules,
            *([f"{plural(warned, 'warning')} of the pre-flight"] if warned else []),
        ]
        return f"<GradingResult: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        wanted = ("task", "rank", "item", "points", "letter", "completion", "rank_low", "rank_high", "score",
                  "reviews")  # fmt: skip
        several = self.feedback.n_tasks > 1
        names = [name for name in wanted if name in self.items.columns and (several or name != "task")]
        warned = tuple(finding.found for finding in self.preflight.warnings)
        return as_html(repr(self).strip("<>"), self.items.select(names), warned)


@dataclass(frozen=True, slots=True, eq=False)
class GradedCriterion:
    """A criterion, its weight, and the grades by it alone: scores on the graders' own scale of it."""

    name: str
    weight: float
    result: GradingResult

    def column(self, what: str) -> str:
        """What one of its columns is called in the table of grades."""
        return f"criterion_{self.name}_{what}"
