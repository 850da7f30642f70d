"""Small classes with scores, and the normal model written out the slow way."""

import numpy as np
import polars as pl
from model_cases import class_frame, feedback_of

import naive


def score_frame(*, items=6, graders=9, scale=1.0, gaps=False, **shape):
    """One row per review: scores by graders of whom each has a bias, some of them missing."""
    score = scale * (pl.col("score") + pl.col("grader").rank("dense") % 4 / 2)
    present = pl.lit(not gaps) | (pl.int_range(pl.len()) % 5 > 0)
    return class_frame(items=items, graders=graders, **shape).with_columns(score=pl.when(present).then(score))


def cardinal(**options):
    """Scores alone; where some are missing, ranks must stay to hold those reviews."""
    frame = score_frame(**options)
    return feedback_of(frame if options.get("gaps") else frame.drop("rank"))


def score_objective(feedback, s, b, eta, means, variances, shape=10.0, rate=10.0, *, graders=True):
    """Minus the log posterior of scores, biases and reliabilities, as documented."""
    item, bias, noise = variances
    total = sum((s[d] - means[d]) ** 2 / (2 * item) for d in range(feedback.n_items))
    for order in naive.orders_of(feedback):
        g = order.grader
        for d, y in order.given.items():
            if not np.isnan(y):
                r = y - s[d] - b[g]
                total += order.weight * (eta[g] * r**2 / noise - np.log(eta[g])) / 2
    if graders:
        total += sum(b**2) / (2 * bias) + sum(rate * eta - (shape - 1) * np.log(eta))
    return total


def means_of(feedback):
    """The mean score of each item's task, by list weights."""
    y, w = feedback.scores, np.repeat(feedback.list_weights, feedback.list_lengths)
    task = feedback.item_tasks[feedback.items]
    kept = ~np.isnan(y)
    means = [
        np.average(y[kept & (task == t)], weights=w[kept & (task == t)]) for t in range(feedback.n_tasks)
    ]
    return np.array(means)[feedback.item_tasks]


def restricted(feedback, variances, eta=None, mean=None, *, bias=True):
    """-2 log restricted likelihood of the mixed model with its prior on ratios, by dense covariance matrices.

    Whole weights are written out as copies; without `mean`, task means are fixed effects.
    """
    item, between, noise = variances
    copies = np.repeat(feedback.list_weights, feedback.list_lengths).astype(int)
    copies[np.isnan(feedback.scores)] = 0
    e = np.repeat(np.arange(feedback.n_entries), copies)
    y, d, g = feedback.scores[e], feedback.items[e], feedback.entry_graders[e]
    eta = np.ones(feedback.n_graders) if eta is None else eta
    cov = item * (d[:, None] == d) + (between if bias else 0.0) * (g[:, None] == g) + np.diag(noise / eta[g])
    X = np.eye(feedback.n_tasks)[feedback.item_tasks[d]]
    inverse = np.linalg.inv(cov)
    value = np.linalg.slogdet(cov)[1]
    if mean is None:
        value += np.linalg.slogdet(X.T @ inverse @ X)[1]
        r = y - X @ np.linalg.solve(X.T @ inverse @ X, X.T @ inverse @ y)
    else:
        r = y - mean
    value += r @ inverse @ r + np.log(noise / item) ** 2 / 9
    return value + (np.log(noise / between) ** 2 / 9 if bias else 0.0)
