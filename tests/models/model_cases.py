"""What the suites over all models share: every method by its code, and small classes to fit."""

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl

from peerage import Feedback
from peerage import method as make
from peerage.models.registry import codes, entry
from peerage.models.smooth.model import SmoothModel
from peerage.models.smooth.objective import ListObjective

CODES = codes()
PLAIN = [code for code in CODES if not code.endswith("+G")]
RELIABLE = [code for code in CODES if code.endswith("+G")]
NEEDS_SCORES = [code for code in CODES if make(code).needs_scores]
ORDINAL = [code for code in CODES if code not in NEEDS_SCORES]
SMOOTH = [code for code in CODES if issubclass(entry(code).kind, SmoothModel)]


def orders_and_scores(orders, *, task="1"):
    """Feedback from (grader, order) pairs, scores falling by two from 9: every method can be fitted to it."""
    rows = [
        (grader, f"{number:03}", item, rank, 9.0 - 2.0 * rank)
        for number, (grader, order) in enumerate(orders)
        for rank, bucket in enumerate(order)
        for item in ([bucket] if isinstance(bucket, str) else bucket)
    ]
    grader, lists, item, rank, score = zip(*rows, strict=True)
    return Feedback.from_columns(
        grader, item, list=lists, rank=[r + 1 for r in rank], score=score, task=[task] * len(rows)
    )


def class_frame(*, items=8, graders=10, length=4, tasks=1, seed=1, ties=True, weights=False):
    """One row per review: noisy graders, ties, orders beside scores that do not quite follow them."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in range(tasks):
        quality = rng.normal(0, 1.5, items)
        for grader in range(graders):
            seen = rng.permutation(items)[:length]
            order = np.argsort(np.argsort(-quality[seen] - rng.normal(0, 1 + grader % 3, length)))
            rank = order // 2 if ties and grader % 2 else order
            score = np.round(6 + quality[seen] + rng.normal(0, 1, length), 1)
            weight = 1 + grader % 3 if weights else 1
            names = [f"item {item}" for item in seen]
            rows += [
                (f"task {task}", f"grader {grader:02}", name, int(r) + 1, float(s), weight)
                for name, r, s in zip(names, rank, score, strict=True)
            ]
    return pl.DataFrame(rows, ("task", "grader", "item", "rank", "score", "weight"), orient="row")


def feedback_of(frame):
    return Feedback.from_columns(**{name: frame[name] for name in frame.columns})


@cache
def some_class(**shape):
    return feedback_of(class_frame(**shape))


@cache
def fitted_to_some_class(code):
    """To be looked at only: all tests of a worker share it."""
    return make(code).fit(some_class())


def orders_alone(feedback):
    return replace(feedback, scores=None, ordered_by="rank")


def count_calls(patch, *names):
    """How often these methods of all objectives are called from now on."""
    counts = Counter()

    def counted(name, method):
        def call(*arguments):
            counts[name] += 1
            return method(*arguments)

        return call

    for name in names:
        patch.setattr(ListObjective, name, counted(name, getattr(ListObjective, name)))
    return counts


def by_label(fitted):
    """Scores by task and item, reliabilities by grader."""
    scores = {(row["task"], row["item"]): row["score"] for row in fitted.grades().iter_rows(named=True)}
    return scores, dict(zip(fitted.feedback_.grader_labels, fitted.reliabilities_, strict=True))
