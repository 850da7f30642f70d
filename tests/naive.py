"""Slow, obvious references straight from the definitions; they share no code with the library.

A list is its buckets, best first: ``[[2], [0, 1]]`` puts item 2 above items 0 and 1, which are tied.
"""

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, groupby, permutations, product

import numpy as np
from scipy.special import log_ndtr

# -- the feedback, unrolled ---------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """One list: its grader, its weight, its buckets of item numbers and the scores given to them."""

    grader: int
    weight: float
    buckets: list[list[int]]
    given: dict[int, float]

    @property
    def items(self):
        return [item for bucket in self.buckets for item in bucket]


@lru_cache(maxsize=8)  # objectives ask for them again at every point
def orders_of(feedback):
    orders = []
    for which in range(feedback.n_lists):
        buckets, given = [], {}
        for entry in range(feedback.list_starts[which], feedback.list_starts[which + 1]):
            item = int(feedback.items[entry])
            if feedback.bucket_starts[entry]:
                buckets.append([])
            buckets[-1].append(item)
            given[item] = math.nan if feedback.scores is None else float(feedback.scores[entry])
        weight = float(feedback.list_weights[which])
        orders.append(Order(int(feedback.list_graders[which]), weight, buckets, given))
    return orders


def strict_pairs(buckets, pairs="all"):
    """(better, worse) for every pair of items in different buckets, or in consecutive ones."""
    found = []
    for high, low in combinations(range(len(buckets)), 2):
        if pairs == "all" or low == high + 1:
            found += list(product(buckets[high], buckets[low]))
    return found


def tied_pairs(buckets):
    return [pair for bucket in buckets for pair in combinations(bucket, 2)]


def agreeing_orders(buckets):
    """All total orders that a list with ties leaves open."""
    return [sum(parts, ()) for parts in product(*(permutations(bucket) for bucket in buckets))]


# -- log-likelihood of one list ---------------------------------------------------------------------


def log_sum(exponents):
    """log of the sum of their exponentials."""
    *others, top = sorted(exponents)
    return top + math.log1p(sum(math.exp(e - top) for e in others))


def shifted(scores, order, margin):
    """Scores as the list sees them: with margin, less what the grader gave (if complete)."""
    use = margin and not any(math.isnan(order.given[item]) for item in order.items)
    return {item: scores[item] - (order.given[item] if use else 0.0) for item in order.items}


def bradley_terry(order, scores, eta, *, ties="indifferent", pairs="all", margin=False):
    s, total = shifted(scores, order, margin), 0.0
    for i, j in strict_pairs(order.buckets, pairs):
        d = eta * (s[i] - s[j])
        total += d - log_sum([d, 0, -d]) if ties == "model" else -np.logaddexp(0, -d)
    for i, j in tied_pairs(order.buckets):
        d = eta * (s[i] - s[j])
        if ties == "model":
            total += -log_sum([d, 0, -d])
        elif ties == "half":
            total -= (np.logaddexp(0, -d) + np.logaddexp(0, d)) / 2
    return float(total)


def thurstone(order, scores, eta, *, ties="indifferent", pairs="all", margin=False, threshold=0.5):
    s, root, total = shifted(scores, order, margin), math.sqrt(eta), 0.0
    beta = threshold if ties == "model" else 0.0
    for i, j in strict_pairs(order.buckets, pairs):
        total += log_ndtr(root * (s[i] - s[j] - beta))
    if ties == "model":
        for i, j in tied_pairs(order.buckets):
            d = -abs(s[i] - s[j])  # the same by symmetry, and exact in the tail
            wide, narrow = log_ndtr(root * (d + beta)), log_ndtr(root * (d - beta))
            total += wide + math.log(-math.expm1(narrow - wide))
    return float(total)


def plackett_luce(order, scores, eta, *, ties="indifferent", margin=False):
    s, total = shifted(scores, order, margin), 0.0
    for rank, bucket in enumerate(order.buckets):
        below = [item for later in order.buckets[rank + 1 :] for item in later]
        for i in bucket:
            rivals = below + [item for item in bucket if ties == "model" and item != i]
            total -= log_sum([0.0] + [-eta * (s[i] - s[j]) for j in rivals])
    return float(total)


def score_weighted_mallows(order, scores, eta):
    def energy(sequence):
        return -eta * sum(scores[item] * place for place, item in enumerate(sequence, start=1))

    top = log_sum([energy(sequence) for sequence in agreeing_orders(order.buckets)])
    return float(top - log_sum([energy(sequence) for sequence in permutations(order.items)]))


def log_normaliser(eta, k):
    """log Z(eta, k) over all k! orders by their number of inversions."""
    return float(np.log(np.exp(-eta * inversions_of_all_orders(k)).sum()))


@cache
def inversions_of_all_orders(k):
    return np.array([sum(a > b for a, b in combinations(order, 2)) for order in permutations(range(k))])


def reversed_pairs(buckets, scores):
    """Strict pairs that the central ranking (larger score is better) reverses; pairs it ties count half."""
    gaps = [scores[i] - scores[j] for i, j in strict_pairs(buckets)]
    return sum(1.0 if gap < 0 else 0.5 if gap == 0 else 0.0 for gap in gaps)


def mallows(order, scores, eta):
    buckets = sum(log_normaliser(eta, len(bucket)) for bucket in order.buckets)
    return -eta * reversed_pairs(order.buckets, scores) + buckets - log_normaliser(eta, len(order.items))


def normal_scores(order, scores, eta, *, bias=0.0):
    """Without the constant -log(2 pi) / 2 of every score; entries without one say nothing."""
    gaps = [order.given[i] - scores[i] - bias for i in order.items if not math.isnan(order.given[i])]
    return sum(0.5 * math.log(eta) - 0.5 * eta * gap**2 for gap in gaps)


LIKELIHOODS = {
    "BT": bradley_terry,
    "THUR": thurstone,
    "PL": plackett_luce,
    "MALS": score_weighted_mallows,
    "MAL": mallows,
}


# -- the joint objective ---------------------------------------------------------------------


def objective(
    code,
    feedback,
    scores,
    reliabilities=None,
    *,
    score_variance=9.0,
    reliability_shape=10.0,
    reliability_rate=10.0,
    **options,
):
    """Minus the log posterior, constants left out. Without reliabilities all are one and have no prior.

    Rankings (MAL) have no prior on their scores.
    """
    eta = np.ones(feedback.n_graders) if reliabilities is None else np.asarray(reliabilities, dtype=float)
    total = 0.0
    for order in orders_of(feedback):
        total -= order.weight * LIKELIHOODS[code](order, scores, eta[order.grader], **options)
    if code != "MAL":
        total += float(np.sum(np.asarray(scores) ** 2)) / (2 * score_variance)
    if reliabilities is not None:
        total += float(np.sum(reliability_rate * eta - (reliability_shape - 1) * np.log(eta)))
    return total


def gradient(function, point, step=1e-5):
    """Central differences, fourth order: row i is the change with part i; the error is of order step^4."""
    point = np.asarray(point, dtype=float)

    def row(move):
        near, far = (function(point + h * move) - function(point - h * move) for h in (step, 2 * step))
        return (8 * near - far) / (12 * step)

    return np.array([row(move) for move in np.eye(len(point))])


# -- rankings ---------------------------------------------------------------------


def compared_items(feedback, task):
    found = {item for order in orders_of(feedback) for pair in strict_pairs(order.buckets) for item in pair}
    return [int(item) for item in sorted(found) if feedback.item_tasks[item] == task]


def algorithm_2(feedback, reliabilities, task=0, items=None):
    """The paper's Algorithm 2 as printed, equal x placed together: buckets of items, best first."""
    unplaced, ranking = set(compared_items(feedback, task) if items is None else items), []
    while unplaced:
        x = dict.fromkeys(unplaced, 0.0)
        for order in orders_of(feedback):
            for i, j in strict_pairs(order.buckets):
                if i in unplaced and j in unplaced:
                    x[i] -= order.weight * reliabilities[order.grader]
                    x[j] += order.weight * reliabilities[order.grader]
        smallest = min(x.values())
        ranking.append(sorted(item for item in unplaced if math.isclose(x[item], smallest, abs_tol=1e-9)))
        unplaced -= set(ranking[-1])
    return ranking


def borda(feedback, reliabilities, task=0):
    """Items by their weighted mean of (mid-rank - 1/2) / length: buckets, best first."""
    total, mass = np.zeros(feedback.n_items), np.zeros(feedback.n_items)
    for order in orders_of(feedback):
        weight, above = order.weight * reliabilities[order.grader], 0
        for bucket in order.buckets:
            ranks = range(above + 1, above + len(bucket) + 1)
            mid_rank = sum(ranks) / len(bucket)
            for item in bucket:
                total[item] += weight * (mid_rank - 0.5) / len(order.items)
                mass[item] += weight
            above += len(bucket)
    items = compared_items(feedback, task)
    mean = {item: round(total[item] / mass[item], 9) for item in items}
    return [
        sorted(bucket) for _, bucket in groupby(sorted(items, key=mean.__getitem__), key=mean.__getitem__)
    ]


def majority(feedback, reliabilities, one, other):
    """Weighted comparisons that put bucket `one` above bucket `other`, minus the opposite."""
    total = 0.0
    for order in orders_of(feedback):
        for i, j in strict_pairs(order.buckets):
            sign = (i in one and j in other) - (j in one and i in other)
            total += sign * order.weight * reliabilities[order.grader]
    return total


def kemenize(feedback, reliabilities, ranking, task=0):
    """Settle ties by Algorithm 2 among the tied, then let each bucket rise while a majority prefers it."""
    refined = [part for bucket in ranking for part in algorithm_2(feedback, reliabilities, task, bucket)]
    if len(refined) > len(ranking):
        return kemenize(feedback, reliabilities, refined, task)
    line = []
    for bucket in ranking:
        place = len(line)
        while place > 0 and majority(feedback, reliabilities, bucket, line[place - 1]) > 1e-9:
            place -= 1
        line.insert(place, bucket)
    return line


def scores_of(ranking, n_items):
    """Centred mid-ranks of a ranking of one task, larger is better; 0 for items not in it."""
    scores, above = np.zeros(n_items), 0
    count = sum(len(bucket) for bucket in ranking)
    for bucket in ranking:
        scores[bucket] = (count + 1) / 2 - (above + (len(bucket) + 1) / 2)
        above += len(bucket)
    return scores
