"""Small classes that the tests of uncertainty share."""

from functools import cache
from itertools import combinations_with_replacement

import numpy as np

import peerage
from peerage import Feedback, simulate


def orders() -> Feedback:
    """Five items, lists of two to four, with ties."""
    lists = [["x", "y", {"z", "w"}], ["y", "x", "w"], ["w", "z"], ["x", "v", "z"], ["v", "x"], ["y", "v"]]
    return Feedback.from_orders(list(zip(["ada", "bob", "cyd", "dan", "eve", "ada"], lists, strict=True)))


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
    shape = {"items": 30, "graders": 8, "per_grader": 10}
    return simulate(**shape, model="pl", sd=1.7, reliability_shape=5, seed=1).feedback()


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
    moves, matrix = step * np.eye(len(point)), np.empty((len(point), len(point)))
    for i, j in combinations_with_replacement(range(len(point)), 2):
        same, opposed = moves[i] + moves[j], moves[i] - moves[j]
        bend = sum(function(point + sign * same) - function(point + sign * opposed) for sign in (1, -1))
        matrix[i, j] = matrix[j, i] = bend / (4 * step**2)
    return matrix
