"""The planner: how many reviews per student are enough? Answered before the term starts, by simulation."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peerage import palette
from peerage._display import as_html
from peerage._options import named
from peerage._version import __version__
from peerage.errors import DataError
from peerage.feedback.container import Feedback
from peerage.metrics.accuracy import boundary_error, tau_error
from peerage.models.default import choose
from peerage.plots import require_matplotlib
from peerage.simulation.classes import simulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.cluster.cluster import Cluster

    Floats = NDArray[np.float64]

WORKLOADS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30)
MIN_REPEATS, MAX_REPEATS = 5, 40  # simulated classes per workload
SIMULATED_STUDENTS = 4000  # about as many simulated students in all
MAX_STUDENTS = 5000
FALLING = ("tau_error", "staff_tau_error", "boundary_error", "interval")  # figures that more reviews lower

# A typical class, from what the paper reports of its two: on a scale of 10, what peers would agree on
# spreads by 0.8, a single review is off by 1, and peers' leniency differs by 0.5.
SPREAD, NOISE, LENIENCY = 0.8, 1.0, 0.5
# How well staff grades go with what peers would agree on, however many they are, in the same classes.
STAFF_CORRELATION = 0.75
COVERED = 0.9  # share of the students whose true place the interval holds

LINES = (
    ("tau_error", "pairs in the wrong order (%)", "o", palette.BLUE),
    ("staff_tau_error", "the same, against staff grades (%)", "s", palette.ORANGE),
    ("boundary_error", "items in the wrong band (%)", "^", palette.PURPLE),
    ("interval", "place right within ± points (9 of 10)", "D", palette.GREEN),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a class is like."""

    students: int
    items: int
    per_student: int
    reliability: float
    lazy: float
    feedback: Literal["orders", "scores"]
    bands: int
    repeats: int
    seed: int

    def question(self) -> dict[str, Any]:
        """Everything that the answer depends on."""
        return asdict(self) | {"class": [SPREAD, NOISE, LENIENCY, STAFF_CORRELATION, COVERED]}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan:
    """What to expect of peer grading in a class that is yet to come.

    Attributes
    ----------
    setting : what was assumed.
    table : one row per workload: reviews_per_student, reviews_per_item, tau_error (% of pairs that the
        class would get in the wrong order, against what endlessly many peers would say), its simulation
        error tau_error_se, staff_tau_error (against staff grades), boundary_error (% of items in the
        wrong band) and interval (how far from its true place an item may be, in percentile points, in
        nine cases of ten). No figure rises with the number of reviews: where simulated classes seem to say
        so, it is their luck, and neighbours share their mean.
    """

    setting: Setting
    table: pl.DataFrame

    @property
    def expected(self) -> dict[str, float]:
        """The row of the workload that was asked about."""
        rows = self.table.filter(pl.col("reviews_per_student") == self.setting.per_student)
        return rows.row(0, named=True)

    def __repr__(self) -> str:
        setting, row = self.setting, self.expected
        return (
            f"<Plan: {setting.students} students, {setting.items} items; with {setting.per_student} reviews"
            f" per student {row['tau_error']:.0f} % of pairs in the wrong order>"
        )

    def _repr_html_(self) -> str:
        return as_html(repr(self).strip("<>"), self.table)

    def plot(self, path: str | Path) -> Path:
        """Draw the table into a picture (PNG, SVG or PDF by its ending)."""
        return _draw(self.setting, self.table, Path(path))


def plan(
    students: int,
    per_student: int = 5,
    *,
    items: int | None = None,
    reliability: float = 1.0,
    lazy: float = 0.0,
    feedback: Literal["orders", "scores"] = "orders",
    bands: int = 4,
    repeats: int | None = None,
    seed: int = 0,
    cluster: Any = None,
    on_step: Callable[[str], None] = lambda step: None,
) -> Plan:
    """What tau error, boundary error and interval to expect, by simulation, for several workloads.

    Parameters
    ----------
    students, per_student : how many graders, and the reviews each would write.
    items : submissions, where students work in groups; by default one per student.
    reliability : how much a review is worth; 1 is a typical class, 2 means one review says as much as two
        typical ones.
    lazy : share of students who grade at random.
    feedback : whether students submit orders or scores.
    bands : grade bands of equal size whose boundaries count.
    repeats : simulated classes per workload; fewer for larger classes by default.
    cluster : a cluster to simulate them on, as in :func:`peerage.fit`; the result is the same.

    >>> plan(30, 3, repeats=1).table.columns[:3]
    ['reviews_per_student', 'reviews_per_item', 'tau_error']
    """
    submissions = students if items is None else items
    count = repeats or min(MAX_REPEATS, max(MIN_REPEATS, SIMULATED_STUDENTS // max(students, 1)))
    setting = Setting(students, submissions, per_student, reliability, lazy, feedback, bands, count, seed)
    _validate(setting)
    rows = []
    with _open(cluster) as workers:
        for number in workloads(per_student, submissions - 1):
            on_step(f"{number} reviews per student")
            workload = replace(setting, per_student=number)
            figures = cached_answer(workload.question(), partial(simulate_workload, workload, workers))
            rows.append(_row(workload, figures))
    return Plan(setting, smooth(pl.DataFrame(rows)))


def _open(cluster: Any) -> AbstractContextManager[Cluster | None]:
    if cluster is None:
        return nullcontext()
    from peerage.cluster.cluster import open_cluster

    return open_cluster(cluster)


def workloads(per_student: int, most: int) -> list[int]:
    """The numbers of reviews per student to show: up to twice as many as asked about."""
    numbers = {number for number in WORKLOADS if number <= max(8, 2 * per_student)} | {per_student}
    return sorted(number for number in numbers if number <= most)


def _row(setting: Setting, figures: dict[str, float]) -> dict[str, float]:
    return {
        "reviews_per_student": setting.per_student,
        "reviews_per_item": setting.per_student * setting.students / setting.items,
        "tau_error": figures["tau_error"],
        "tau_error_se": figures["tau_error_se"],
        "staff_tau_error": figures["staff_tau_error"],
        "boundary_error": figures["boundary_error"],
        "interval": figures["interval"],
    }


def _validate(setting: Setting) -> None:
    rules = (
        (
            2 <= setting.students <= MAX_STUDENTS,
            f"{named('students')} must be from 2 to {MAX_STUDENTS}, not {setting.students}",
        ),
        (
            3 <= setting.items <= setting.students,
            f"{named('items')} must be from 3 to students, not {setting.items}",
        ),
        (
            2 <= setting.per_student < setting.items,
            f"{named('per_student')} must be from 2 (one item cannot be compared) to {setting.items - 1}"
            f" (all items but one's own), not {setting.per_student}",
        ),
        (
            setting.reliability > 0,
            f"{named('reliability')} must be greater than 0, not {setting.reliability:g}",
        ),
        (
            0 <= setting.lazy < 1,
            f"{named('lazy')} must be a share from 0 to less than 1, not {setting.lazy:g}",
        ),
        (
            2 <= setting.bands <= setting.items,
            f"{named('bands')} must be from 2 to the number of items, not {setting.bands}",
        ),
        (
            setting.feedback in ("orders", "scores"),
            f"{named('feedback')} must be 'orders' or 'scores', not {setting.feedback!r}",
        ),
        (setting.seed >= 0, f"{named('seed')} must be 0 or more, not {setting.seed}"),
    )
    for holds, complaint in rules:
        if not holds:
            raise DataError(complaint)


# -- simulated classes ------------------------------------------------------------------------------


def simulate_workload(setting: Setting, cluster: Cluster | None = None) -> dict[str, float]:
    """Mean figures over several simulated classes; each is one task where there is a cluster."""
    numbers = range(setting.repeats)
    trials = (
        [_trial(number, setting) for number in numbers]
        if cluster is None
        else list(cluster.map(_trial, numbers, setting))
    )
    figures = {name: float(np.mean([trial[name] for trial in trials])) for name in trials[0]}
    spread = np.std([trial["tau_error"] for trial in trials], ddof=1) if len(trials) > 1 else 0.0
    return figures | {"tau_error_se": float(spread / np.sqrt(len(trials)))}


def _trial(number: int, setting: Setting) -> dict[str, float]:
    # Not by the number of reviews: the same classes for every workload make the comparison sharper.
    simulated = simulate(
        items=setting.items,
        graders=setting.students,
        per_grader=setting.per_student,
        length_sd=0.0,
        sd=SPREAD,
        noise=NOISE / setting.reliability**0.5,
        bias_sd=LENIENCY,
        lazy=setting.lazy,
        groups=setting.items < setting.students,
        staff=(),
        seed=setting.seed + number,
    )
    feedback = simulated.feedback()
    if setting.feedback == "orders":
        feedback = Feedback.from_columns(**feedback.to_frame().drop("score").to_dict())
    feedback = feedback.with_items(
        set(simulated.truth["item"].to_list()) - set(feedback.item_labels.to_list())
    )
    truth = dict(zip(simulated.truth["item"].to_list(), simulated.truth["score"].to_list(), strict=True))
    consensus = np.array([truth[item] for item in feedback.item_labels.to_list()])
    fitted = choose(feedback).estimator().fit(feedback)
    return _figures(setting, consensus, fitted.scores_, number)


def _figures(setting: Setting, consensus: Floats, scores: Floats, number: int) -> dict[str, float]:
    true, estimated = percentiles(consensus), percentiles(scores)
    edges = 100.0 * np.arange(1, setting.bands) / setting.bands
    return {
        "tau_error": tau_error(consensus, scores),
        "staff_tau_error": tau_error(_staff_scores(consensus, setting.seed + number), scores),
        "boundary_error": 100.0 * boundary_error(true, estimated, edges),
        "interval": float(np.quantile(np.abs(estimated - true), COVERED)),
    }


def percentiles(scores: Floats) -> Floats:
    """The place of every item in the class, from 0 (worst) to 100."""
    order = np.argsort(np.argsort(scores, kind="stable"), kind="stable")
    return np.asarray((order + 0.5) * (100.0 / len(scores)), dtype=np.float64)


def _staff_scores(consensus: Floats, seed: int) -> Floats:
    rng = np.random.default_rng([seed, 1])
    standard = (consensus - consensus.mean()) / consensus.std()
    other = rng.normal(size=len(consensus))
    return np.asarray(STAFF_CORRELATION * standard + np.sqrt(1 - STAFF_CORRELATION**2) * other)


def smooth(table: pl.DataFrame) -> pl.DataFrame:
    """The same table, in which no figure rises with the number of reviews.

    More reviews by the same people cannot make the grades worse on average, so a rise is noise of the
    simulated classes. The nearest falling figures (isotonic regression) take neighbours that contradict
    each other as one.
    """
    from scipy.optimize import isotonic_regression

    falling = {name: isotonic_regression(table[name].to_numpy(), increasing=False).x for name in FALLING}
    return table.with_columns(pl.Series(name, np.asarray(values)) for name, values in falling.items())


# -- cache: the same question is answered at once ---------------------------------------------------


def cache_folder() -> Path:
    """The user's cache; XDG_CACHE_HOME moves it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "peerage" / "plan"


def cached_answer(question: dict[str, Any], answer: Callable[[], dict[str, float]]) -> dict[str, float]:
    """The answer kept for this question by this version, or a new one, which is kept.

    A cache that cannot be read or written costs time and nothing else.
    """
    key = json.dumps({"version": __version__, **question}, sort_keys=True)
    path = cache_folder() / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        cached = json.loads(path.read_text())
        if cached["question"] == key:
            return {name: float(value) for name, value in cached["answer"].items()}
    computed = answer()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps({"question": key, "answer": computed}))
        os.replace(temporary, path)
    return computed


# -- the plan as a picture --------------------------------------------------------------------------


def _draw(setting: Setting, table: pl.DataFrame, path: Path) -> Path:
    """Every figure against the workload, the workload asked about marked."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    x = table["reviews_per_student"].to_numpy()
    for column, label, marker, color in LINES:
        axes.plot(x, table[column].to_numpy(), marker=marker, ms=5, color=color, label=label)
    axes.axvline(setting.per_student, color="black", lw=0.8, ls=":")
    axes.set_xticks(x)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("reviews per student")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False)
    axes.set_title(_title(setting), fontsize=10)
    figure.savefig(path, dpi=120)
    return path


def _title(setting: Setting) -> str:
    more = "" if setting.reliability == 1 else f", reliability {setting.reliability:g}"
    more += f", {setting.lazy:.0%} lazy" if setting.lazy > 0 else ""
    work = f"{setting.students} students, {setting.items} submissions"
    return f"{work}, {setting.feedback}{more} (simulated)"
