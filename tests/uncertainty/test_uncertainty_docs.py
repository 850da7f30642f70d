"""The page about uncertainty."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import beta, betaincinv

import peerage
from peerage.grading import sentences
from peerage.grading.staff import line_posterior

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "uncertainty.md"


def test_the_page_names_every_function():
    text = PAGE.read_text(encoding="utf-8")
    ours = [
        name for name in peerage.__all__ if "uncertainty" in getattr(getattr(peerage, name), "__module__", "")
    ]

    assert {"Posterior", "learn_priors", "posterior"} <= set(ours)
    assert [name for name in ours if name not in text] == []


def words():
    return " ".join(PAGE.read_text(encoding="utf-8").split())


def results(name):
    return pl.read_csv(Path(__file__).parents[2] / "experiments" / "results" / name)


def test_the_page_is_short():
    assert len(PAGE.read_text(encoding="utf-8").split()) <= 8001 / 2  # its length before the tables moved


def test_figures_of_learned_priors_are_those_of_the_file():
    means = dict(results("calibration.csv").group_by("priors").agg(pl.mean("calibration_error")).iter_rows())

    assert (
        f"from {means['paper']:.3f} (paper) and {means['default']:.3f} (defaults tuned on these sets)"
        f" to {means['learned']:.3f}"
    ) in words()


def test_figures_of_coverage_are_those_of_the_files():
    rows = results("grade_coverage.csv")
    kinds = rows.select("method", "items", "graders", "ties").unique()
    whole = rows.filter(pl.col("method").is_in(["NCS+G", "MAL+G"]))["coverage"]
    small = results("coverage.csv").filter(
        method="PL+G", source="laplace", items=40, graders=40, per_grader=4, quantity="score"
    )

    assert f"In {len(kinds)} kinds of simulated classes" in words()
    assert f"held {100 * whole.min():.0f} to {100 * whole.max():.0f} %" in words()
    assert {round(100 * share) for share in small["coverage"]} == {88}


def test_what_is_usual_of_staff_grades_is_what_the_model_takes():
    first, second = line_posterior.FIRST, line_posterior.SECOND  # of a squared correlation
    mean = beta(first + 0.5, second) / beta(first, second)
    low, high = np.sqrt(betaincinv(first, second, [0.05, 0.95]))
    correlation = f"is {mean:.2f} on average, and {low:.2f} to {high:.2f} in nine of ten".replace("0.", ".")

    assert correlation in words()
    assert f"about {line_posterior.WIDER} times as much" in words()
    assert f"a factor of {np.exp(line_posterior.WITHIN):.2f}" in words()
    assert f"within {line_posterior.NEAR_PEERS} of their standard deviations" in words()
    assert f"a mean of about {100 * line_posterior.MIDDLE:.0f} %" in words()
    off = (sentences.FEW_OFF[1], sentences.SOME_OFF[1])
    assert (
        "up to {} points too high with three staff grades and {} with six or twelve".format(*off) in words()
    )
