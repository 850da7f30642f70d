"""Every metric once more, pair by pair and item by item, straight from its definition."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations


def pair_counts(target, predicted):
    agreed = turned = tied = 0
    for i, j in combinations(range(len(target)), 2):
        if target[i] == target[j]:
            continue
        if predicted[i] == predicted[j]:
            tied += 1
        elif (target[i] > target[j]) == (predicted[i] > predicted[j]):
            agreed += 1
        else:
            turned += 1
    return agreed, turned, tied


def tau_error(target, predicted):
    here = [k for k in range(len(target)) if not math.isnan(target[k])]
    agreed, turned, tied = pair_counts([target[k] for k in here], [predicted[k] for k in here])
    strict = agreed + turned + tied
    return 100 * (turned + 0.5 * tied) / strict if strict else math.nan


def mean_of_defined(values):
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan


def task_tau_errors(tasks, target, predicted):
    errors = []
    for task in sorted(set(tasks)):
        here = [k for k in range(len(tasks)) if tasks[k] == task]
        errors.append(tau_error([target[k] for k in here], [predicted[k] for k in here]))
    return errors


def places_held(scores, places):
    """Mean of who is among the highest over every order that the scores allow."""
    n = len(scores)
    allowed = [
        order for order in permutations(range(n)) if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]
    return [Fraction(sum(k in order[:places] for order in allowed), len(allowed)) for k in range(n)]


def top_agreement(target, predicted, share):
    n = len(target)
    if len(set(target)) < 2:
        return math.nan
    places = max(1, math.floor(n * share + 0.5))
    held = places_held(predicted, places)
    edge = sorted(target, reverse=True)[places - 1]
    sure = [k for k in range(n) if target[k] > edge]
    open_places = places - len(sure)
    at_edge = sum(held[k] for k in range(n) if target[k] == edge)
    return float((sum(held[k] for k in sure) + min(open_places, at_edge)) / places)


def lazy_detection_rate(reliability, lazy, lowest):
    held = places_held([-value for value in reliability], lowest)
    found = [share for share, is_lazy in zip(held, lazy, strict=True) if is_lazy]
    return float(sum(found) / len(found)) if found else math.nan


def lazy_auc(reliability, lazy, evidence):
    won, pairs = 0.0, 0
    for i in range(len(lazy)):
        for j in range(len(lazy)):
            if lazy[i] and not lazy[j] and evidence[i] == evidence[j]:
                pairs += 1
                won += 1.0 if reliability[i] < reliability[j] else 0.5 * (reliability[i] == reliability[j])
    return (won / pairs if pairs else math.nan), pairs


def diagram(probability, above, bins):
    """For each bin: count, mean forecast, share that came true."""
    rows = []
    for k in range(bins):
        low, high = k / bins, (k + 1) / bins
        inside = [
            (p, o)
            for p, o in zip(probability, above, strict=True)
            if low <= p < high or (k == bins - 1 and p == 1)
        ]
        size = len(inside)
        rows.append(
            (size, sum(p for p, _ in inside) / size, sum(o for _, o in inside) / size)
            if size
            else (0, math.nan, math.nan)
        )
    return rows


def expected_calibration_error(probability, above, bins):
    total = len(probability)
    rows = [row for row in diagram(probability, above, bins) if row[0]]
    return sum(size * abs(p - o) for size, p, o in rows) / total if total else math.nan


def brier_score(probability, above):
    squares = [(p - (1 if o else 0)) ** 2 for p, o in zip(probability, above, strict=True)]
    return sum(squares) / len(squares) if squares else math.nan


def log_loss(probability, above):
    losses = []
    for p, o in zip(probability, above, strict=True):
        happened = Fraction(p) if o else 1 - Fraction(p)
        losses.append(math.log(happened.denominator) - math.log(happened.numerator) if happened else math.inf)
    return sum(losses) / len(losses) if losses else math.nan


def grade_rmse(target, predicted):
    squares = [(Fraction(t) - Fraction(p)) ** 2 for t, p in zip(target, predicted, strict=True)]
    return math.sqrt(sum(squares) / len(squares)) if squares else math.nan


def boundary_error(target, predicted, boundaries):
    wrong = [
        any((t >= cut) != (p >= cut) for cut in boundaries) for t, p in zip(target, predicted, strict=True)
    ]
    return sum(wrong) / len(wrong) if wrong else math.nan
