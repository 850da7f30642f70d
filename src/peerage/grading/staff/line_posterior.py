"""Level, slope and gap of a line to the staff's scale, as they may be, given a few staff grades.

A staff grade is y = level + slope * t + e: t is what peers think of the item, estimated as s with variance c,
and e, with standard deviation `gap`, is how far one staff grade is from that line, however many peers there
are. About the line through s staff grades have the variance v = slope^2 c + gap^2. Its log is flat, as for
Student's t: intervals hold what they promise whatever the gap is, and three staff grades give the wide
intervals that three grades deserve. Where v is less than peers' own uncertainty explains, staff grades were
in line by luck, and the gap is taken for a tenth of that uncertainty: small, and never 0.

Where the slope is not given, it is unknown which share r of the variance S^2 of staff grades the line
explains: slope = sqrt(r) S / sd(s), v = (1 - r) S^2. r ~ Beta(1, 3): the correlation sqrt(r) is .46 on
average, and between .13 and .79 in nine of ten. Over many studies of peers and teachers Falchikov and
Goldfinch (2000) found .69, Li et al. (2016) .63; but in classes with less than that a prior around it makes
chances of letters up to 20 points too high, and a lower one costs others little. Where it is known what is
usual of staff grades, log S ~ Normal(log usual, 0.5^2), and the level is near the usual mean, or, with a
chance of one in five, only within 3 S, so that staff who are far from their peers are believed. Elsewhere
log S and the level are flat.

Without knowing what is usual, letters' chances come out too high where three staff grades happen to lie close
together, or close to the line. On the graders' own scale staff grades spread about as what peers agree on, a
little more because one grade is unsteady, and are on average not far from it. On a scale that is stated or
plain, grades have a standard deviation of about a fifth of the scale (a tenth to three tenths in the sets
with known truth) and a mean of about 60 % of it (40 to 80 %). All this is held loosely, and gives way to many
staff grades.

The posterior is a grid, refined where its mass is; the level is integrated out. Sums over the staff grades
are all it takes, so leaving one out is a subtraction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from peerage.grading.points import common_scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.points import Scale

    Floats = NDArray[np.float64]

SIZES, SHARES, ALONE = 36, 36, 800  # cells of the grid: of log S and r, of the gap where the slope is given
RANGE = (-4.0, 4.0)  # of log S about the spread of the staff grades seen
FIRST, SECOND = 1.0, 3.0  # r ~ Beta(FIRST, SECOND)
WITHIN = 0.5  # standard deviation of log S about what is expected
FAR, SELDOM = 3.0, 0.2  # so many S is the level from what is expected, with this chance
SMALL = 0.1  # of the peers' own uncertainty: a gap where staff grades are in line by luck
NEGLIGIBLE = -20.0  # log weight, relative to the largest, beyond which a cell is outside
REFINED = 6  # times at most
ENOUGH = 0.25  # share of cells in the box that matter, from which it is fine enough
BLOCK = 512  # staff grades at a time
WIDER = 1.2  # staff grades spread so much wider than what peers agree on
NEAR_PEERS, NEAR_MIDDLE = 0.6, 1.0  # how far the mean is, in standard deviations of staff grades
OF_SCALE, MIDDLE = 0.2, 0.6  # standard deviation and mean of marks, as shares of their scale


@dataclass(frozen=True, slots=True)
class GradePrior:
    """What is usual of staff grades: their standard deviation, and their mean where a score is `centre`.

    The mean is mostly within `near` standard deviations of staff grades.
    """

    size: float
    mean: float
    centre: float
    near: float
    source: Literal["peers", "scale"]

    def about(self, score: float, grade: float) -> GradePrior:
        """The same, counted from this score and this grade."""
        return replace(self, mean=self.mean - grade, centre=self.centre - score)


def prior_by_peers(scores: Floats, variance: Floats) -> GradePrior:
    """Of a task whose scores, known with these variances, are on the staff's scale."""
    agreed = float(np.sqrt(scores.var() + variance.mean()))
    return GradePrior(
        WIDER * max(agreed, 1e-12), float(scores.mean()), float(scores.mean()), NEAR_PEERS, "peers"
    )


def prior_by_scale(scores: Floats, grades: Floats, scale: Scale | None) -> GradePrior | None:
    """Of a task whose scores have no unit; None where the scale is neither stated nor plain."""
    ends = (scale.low, scale.high) if scale is not None else common_scale(grades)
    if ends is None:
        return None
    low, high = ends
    size, mean = OF_SCALE * (high - low), low + MIDDLE * (high - low)
    return GradePrior(size, mean, float(scores.mean()), NEAR_MIDDLE, "scale")


@dataclass(frozen=True, slots=True, eq=False)
class LinePosterior:
    """Cells of a grid with their weights; in every cell the level is normal.

    Attributes
    ----------
    slope, gap, weight, level, level_sd : one number per cell; the level is that at `centre`.
    predicted : each staff grade by the others: the mean. below : the chance of less than it, by the others.
    """

    centre: float
    slope: Floats
    gap: Floats
    weight: Floats
    level: Floats
    level_sd: Floats
    predicted: Floats
    below: Floats

    @property
    def coefficients(self) -> tuple[float, float]:
        """Intercept and slope: means."""
        slope = float(self.weight @ self.slope)
        return float(self.weight @ self.level) - slope * self.centre, slope

    def gap_quantile(self, share: float) -> float:
        """The gap is smaller with this chance."""
        order = np.argsort(self.gap, kind="stable")
        total = np.cumsum(self.weight[order])
        return float(np.interp(share * total[-1], total, self.gap[order]))

    def draw(self, size: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
        """Draws of the level at `centre`, slope and gap."""
        cell = rng.choice(len(self.weight), size=size, p=self.weight)
        level = self.level[cell] + self.level_sd[cell] * rng.standard_normal(size)
        return level, self.slope[cell], self.gap[cell]


def line_posterior(
    scores: Floats,
    grades: Floats,
    noise: Floats,
    spread: float,
    *,
    slope: float | None = None,
    prior: GradePrior | None = None,
) -> LinePosterior:
    """Given items' scores, their staff grades, and the variances of the scores.

    `spread` is the standard deviation of the scores over the whole task. The slope is estimated, with this
    `prior` of the staff grades, where it is not given.
    """
    centre, level = float(scores.mean()), float(grades.mean())  # near 0 nothing cancels
    staff = _StaffGrades(scores - centre, grades - level, noise)
    if slope is None:
        usual = None if prior is None else prior.about(centre, level)
        cells, sums = _refined(staff, _LineGrid(max(spread, 1e-12), usual, float(noise.mean())))
    else:
        cells, sums = _refined(staff, _GapGrid(slope, float(noise.mean())))
    value = sums.value() + cells.prior
    weight = np.exp(value - value.max())
    predicted, below = _left_out(staff, cells, sums)
    return LinePosterior(
        centre, cells.slope, cells.gap, weight / weight.sum(),
        level + sums.wr / sums.w, sums.w**-0.5, level + predicted, below,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _StaffGrades:
    scores: Floats
    grades: Floats
    noise: Floats

    def blocks(self) -> list[slice]:
        return [slice(k, k + BLOCK) for k in range(0, len(self.scores), BLOCK)]

    def terms(self, block: slice, cells: _Cells) -> _Sums:
        """What each of some staff grades adds to the sums, staff grades x cells."""
        peers = cells.slope**2 * self.noise[block, None]
        w = 1.0 / np.where(
            cells.by_luck, cells.v * self.noise[block, None] / self.mean_noise, peers + cells.gap**2
        )
        r = self.grades[block, None] - cells.slope * self.scores[block, None]
        return _Sums(np.log(w), w, w * r, w * r**2)

    @property
    def mean_noise(self) -> float:
        return float(self.noise.mean()) or 1.0


@dataclass(frozen=True, slots=True)
class _Sums:
    """Over the staff grades: log weights, weights, weighted residuals and their squares."""

    logs: Any
    w: Any
    wr: Any
    wrr: Any

    def added(self) -> _Sums:
        return _Sums(*(part.sum(axis=0) for part in (self.logs, self.w, self.wr, self.wrr)))

    def plus(self, other: _Sums, sign: float = 1.0) -> _Sums:
        return _Sums(
            self.logs + sign * other.logs,
            self.w + sign * other.w,
            self.wr + sign * other.wr,
            self.wrr + sign * other.wrr,
        )

    def value(self) -> Any:
        """The log likelihood, level integrated out."""
        rest = np.maximum(self.wrr - self.wr**2 / self.w, 0.0)
        return 0.5 * (self.logs - np.log(self.w) - rest)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Of the grid: slope, variance about the line, the logarithm of the prior, and what follows."""

    slope: Floats
    v: Floats
    prior: Floats
    gap: Floats
    by_luck: NDArray[np.bool_]  # less variance than peers' own uncertainty explains
    before: _Sums  # what is known of the level beforehand, as one more staff grade

    @classmethod
    def of(cls, slope: Floats, v: Floats, prior: Floats, noise: float, before: _Sums) -> _Cells:
        peers = slope**2 * noise
        least = SMALL**2 * peers
        return cls(slope, v, prior, np.sqrt(np.maximum(v - peers, least)), v - peers < least, before)


NOTHING = _Sums(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class _GapGrid:
    """A grid of the gap alone."""

    slope: float
    noise: float

    shape = (ALONE, 1)

    def box(self, staff: _StaffGrades) -> Floats:
        rest = staff.grades - self.slope * staff.scores
        return np.array([np.log(float(rest.std()) or 1e-3) + np.array(RANGE), [0.0, 1.0]])

    def cells(self, box: Floats) -> _Cells:
        v = np.exp(2 * _middles(box[0], ALONE))
        return _Cells.of(np.full(ALONE, self.slope), v, np.zeros(ALONE), self.noise, NOTHING)


@dataclass(frozen=True, slots=True)
class _LineGrid:
    """A grid of log S and r, twice where the level is mostly near and sometimes far."""

    spread: float
    usual: GradePrior | None
    noise: float

    @property
    def shape(self) -> tuple[int, ...]:
        return (SIZES, SHARES) if self.usual is None else (SIZES, SHARES, 2)

    def box(self, staff: _StaffGrades) -> Floats:
        sizes = [float(staff.grades.std())] + ([] if self.usual is None else [self.usual.size])
        logs = np.log([size for size in sizes if size > 0] or [1e-3])
        return np.array([[logs.min() + RANGE[0], logs.max() + RANGE[1]], [0.0, 1.0]])

    def cells(self, box: Floats) -> _Cells:
        size = np.repeat(np.exp(_middles(box[0], SIZES)), SHARES)
        share = np.tile(_middles(box[1], SHARES), SIZES)
        prior = (FIRST - 1) * np.log(share) + (SECOND - 1) * np.log1p(-share)
        before = NOTHING
        if self.usual is not None:
            size, share, prior = (np.repeat(part, 2) for part in (size, share, prior))
            far = np.tile([False, True], SIZES * SHARES)
            off = np.log(size / self.usual.size) / WITHIN
            prior += np.log(np.where(far, SELDOM, 1 - SELDOM)) - 0.5 * off**2
            w = (np.where(far, FAR, self.usual.near) * size) ** -2.0
            r = self.usual.mean - np.sqrt(share) * size / self.spread * self.usual.centre
            before = _Sums(np.log(w), w, w * r, w * r**2)
        slope, v = np.sqrt(share) * size / self.spread, (1.0 - share) * size**2
        return _Cells.of(slope, v, prior, self.noise, before)


def _refined(staff: _StaffGrades, grid: _LineGrid | _GapGrid) -> tuple[_Cells, _Sums]:
    """The grid over the smallest box that holds all that matters, and the sums in its cells."""
    box = grid.box(staff)
    cells, sums = _summed(staff, grid.cells(box))
    for _ in range(REFINED):
        value = sums.value() + cells.prior
        matters = (value > value.max() + NEGLIGIBLE).reshape(grid.shape)
        if matters.mean() > ENOUGH:
            break
        matters = matters.reshape(*grid.shape[:2], -1).any(axis=2)
        box = np.array([_narrowed(edges, matters.any(axis=1 - k)) for k, edges in enumerate(box)])
        cells, sums = _summed(staff, grid.cells(box))
    return cells, sums


def _summed(staff: _StaffGrades, cells: _Cells) -> tuple[_Cells, _Sums]:
    sums = cells.before
    for block in staff.blocks():
        sums = sums.plus(staff.terms(block, cells).added())
    return cells, sums


def _narrowed(edges: Floats, matters: NDArray[np.bool_]) -> Floats:
    """The part of an axis with cells that matter, and a cell on either side."""
    step = (edges[1] - edges[0]) / len(matters)
    inside = np.flatnonzero(matters)
    low, high = max(inside[0] - 1, 0), min(inside[-1] + 2, len(matters))
    return np.array([edges[0] + low * step, edges[0] + high * step])


def _middles(edges: Floats, n: int) -> Floats:
    return np.asarray(edges[0] + (edges[1] - edges[0]) * (np.arange(n) + 0.5) / n)


def _left_out(staff: _StaffGrades, cells: _Cells, sums: _Sums) -> tuple[Floats, Floats]:
    """Each staff grade by the others: the mean, and the chance of less than the grade itself."""
    from scipy.special import ndtr

    predicted, below = np.empty((2, len(staff.scores)))
    for block in staff.blocks():
        others = sums.plus(staff.terms(block, cells), -1.0)
        value = others.value() + cells.prior
        weight = np.exp(value - value.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        mean = others.wr / others.w + cells.slope * staff.scores[block, None]
        sd = np.sqrt(1.0 / others.w + cells.slope**2 * staff.noise[block, None] + cells.gap**2)
        predicted[block] = (weight * mean).sum(axis=1)
        below[block] = (weight * ndtr((staff.grades[block, None] - mean) / sd)).sum(axis=1)
    return predicted, below
