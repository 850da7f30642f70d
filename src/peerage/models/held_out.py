"""Do orders help to predict scores? Held-out log-loss of the scores of graders who were left out.

Orders and scores of the same graders may be two judgements, or one judgement written down twice, or about
two things. Only in the first case is an estimate from both better than one from the scores alone. The class
itself can tell: graders are left out in turn, a fifth at a time, and their scores predicted from the rest.
With r the residuals of a grader's k scores from the predicted ones, less their mean (leniency is not
predicted), and reliability integrated over its prior Gamma(shape, rate),

    -log p = (shape + (k - 1) / 2) log(rate + sum r^2 / (2 noise)) + a constant .

Variances and sharpness are those of the whole class, so that each fold is one short search. To ask for a gain
of a standard error before orders are let in was tried: it lost more where they help than it saved elsewhere.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import ConvergenceWarning
from peerage.models.base import rough_clone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.combined import Combined
    from peerage.models.normal.normal_scores import ScoreModel

FOLDS = 5
TOLERANCE, MOST_STEPS = 1e-5, 50  # of a fold's search: predictions need no more


def orders_help(fitted: Combined) -> bool:
    """Whether scores of left-out graders are predicted better with the orders than without."""
    folds = _assign_folds(fitted.feedback_)
    return folds is None or held_out_loss(fitted, folds) < held_out_loss(fitted.scores_alone(), folds)


def _assign_folds(feedback: Feedback) -> NDArray[np.int64] | None:
    """The fold of every grader, -1 for those without two scores; None where there are too few others."""
    assert feedback.scores is not None
    scored = feedback.entry_graders[~np.isnan(feedback.scores)]
    usable = np.bincount(scored, minlength=feedback.n_graders) > 1
    if usable.sum() < 2 * FOLDS:
        return None
    return np.where(usable, (np.cumsum(usable) - 1) % FOLDS, -1)


def held_out_loss(fitted: ScoreModel, folds: NDArray[np.int64]) -> float:
    """Summed over graders, constants left out; what the fit learned of the class is held."""
    feedback = fitted.feedback_
    assert feedback.scores is not None
    residual = np.full(feedback.n_entries, np.nan)
    for fold in range(FOLDS):
        rest = feedback.take_lists(np.flatnonzero(folds[feedback.list_graders] != fold))
        twin = rough_clone(fitted, tol=TOLERANCE, max_iter=MOST_STEPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            twin.fit(rest)
        own = folds[feedback.entry_graders] == fold
        residual[own] = feedback.scores[own] - twin.scores_[feedback.items[own]]
    known = ~np.isnan(residual)
    graders, residual = feedback.entry_graders[known], residual[known]
    count, total, squares = (
        np.bincount(graders, weights, feedback.n_graders) for weights in (None, residual, residual**2)
    )
    square = squares - total**2 / np.maximum(count, 1)
    loss = fitted.reliability_shape + 0.5 * (count - 1)
    loss *= np.log(fitted.reliability_rate + 0.5 * square / fitted.noise_variance_)
    return float(loss[folds >= 0].sum())
