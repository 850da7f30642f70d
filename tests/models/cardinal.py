"""Small classes with scores, and the normal model written out the slow way."""

import numpy as np

import naive
from peerage import Feedback


def a_class(seed=0, *, items=6, graders=9, each=4, tasks=1, scale=1.0, gaps=False, weights=False):
    """Scores and ranks (given separately), some missing scores, some weights."""
    random = np.random.default_rng(seed)
    rows = []
    quality = random.normal(0, 1.5, (tasks, items))
    for grader in range(graders):
        bias, noise = random.normal(0, 0.8), random.gamma(5, 0.2)
        for task in range(tasks):
            weight = float(random.integers(1, 4)) if weights else 1.0
            seen = random.permutation(items)[:each]
            scores = 6 + quality[task, seen] + bias + noise * random.normal(size=each)
            ranks = np.argsort(np.argsort(-quality[task, seen] + random.normal(size=each))) + 1
            for item, score, rank in zip(seen, scores, ranks, strict=True):
                score = None if gaps and random.random() < 0.2 else scale * round(float(score), 1)
                rows.append((f"t{task}", f"g{grader}", f"i{item}", score, int(rank), weight))
    names = ("task", "grader", "item", "score", "rank", "weight")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def build(columns, *names):
    """Feedback from these columns (all but the names given after)."""
    return Feedback.from_columns(**{name: column for name, column in columns.items() if name not in names})


def cardinal(**options):
    """Scores alone; where some are missing, ranks must stay to hold those reviews."""
    return build(a_class(**options), *(() if options.get("gaps") else ("rank",)))


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
