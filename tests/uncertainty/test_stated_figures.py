"""Figures in cautions and on the page are those of the experiments; whatever falls short has a caution."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import beta, betaincinv

from peerage.grading import misfit, sentences
from peerage.grading.staff import line_posterior
from peerage.uncertainty import cautions

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "experiments" / "results"
PAGE = " ".join((ROOT / "docs" / "explanation" / "uncertainty.md").read_text(encoding="utf-8").split())
ROWS = pl.read_csv(RESULTS / "grade_coverage.csv")
KINDS = pl.read_csv(RESULTS / "kinds_of_classes.csv")
CHANCES = pl.read_csv(RESULTS / "grade_chances.csv").filter(pl.col("pairs") >= 500)

FREE = pl.col("method").is_in(["PL+G", "PL+G near", "BT+G pairs", "BT+G lists", "MALS+G"])
LISTS = pl.col("method") == "BT+G lists"
AT_RANDOM = (pl.col("method") == "PL+G") & (pl.col("ties") > 0)
TIED = pl.col("method").is_in(["PL+G", "PL+G near", "BT+G lists", "MALS+G"]) & (pl.col("ties") > 0)
SUBSETS = (pl.col("method") == "MALS+G") & (pl.col("ties") > 0)
BOTH = pl.col("method") == "COMBINED+G"
SCORE, RANK, RELIABILITY = (pl.col("quantity") == one for one in ("score", "rank", "reliability"))
FEW_GRADERS = FREE & (pl.col("graders") < cautions.FEW_GRADERS)
SMALL = FREE & (pl.col("items") < cautions.SMALL)
# of ten comparisons of an item, those that were not left out
FEW_COMPARISONS = (
    (pl.col("method") == "BT+G pairs")
    & (pl.col("items") >= cautions.SMALL)
    & (10 * (1 - pl.col("ties")) < cautions.FEW_COMPARISONS)
)


SCORED = pl.read_csv(RESULTS / "small_score_classes.csv")
DISPUTED = pl.read_csv(RESULTS / "disputed_items.csv").group_by("kind").agg(pl.mean("after"))
ANCHORED = pl.read_csv(RESULTS / "anchor_coverage.csv")
THREE, MORE = (ANCHORED.filter(pl.col("anchors").is_in(anchors)) for anchors in ([3], [6, 12]))
OF_A_KIND = pl.col("kind") != "all"


def covered(rows):
    return ROWS.filter(rows)["coverage"]


HELD = {
    "pairs of lists": (covered(LISTS & ~RELIABILITY), cautions.PAIRS_HELD),
    "pairs, few graders": (covered(LISTS & FEW_GRADERS & RELIABILITY), cautions.PAIRS_RELIABILITIES_HELD),
    "few graders": (covered(FEW_GRADERS & ~LISTS & RELIABILITY), cautions.RELIABILITIES_HELD),
    "few items": (covered(SMALL & ~SUBSETS & SCORE), cautions.SCORES_HELD),
    "few comparisons": (covered(FEW_COMPARISONS & SCORE), cautions.COMPARISONS_HELD),
    "ties at random": (covered(AT_RANDOM & RANK), cautions.TIED_HELD),
    "ties, scores of subsets": (covered(SUBSETS & SCORE), cautions.TIED_SCORES_HELD),
    "scores of both": (covered(BOTH & SCORE), cautions.BOTH_SCORES_HELD),
    "ranks of both": (covered(BOTH & RANK), cautions.BOTH_RANKS_HELD),
    "reliabilities of both": (covered(BOTH & RELIABILITY), cautions.BOTH_RELIABILITIES_HELD),
    "few graders of scores": (SCORED["before"], cautions.FEW_SCORED_HELD),
    "few graders of scores, widened": (SCORED["after"], cautions.FEW_SCORED_WIDENED),
    "ranks of disputed items": (DISPUTED["after"], misfit.RANKS_HELD),
    "three staff grades": (THREE.filter(OF_A_KIND)["coverage"], sentences.FEW_HELD),
    "six or twelve staff grades": (MORE.filter(OF_A_KIND)["coverage"], sentences.SOME_HELD),
}


@pytest.mark.parametrize("where", HELD)
def test_a_stated_range_is_the_measured_one(where):
    shares, stated = HELD[where]

    found = (100 * shares).round(0)

    assert (found.min(), found.max()) == stated


def test_few_graders_of_scores_are_few():
    assert SCORED["graders"].max() < cautions.FEW_GRADERS


def kinds_held(quantity):
    """By kind of class, the per cent that 90 % intervals held."""
    rows = KINDS.drop_nulls(quantity).group_by("kind").agg((100 * pl.col(quantity).mean()).round(0))
    return dict(rows.iter_rows())


def test_classes_of_chance_and_equal_judges_are_held_as_often_as_said():
    equal = [held for kind, held in kinds_held("reliabilities").items() if kind.startswith("few judges")]
    by_chance = [kinds_held(which)["no signal, 40 x 40 in lists of 6"] for which in ("ranks", "scores")]

    assert by_chance == [cautions.CHANCE_RANKS_HELD, cautions.CHANCE_SCORES_HELD]
    assert (min(equal), max(equal)) == cautions.EQUAL_RELIABILITIES_HELD


@pytest.mark.parametrize("quantity", ["ranks", "scores", "reliabilities"])
def test_every_other_kind_is_held_as_promised(quantity):
    told = {("no signal", "scores"): (cautions.CHANCE_SCORES_HELD,) * 2}
    told |= {("few judges", "reliabilities"): cautions.EQUAL_RELIABILITIES_HELD}
    told |= {("judges who differ", "reliabilities"): (cautions.RELIABILITIES_HELD[0], 94)}
    told |= {("scores", "reliabilities"): cautions.SCORED_RELIABILITIES_HELD}
    for kind, held in kinds_held(quantity).items():
        ranges = [
            range_ for (start, which), range_ in told.items() if kind.startswith(start) and which == quantity
        ]
        least, most = ranges[0] if ranges else (86, 95)
        assert least <= held <= most, kind


def test_chances_are_too_high_by_so_much():
    over = 100 * (pl.col("stated") - pl.col("true"))
    too_high = [round(CHANCES.filter(rows).select(over.max()).item()) for rows in (AT_RANDOM, LISTS, BOTH)]

    assert too_high == [cautions.TIED_TOO_HIGH, cautions.PAIRS_TOO_HIGH, cautions.BOTH_TOO_HIGH]


def test_whatever_falls_short_has_a_caution():
    told = (
        (FEW_GRADERS & RELIABILITY) | (SMALL & SCORE) | (FEW_COMPARISONS & SCORE) | LISTS
        | (TIED & ~RELIABILITY) | BOTH
    )  # fmt: skip

    assert ROWS.filter(pl.col("coverage") < 0.86).filter(~told).is_empty()


def test_chances_that_are_too_sure_have_a_caution():
    over = pl.col("stated") - pl.col("true") > 0.03

    assert CHANCES.filter(over).filter(~(LISTS | TIED | BOTH)).is_empty()


def test_figures_of_learned_priors_on_the_page_are_those_of_the_file():
    rows = pl.read_csv(RESULTS / "calibration.csv").group_by("priors").agg(pl.mean("calibration_error"))
    means = dict(rows.iter_rows())

    assert (
        f"from {means['paper']:.3f} (paper) and {means['default']:.3f} (defaults tuned on these sets)"
        f" to {means['learned']:.3f}"
    ) in PAGE


def test_figures_of_coverage_on_the_page_are_those_of_the_files():
    kinds = ROWS.select("method", "items", "graders", "ties").unique()
    whole = ROWS.filter(pl.col("method").is_in(["NCS+G", "MAL+G"]))["coverage"]
    small = pl.read_csv(RESULTS / "coverage.csv").filter(
        method="PL+G", source="laplace", items=40, graders=40, per_grader=4, quantity="score"
    )

    assert f"In {len(kinds)} kinds of simulated classes" in PAGE
    assert f"held {100 * whole.min():.0f} to {100 * whole.max():.0f} %" in PAGE
    assert {round(100 * share) for share in small["coverage"]} == {88}


def test_what_is_usual_of_staff_grades_is_what_the_model_takes():
    first, second = line_posterior.FIRST, line_posterior.SECOND  # of a squared correlation
    mean = beta(first + 0.5, second) / beta(first, second)
    low, high = np.sqrt(betaincinv(first, second, [0.05, 0.95]))
    off = sentences.FEW_OFF[1], sentences.SOME_OFF[1]
    stated = [
        f"is {mean:.2f} on average, and {low:.2f} to {high:.2f} in nine of ten".replace("0.", "."),
        f"about {line_posterior.WIDER} times as much",
        f"a factor of {np.exp(line_posterior.WITHIN):.2f}",
        f"within {line_posterior.NEAR_PEERS} of their standard deviations",
        f"a mean of about {100 * line_posterior.MIDDLE:.0f} %",
        "up to {} points too high with three staff grades and {} with six or twelve".format(*off),
    ]

    assert [words for words in stated if words not in PAGE] == []


@pytest.mark.parametrize(("rows", "off"), [(THREE, sentences.FEW_OFF), (MORE, sentences.SOME_OFF)])
def test_chances_with_few_staff_grades_are_too_high_by_what_was_measured(rows, off):
    assert round(100 * rows.filter(kind="all")["too_high"].abs().max()) == off[0] <= 4
    assert round(100 * rows.filter(OF_A_KIND)["too_high"].max()) == off[1]
