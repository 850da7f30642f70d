from pathlib import Path

import numpy as np
import polars as pl
import pytest
from experiments.anchor_coverage import anchored, posterior_of

from peerage import check, read, simulate
from peerage.grading.letters import parse_letters
from peerage.grading.points import Scale
from peerage.metrics.accuracy import tau_error
from peerage.simulation.classes import PRESETS

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = sorted(PRESETS)


def staff_like(name, source):
    staff = pl.read_csv(EXAMPLES / name / "staff.csv").filter(pl.col("source").str.starts_with(source))
    return staff["score"].mean(), staff["score"].std()


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_what_the_simulation_makes(name, tmp_path):
    simulate(**PRESETS[name], seed=1).write(tmp_path)

    assert {path.name for path in (EXAMPLES / name).iterdir()} == {path.name for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        assert (EXAMPLES / name / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_examples_have_no_warnings(name):
    preflight = check(read(EXAMPLES / name / "feedback.csv"), EXAMPLES / name / "roster.csv")

    assert preflight.warnings == ()


@pytest.mark.parametrize(
    ("name", "sizes", "mean", "sd"),
    [("posters", (42, 148, 996), 8.16, 1.31), ("reports", (44, 153, 586), 8.20, 1.35)],
)
def test_peers_have_the_shape_of_the_paper(name, sizes, mean, sd):
    counts = check(read(EXAMPLES / name / "feedback.csv")).counts

    assert (counts.items, counts.graders, counts.reviews) == sizes
    assert counts.scores.mean == pytest.approx(mean, abs=0.05)
    assert counts.scores.sd == pytest.approx(sd, abs=0.05)


@pytest.mark.parametrize(
    ("name", "source", "mean", "sd"),
    [("posters", "TA", 7.46, 1.41), ("reports", "TA", 7.59, 1.30), ("reports", "Instructor", 7.43, 1.16)],
)
def test_staff_have_the_shape_of_the_paper(name, source, mean, sd):
    assert staff_like(name, source) == (pytest.approx(mean, abs=0.05), pytest.approx(sd, abs=0.05))


@pytest.mark.parametrize("name", NAMES)
def test_average_scores_err_as_much_as_in_the_paper(name):
    rows = pl.read_csv(EXAMPLES / name / "feedback.csv")
    average = rows.group_by("item").agg(pl.col("score").mean()).sort("item")["score"].to_numpy()
    truth = pl.read_csv(EXAMPLES / name / "truth.csv").sort("item")["score"].to_numpy()

    assert 20 <= tau_error(np.asarray(truth), np.asarray(average)) <= 30


def test_the_readme_shows_the_figures_of_the_files():
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")

    for name in NAMES:
        scores = pl.read_csv(EXAMPLES / name / "feedback.csv")["score"]
        assert f"{scores.mean():.2f}, {scores.std():.2f}" in readme


def test_the_few_staff_grades_of_the_demo_are_the_staff_s():
    few = pl.read_csv(EXAMPLES / "posters-anchors.csv")

    assert len(few) == 8
    assert few.join(pl.read_csv(EXAMPLES / "posters" / "staff.csv"), on=few.columns, how="anti").is_empty()


def test_intervals_of_the_demo_hold_what_they_promise_over_choices_of_staff_grades():
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    posterior = posterior_of(read(EXAMPLES / "posters" / "feedback.csv"), 0)
    staff = pl.read_csv(EXAMPLES / "posters" / "staff.csv").select("item", "score")
    bundled = pl.read_csv(EXAMPLES / "posters-anchors.csv").select("item", "score")

    def held(given):
        rule, scale = parse_letters("A>=8.5,B>=7,C>=6,D"), Scale(0.0, 10.0)
        return anchored(posterior.at_mean(), posterior, staff, given, 0, rule, scale).inside

    assert f"hold {held(bundled).sum()} of {len(staff) - len(bundled)} (79 %)" in " ".join(readme.split())
    choices = [held(staff.sample(8, seed=seed)).mean() for seed in range(40)]
    assert 0.87 <= np.mean(choices) <= 0.94
