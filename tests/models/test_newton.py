"""The search for the optimum: steps held item by item, and no more of them in a larger class."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from model_cases import class_frame, feedback_of, make

from peerage.models import thresholds
from peerage.models.smooth.objective import ListObjective
from peerage.models.solver import newton
from peerage.simulation.reviews import rank_all


def test_steps_are_held_item_by_item():
    short = np.array([0.5, -1.9])
    far, downhill = np.array([900.0, 0.5, -1.0]), np.array([-1e-3, -0.5, 1.0])

    assert newton._limited(2.0, short, -short) is short
    assert newton._limited(2.0, far, downhill).tolist() == [2, 0.5, -1]  # one does not hold up the others


def test_a_step_that_would_climb_when_held_is_shortened_whole():
    direction, gradient = np.array([900.0, 2.0]), np.array([-1.0, 400.0])

    held = newton._limited(2.0, direction, gradient)

    assert held.tolist() == pytest.approx([2, 2 * 2 / 900])
    assert held @ gradient < 0


# -- how much work a class takes --------------------------------------------------------------------------


def work(code, feedback, monkeypatch):
    """How often a fit asks for the value and for Hessian products."""
    monkeypatch.setattr(thresholds, "DENSE_ITEMS", 0)
    count = Counter()

    def watch(name, method):
        def counted(*arguments):
            count[name] += 1
            return method(*arguments)

        monkeypatch.setattr(ListObjective, name, counted)

    watch("evaluate", ListObjective.evaluate)
    watch("hessian_product", ListObjective.hessian_product)
    assert make(code).fit(feedback).converged_
    monkeypatch.undo()
    return count


def copies(count):
    """The same class several times over, as tasks with graders of their own."""
    frame = class_frame(items=12, graders=25, length=5, ties=False)
    parts = [
        frame.with_columns(task=pl.lit(f"task {copy}"), grader=pl.format("{} {}", pl.lit(copy), "grader"))
        for copy in range(count)
    ]
    return feedback_of(pl.concat(parts))


@pytest.mark.parametrize("code", ["BT", "PL", "BT+G", "PL+G"])
def test_many_copies_of_a_class_take_the_steps_of_one(code, monkeypatch):
    one, many = (work(code, copies(count), monkeypatch) for count in (1, 20))

    assert many["evaluate"] == pytest.approx(one["evaluate"], abs=2)
    assert many["hessian_product"] == pytest.approx(one["hessian_product"], abs=3)


def chance_class(size, length=10):
    """Strict lists by graders of unequal care: in a large class some items and graders are always odd."""
    rng = np.random.default_rng(0)
    quality, care = rng.normal(0, 1.5, size), rng.gamma(4, 0.25, size) + 0.1
    seen = np.array([rng.choice(size, length, replace=False) for _ in range(size)])
    opinion = quality[seen] + rng.gumbel(size=seen.shape) / care[:, None]
    return rank_all(np.repeat(np.arange(size), length), seen.ravel(), opinion.ravel(), size)


@pytest.mark.parametrize("code", ["BT+G", "PL+G", "THUR+G"])
def test_a_larger_class_takes_about_the_same_steps(code, monkeypatch):
    small, large = (work(code, chance_class(size), monkeypatch) for size in (200, 4_000))

    assert large["evaluate"] <= 1.4 * small["evaluate"]
    assert large["hessian_product"] <= 1.4 * small["hessian_product"]
