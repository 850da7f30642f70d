"""Small classes that the tests of uncertainty share."""

from functools import cache

import numpy as np

import peerage
from peerage import Feedback, simulate


def orders() -> Feedback:
    """Five items, lists of two to four, with ties."""
    return Feedback.from_orders(
        [
            ("ada", ["x", "y", {"z", "w"}]),
            ("bob", ["y", "x", "w"]),
            ("cyd", ["w", "z"]),
            ("dan", ["x", "v", "z"]),
            ("eve", ["v", "x"]),
            ("ada", ["y", "v"]),
        ]
    )


def pairs() -> Feedback:
    won = [("x", "y"), ("y", "z"), ("x", "z"), ("z", "w"), ("w", "y"), ("x", "w"), ("z", "x"), ("y", "w")]
    return Feedback.from_orders([("abc"[k % 3], list(pair)) for k, pair in enumerate(won)])


@cache
def scored() -> Feedback:
    """A class that every method takes but COMBINED: scores, and orders that follow from them."""
    return simulate(items=12, graders=20, per_grader=4, seed=5).feedback()


@cache
def ranked() -> Feedback:
    return simulate(items=15, graders=40, per_grader=4, model="pl", seed=2).feedback()


@cache
def few_graders() -> Feedback:
    """Thirty items, eight graders: the scale would drift."""
    made = simulate(items=30, graders=8, per_grader=10, model="pl", sd=1.7, reliability_shape=5, seed=1)
    return made.feedback()


@cache
def learned():
    """The variance of the scores of `ranked` is learned; to be looked at only."""
    return peerage.learn_priors(ranked(), peerage.method("PL+G", identified=True))


@cache
def with_ranks() -> Feedback:
    """Scores, and orders given beside them."""
    frame = scored().to_frame()
    return Feedback.from_columns(frame["grader"], frame["item"], rank=frame["rank"], score=frame["score"])


def hessian(function, point, step=1e-4):
    """Second differences of a function of a vector."""
    size = len(point)
    moves = step * np.eye(size)
    matrix = np.empty((size, size))
    for i in range(size):
        for j in range(i, size):
            up, cross = function(point + moves[i] + moves[j]), function(point + moves[i] - moves[j])
            down, back = function(point - moves[i] - moves[j]), function(point - moves[i] + moves[j])
            matrix[i, j] = matrix[j, i] = (up + down - cross - back) / (4 * step**2)
    return matrix
