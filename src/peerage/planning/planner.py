"""The power planner: what to expect for different workloads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from peerage._display import as_html
from peerage._options import named
from peerage.errors import DataError
from peerage.planning.cache import remembered
from peerage.planning.smoothing import smoothed
from peerage.planning.trial import Setting, expect

if TYPE_CHECKING:
    from peerage.cluster.opening import Cluster

WORKLOADS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30)
FEWEST, MOST = 5, 40  # simulated classes per workload
STUDENTS = 4000  # about as many simulated students in all
LARGEST = 5000


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
        asked, row = self.setting, self.expected
        return (
            f"<Plan: {asked.students} students, {asked.items} items; with {asked.per_student} reviews per"
            f" student {row['tau_error']:.0f} % of pairs in the wrong order>"
        )

    def _repr_html_(self) -> str:
        return as_html(repr(self).strip("<>"), self.table)

    def plot(self, path: str | Path) -> Path:
        """Draw the table into a picture (PNG, SVG or PDF by its ending)."""
        from peerage.planning.figure import draw

        return draw(self.setting, self.table, Path(path))


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
    feedback : whether students hand in orders or scores.
    bands : grade bands of equal size whose boundaries count.
    repeats : simulated classes per workload; fewer for larger classes by default.
    cluster : a cluster to simulate them on, as in :func:`peerage.fit`; the result is the same.

    >>> plan(30, 3, repeats=1).table.columns[:3]
    ['reviews_per_student', 'reviews_per_item', 'tau_error']
    """
    submissions = students if items is None else items
    count = repeats or min(MOST, max(FEWEST, STUDENTS // max(students, 1)))
    asked = Setting(students, submissions, per_student, reliability, lazy, feedback, bands, count, seed)
    _validate(asked)
    rows = []
    with _opened(cluster) as workers:
        for number in workloads(per_student, submissions - 1):
            on_step(f"{number} reviews per student")
            setting = replace(asked, per_student=number)
            figures = remembered(setting.question(), partial(expect, setting, workers))
            rows.append(_row(setting, figures))
    return Plan(asked, smoothed(pl.DataFrame(rows)))


def _opened(cluster: Any) -> AbstractContextManager[Cluster | None]:
    if cluster is None:
        return nullcontext()
    from peerage.cluster.opening import open_cluster

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


def _validate(asked: Setting) -> None:
    rules = (
        (
            2 <= asked.students <= LARGEST,
            f"{named('students')} must be from 2 to {LARGEST}, not {asked.students}",
        ),
        (
            3 <= asked.items <= asked.students,
            f"{named('items')} must be from 3 to students, not {asked.items}",
        ),
        (
            2 <= asked.per_student < asked.items,
            f"{named('per_student')} must be from 2 (one item cannot be compared) to {asked.items - 1}"
            f" (all items but one's own), not {asked.per_student}",
        ),
        (asked.reliability > 0, f"{named('reliability')} must be greater than 0, not {asked.reliability:g}"),
        (0 <= asked.lazy < 1, f"{named('lazy')} must be a share from 0 to less than 1, not {asked.lazy:g}"),
        (
            2 <= asked.bands <= asked.items,
            f"{named('bands')} must be from 2 to the number of items, not {asked.bands}",
        ),
        (
            asked.feedback in ("orders", "scores"),
            f"{named('feedback')} must be 'orders' or 'scores', not {asked.feedback!r}",
        ),
        (asked.seed >= 0, f"{named('seed')} must be 0 or more, not {asked.seed}"),
    )
    for holds, complaint in rules:
        if not holds:
            raise DataError(complaint)
