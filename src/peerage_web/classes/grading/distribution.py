"""How the grades of a class are spread, and what staff are asked about before students see them.

A grade fails that has the letter for failing, where the letters have one; else it fails below half of the
scale. Letters without such a name and a standing say nothing about failing.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import NormalDist, fmean, pstdev
from typing import Any, NamedTuple, Protocol

import numpy as np

from peerage.grading.letters import COMPLETE, INCOMPLETE, parse_letters
from peerage_web.classes.grading.models import GradingPlan, GradingRun, PointsRule
from peerage_web.classes.grading.queries import options_of
from peerage_web.classes.grading.texts import figure, letter_in_words

BINS = 10  # of the scale
TALLEST, ABOVE, BROAD = 96, 20, 0.86  # of a bar: pixels, pixels for its count, share of its room
MANY = 1 / 3  # of the class, above which staff are asked whether so many should fail
# how a worst letter is called where it means failing; the best one of a scale never is
FAILING = frozenset(
    {"f", "ff", "fail", "fails", "failed", "u", "np", "nc", "nb", "n.b.", "5", "5.0", "5,0", "6"}
    | {"not passed", "no pass", "nicht bestanden", "ungenügend", "insuffisant", "ajourné"}
)


class Graded(Protocol):
    """Somebody's grade for a submission."""

    @property
    def points(self) -> Any:
        """A number or None; also a column of a model."""

    @property
    def letter(self) -> Any:
        """Empty for none."""


class SketchedGrade(NamedTuple):
    """Of nobody: one of a class that is not graded yet."""

    points: float
    letter: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One column of a chart: across in per cent of the picture, up and down in pixels."""

    label: str
    count: int
    fails: bool
    left: float
    width: float
    top: float
    height: float

    @property
    def middle(self) -> float:
        return self.left + self.width / 2


@dataclass(frozen=True, slots=True)
class Distribution:
    """Of the submissions' grades in one class."""

    points: list[Bar]  # from the lowest part of the scale up; empty where there are no points
    letters: list[Bar]  # the best first; empty where there are none
    scale: tuple[float, float] = (0.0, 100.0)
    graded: int = 0  # students with points or a letter
    failing: int = 0
    fails_below: float | None = None
    failing_letter: str = ""
    mean: float | None = None

    @property
    def ticks(self) -> list[tuple[float, float]]:
        """Where the scale of the points is labelled, in per cent, and with what."""
        low, high = self.scale
        return [(20.0 * step, low + (high - low) * step / 5) for step in range(1, 5)]

    @property
    def many_fail(self) -> bool:
        """Whether more than a third would."""
        return self.failing > MANY * self.graded


@dataclass(frozen=True, slots=True)
class ReleaseQuestion:
    """Something unusual about the grades that staff confirm before they are released: a code and figures."""

    code: str
    figures: dict[str, Any] = field(default_factory=dict)


def distribution_of(run: GradingRun, grades: Iterable[Graded]) -> Distribution:
    """Of final or released grades of the run."""
    rows = [grade for grade in grades if grade.points is not None or grade.letter]
    points = [float(grade.points) for grade in rows if grade.points is not None]
    letter, below = failing_letter(run), fails_below(run)
    failing = sum(_fails(grade, letter, below) for grade in rows)
    return Distribution(
        points=_point_bars(run, points, below) if run.has_points and points else [],
        letters=_letter_bars(run, [grade.letter for grade in rows if grade.letter], letter),
        scale=run.scale,
        graded=len(rows),
        failing=failing,
        fails_below=below,
        failing_letter=letter,
        mean=fmean(points) if points else None,
    )


def curve_preview(plan: GradingPlan, students: int) -> Distribution:
    """What its curve gives so many students, were their submissions spread as a bell is."""
    places = [NormalDist().inv_cdf((place + 0.5) / students) for place in range(students)]
    spread = pstdev(places) or 1.0
    low, high = plan.scale_low, plan.scale_high
    points = [min(max(plan.curve_mean + plan.curve_sd * place / spread, low), high) for place in places]
    letters = [""] * students
    if plan.letters:
        rule = parse_letters(plan.letters)
        letters = [rule.names[number] for number in rule.by_points(np.array(points))]
    run = GradingRun(options=options_of(plan).to_dict())
    return distribution_of(run, [SketchedGrade(*pair) for pair in zip(points, letters, strict=True)])


def failing_letter(run: GradingRun) -> str:
    """The letter that means failing; empty where none does."""
    if run.points_rule == PointsRule.COMPLETE:
        return INCOMPLETE
    text = run.options.get("letters")
    last = parse_letters(text).names[-1] if text else ""
    return last if last.casefold() in FAILING else ""


def fails_below(run: GradingRun) -> float | None:
    """Half of the scale, where no letter says who fails and there are points."""
    low, high = run.scale
    return (low + high) / 2 if run.has_points and not failing_letter(run) else None


def _fails(grade: Graded, letter: str, below: float | None) -> bool:
    if letter:
        return bool(grade.letter == letter)
    return below is not None and grade.points is not None and grade.points < below


def _point_bars(run: GradingRun, points: list[float], below: float | None) -> list[Bar]:
    """Tenths of the scale; the highest points belong to the last."""
    low, high = run.scale
    width = (high - low) / BINS
    # 1.4 begins the second tenth of 1 to 5, whatever 0.4 is in binary
    places = (int((value - low) / width + 1e-9) for value in points)
    counts = Counter(min(max(place, 0), BINS - 1) for place in places)
    ends = [low + width * step for step in range(BINS + 1)]
    labels = [f"{figure(ends[k], 2)}–{figure(ends[k + 1], 2)}" for k in range(BINS)]
    fails = [below is not None and ends[k + 1] <= below for k in range(BINS)]
    return _bars([(labels[k], counts[k], fails[k]) for k in range(BINS)])


def _letter_bars(run: GradingRun, letters: list[str], failing: str) -> list[Bar]:
    text = run.options.get("letters")
    names = list(parse_letters(text).names) if text else []
    if run.points_rule == PointsRule.COMPLETE:
        names = [COMPLETE, INCOMPLETE]
    counts = Counter(letters)
    columns = [(letter_in_words(name), counts[name], name == failing) for name in names]
    return _bars(columns) if letters else []


def _bars(columns: list[tuple[str, int, bool]]) -> list[Bar]:
    step, most = 100 / len(columns), max(max(count for _label, count, _fails in columns), 1)
    heights = [TALLEST * count / most for _label, count, _fails in columns]
    return [
        Bar(
            label,
            count,
            fails,
            left=round(step * (place + (1 - BROAD) / 2), 2),
            width=round(step * BROAD, 2),
            top=round(ABOVE + TALLEST - height, 1),
            height=round(height, 1),
        )
        for place, ((label, count, fails), height) in enumerate(zip(columns, heights, strict=True))
    ]


def release_questions(run: GradingRun, spread: Distribution, planned: str) -> list[ReleaseQuestion]:
    """What staff confirm before students see these grades; `planned` is the rule of the plan."""
    questions = []
    if run.points_rule == PointsRule.STANDING and planned != PointsRule.STANDING:
        questions.append(ReleaseQuestion("no-points"))
    if run.points_rule == PointsRule.CURVE:
        questions.append(ReleaseQuestion("not-anchored"))
    if spread.many_fail:
        figures = {"failing": spread.failing, "graded": spread.graded}
        if spread.failing_letter:
            questions.append(ReleaseQuestion("letter-fails", {**figures, "letter": spread.failing_letter}))
        else:
            questions.append(ReleaseQuestion("points-fail", {**figures, "below": spread.fails_below}))
    return questions
