"""Every item as the other graders see it: scores with one grader left out, for all graders at once.

Only the items that a grader judged are asked for, and they move from the estimate by one Newton step of the
posterior without that grader's lists. With g the gradient and h the curvature of what the grader
contributed (reliability and bias eliminated), and A the covariance of these items in the whole class,

    step = (A^-1 - h)^-1 g = (I - A h)^-1 A g .

Both are about a grader's few items, so all steps together cost little once A is known. In large classes the
other items are held where they are: an item then moves by g / (all curvature of the item - h), from sums over
its reviews alone. A step is no refit, but there is no chance in it, and nothing of the grader is left.

One step does not do where a grader is much of the class: of few graders, each is left out by fitting again.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import polars as pl

from peerage._numba import kernel
from peerage.errors import ConvergenceWarning
from peerage.models import thresholds
from peerage.models.base import clone
from peerage.models.solver.dense import factorise, inverse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.models.solver.mode import Mode

    Floats = NDArray[np.float64]

FEW_GRADERS = 60  # up to here each of them is left out by a fit of its own
EXACT = 1e-6  # standard deviations of the scores: no step is better known than this


class Cells(NamedTuple):
    """What one grader said of one item, in however many lists: by item, then grader."""

    items: NDArray[np.int64]
    graders: NDArray[np.int64]
    of_entry: NDArray[np.int64]


def cells_of(feedback: Feedback) -> Cells:
    """The pairs of item and grader that there are reviews of."""
    key = feedback.items.astype(np.int64) * max(feedback.n_graders, 1) + feedback.entry_graders
    found, of_entry = np.unique(key, return_inverse=True)
    items, graders = np.divmod(found, max(feedback.n_graders, 1))
    return Cells(items, graders, of_entry)


def scores_without(fitted: Estimator) -> Floats:
    """By entry of the feedback: the item's score as the graders other than the entry's see it.

    Of few graders by fitting again, of many by one Newton step from the estimate, unless the method knows
    better. Ties say nothing here, whatever the fit made of them. Where there is no curvature to step with,
    Plackett-Luce with equal reliabilities stands in: it orders nearly as the method does, and has one.
    """
    exact = fitted.exact_scores_without()
    if exact is not None:
        return exact
    with warnings.catch_warnings():  # near the optimum is near enough for a yardstick
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = _indifferent(fitted)
        if fitted.feedback_.n_graders <= FEW_GRADERS:
            return _rounded(_by_fitting_again(fitted), fitted)
        if fitted.is_smooth:
            return _by_one_step(fitted)
        from peerage.models.smooth.plackett_luce import PlackettLuce

        return _by_one_step(PlackettLuce().fit(fitted.feedback_))


def _indifferent(fitted: Estimator) -> Estimator:
    """The method as it is where ties say nothing: modelled ones make who ties often look unreliable."""
    if fitted.get_params().get("ties", "indifferent") == "indifferent":
        return fitted
    if fitted.strict_lists_know_no_ties and fitted.feedback_.bucket_starts.all():
        return fitted
    plain = {"ties": "indifferent", "tie_parameter": None}
    return clone(fitted).set_params(**_known(fitted, plain)).fit(fitted.feedback_)


def _known(estimator: Estimator, params: dict[str, Any]) -> dict[str, Any]:
    """Those of the parameters that the method has."""
    return {name: value for name, value in params.items() if name in estimator.get_params()}


def _by_fitting_again(fitted: Estimator) -> Floats:
    feedback = fitted.feedback_
    scores = np.zeros(feedback.n_entries)
    for grader in range(feedback.n_graders):
        others = np.flatnonzero(feedback.list_graders != grader)
        own = feedback.entry_graders == grader
        if len(others) and own.any():
            scores[own] = clone(fitted).fit(feedback.take_lists(others)).scores_[feedback.items[own]]
    return scores


def _by_one_step(fitted: Estimator) -> Floats:
    cells = cells_of(fitted.feedback_)
    if not len(cells.items):
        return np.zeros(0)
    whole = fitted.mode()
    alone = _separated(fitted, whole, cells).mode()
    steps = _together(whole, alone, cells) if _is_small(fitted.feedback_, cells) else None
    moved = _one_by_one(alone, cells) if steps is None else steps
    return _rounded((fitted.scores_[cells.items] + alone.unit * moved)[cells.of_entry], fitted)


def _rounded(scores: Floats, fitted: Estimator) -> Floats:
    """Items that nobody else saw are equal but for rounding, and must not be put in order by it."""
    unit = EXACT * float(np.std(fitted.scores_)) or 1.0
    return np.asarray(unit * np.rint(scores / unit))


def _separated(fitted: Estimator, whole: Mode, cells: Cells) -> Estimator:
    """The fitted model on feedback in which no two graders share an item: contributions one by one.

    Where the mean of the reliabilities is held, each stays where holding it puts it.
    """
    feedback, twin = fitted.feedback_, cast("Any", copy.copy(fitted))
    if fitted.identified and whole.prior is not None:
        twin.identified = False
        twin.reliability_rate = fitted.reliability_rate + whole.constraint_rate
    twin.feedback_ = replace(
        feedback,
        items=cells.of_entry.astype(np.int32),
        item_tasks=feedback.item_tasks[cells.items],
        item_labels=pl.repeat("", len(cells.items), dtype=pl.String, eager=True),
    )
    for name in fitted.item_attributes:
        setattr(twin, name, getattr(fitted, name)[cells.items])
    return cast("Estimator", twin)


def _is_small(feedback: Feedback, cells: Cells) -> bool:
    seen = np.bincount(cells.graders).astype(float)
    return bool(
        feedback.n_items <= thresholds.LEAVE_OUT_ITEMS
        and (seen**2).sum() <= thresholds.LEAVE_OUT_CELLS
        and (seen**3).sum() <= thresholds.LEAVE_OUT_STEPS
    )


def _contribution(alone: Mode) -> tuple[Floats, Floats, Floats]:
    """By cell the gradient, and its derivative in the grader's scale; by grader the curvature in that."""
    objective = alone.objective
    gradient = alone.profile.gradient() - objective.precision * objective.scores
    if alone.prior is None:
        return gradient, np.zeros(len(gradient)), alone.scale_curvature
    return gradient, objective.mixed_by_item(np.ones(objective.n_graders)), alone.scale_curvature


def _one_by_one(alone: Mode, cells: Cells) -> Floats:
    """Every item on its own, all others held."""
    gradient, mixed, curvature = _contribution(alone)
    precision = alone.objective.precision
    own = alone.objective.diagonal() - precision - mixed**2 / curvature[cells.graders]
    of_item = np.bincount(cells.items, own)
    left = of_item[cells.items] - own
    return np.asarray(gradient / np.maximum(left + precision, precision))


def _together(whole: Mode, alone: Mode, cells: Cells) -> Floats | None:
    """All items of a grader with all others following; None where the curvature is no valley."""
    matrix = whole.profile.hessian()
    if not factorise(matrix):
        return None
    gradient, mixed, curvature = _contribution(alone)
    hessian = alone.objective.sparse_hessian()
    by_grader = np.argsort(cells.graders, kind="stable")
    starts = np.searchsorted(cells.graders[by_grader], np.arange(len(curvature) + 1))
    steps = np.zeros(len(gradient))
    sparse = (hessian.indptr.astype(np.int64), hessian.indices.astype(np.int64), hessian.data)
    given = (gradient, mixed, curvature, alone.objective.precision)
    _solve(inverse(matrix), cells.items, by_grader, starts, sparse, given, steps)
    return steps


@kernel
def _solve(
    covariance: Any, items: Any, by_grader: Any, starts: Any, sparse: Any, given: Any, steps: Any
) -> None:
    """(I - A h) step = A g for every grader, by elimination with pivots."""
    pointers, columns, data = sparse
    gradient, mixed, curvature, precision = given
    place = np.empty(len(items), dtype=np.int64)
    for g in range(len(starts) - 1):
        mine = by_grader[starts[g] : starts[g + 1]]
        n = len(mine)
        for a in range(n):
            place[mine[a]] = a
        own = np.zeros((n, n))
        for a in range(n):
            for e in range(pointers[mine[a]], pointers[mine[a] + 1]):
                own[a, place[columns[e]]] += data[e]
            own[a, a] -= precision
            for b in range(n):
                own[a, b] -= mixed[mine[a]] * mixed[mine[b]] / curvature[g]
        left, right = np.zeros((n, n)), np.zeros(n)
        for a in range(n):
            for c in range(n):
                known = covariance[items[mine[a]], items[mine[c]]]
                right[a] += known * gradient[mine[c]]
                for b in range(n):
                    left[a, b] -= known * own[c, b]
            left[a, a] += 1.0
        _eliminate(left, right)
        for a in range(n):
            steps[mine[a]] = right[a]


@kernel
def _eliminate(left: Any, right: Any) -> None:
    """Solve left * x = right, in place."""
    n = len(right)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(left[i, k]) > abs(left[best, k]):
                best = i
        for j in range(n):
            left[k, j], left[best, j] = left[best, j], left[k, j]
        right[k], right[best] = right[best], right[k]
        for i in range(k + 1, n):
            factor = left[i, k] / left[k, k]
            for j in range(k, n):
                left[i, j] -= factor * left[k, j]
            right[i] -= factor * right[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            right[k] -= left[k, j] * right[j]
        right[k] /= left[k, k]
