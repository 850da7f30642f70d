"""The bundled classes are like those of the paper, and what is shown of them holds; the notebook runs."""

import ast
import json
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


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_what_the_simulation_makes(name, tmp_path):
    simulate(**PRESETS[name], seed=1).write(tmp_path)

    assert {path.name for path in (EXAMPLES / name).iterdir()} == {path.name for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        assert (EXAMPLES / name / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "sizes", "mean", "sd"),
    [("posters", (42, 148, 996), 8.16, 1.31), ("reports", (44, 153, 586), 8.20, 1.35)],
)
def test_peers_have_the_shape_of_the_paper_and_no_warnings(name, sizes, mean, sd):
    preflight = check(read(EXAMPLES / name / "feedback.csv"), EXAMPLES / name / "roster.csv")

    counts = preflight.counts
    assert (counts.items, counts.graders, counts.reviews) == sizes
    assert counts.scores.mean == pytest.approx(mean, abs=0.05)
    assert counts.scores.sd == pytest.approx(sd, abs=0.05)
    assert preflight.warnings == ()


@pytest.mark.parametrize(
    ("name", "source", "mean", "sd"),
    [("posters", "TA", 7.46, 1.41), ("reports", "TA", 7.59, 1.30), ("reports", "Instructor", 7.43, 1.16)],
)
def test_staff_have_the_shape_of_the_paper(name, source, mean, sd):
    staff = pl.read_csv(EXAMPLES / name / "staff.csv").filter(pl.col("source").str.starts_with(source))

    assert staff["score"].mean() == pytest.approx(mean, abs=0.05)
    assert staff["score"].std() == pytest.approx(sd, abs=0.05)


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


# -- the notebook -----------------------------------------------------------------------------------------
# It is JSON, and its cells are Python: a kernel, and its dozens of packages, would test nothing more.


def run_cell(source, namespace):
    """Run a cell; its last expression, if it ends in one, is what Jupyter shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), namespace)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)


def test_the_notebook_runs_and_keeps_no_output_that_could_grow_old(monkeypatch, tmp_path, capsys):
    [path] = EXAMPLES.glob("*.ipynb")
    cells = [one for one in json.loads(path.read_text("utf-8"))["cells"] if one["cell_type"] == "code"]
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    namespace = {"__name__": "__main__"}

    shown = [run_cell("".join(cell["source"]), namespace) for cell in cells]

    things = [thing for thing in shown if hasattr(thing, "_repr_html_")]
    assert len(things) >= 4
    assert all("<table" in thing._repr_html_() for thing in things)
    assert "Peerage chose" in capsys.readouterr().out
    (report,) = tmp_path.glob("*/report.html")
    assert report.stat().st_size > 10_000
    assert [cell for cell in cells if cell["outputs"]] == []
