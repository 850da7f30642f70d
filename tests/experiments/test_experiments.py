"""Every experiment end to end in small, and what makes its table trustworthy."""

import json

import numpy as np
import polars as pl
import pytest
from experiments.__main__ import app
from experiments.paper.accuracy import TA_TA, TA_TRUTH
from experiments.paper.data import parse
from experiments.paper.runner import EXPERIMENTS, generator, run
from typer.testing import CliRunner

from peerage import DataError, MethodError, fit, read
from peerage.metrics.accuracy import tau_error

FEW = ("MAL+G", "BT", "PL+G", "SCAVG", "default")


def test_the_command_runs_all_in_small_and_gives_tables_and_figures(tmp_path):
    sets, options = {"posters", "reports"}, ["--small", "--repeats", "2", "--methods", ",".join(FEW)]

    result = CliRunner().invoke(app, ["all", *options, "--data", " ".join(sets), "--out", str(tmp_path)])

    assert result.exit_code == 0, result.output
    assert "PL+G" in result.output
    for name, asked in EXPERIMENTS.items():
        frame = pl.read_csv(tmp_path / f"{name}.csv")
        methods = set(asked.suitable(FEW)) if asked.methods else {TA_TRUTH, TA_TA}
        assert set(frame["method"]) == methods, name
        assert (set(frame["data"]), set(frame["replicate"])) == (sets, {0, 1}), name
        assert frame.select(asked.metrics).null_count().sum_horizontal().item() == 0, name
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name


def test_the_table_does_not_depend_on_the_number_of_processes(tmp_path):
    asked = {"methods": ["PL+G"], "repeats": 2, "data": ["reports", "new-posters"]}

    one, two = (run("lazy", **asked, out=tmp_path / str(jobs), jobs=jobs) for jobs in (1, 2))

    assert one.path.read_bytes() == two.path.read_bytes()


def test_a_run_in_pieces_gives_the_table_of_one_run(tmp_path):
    run("accuracy", methods=["BT"], repeats=1, data=["reports"], out=tmp_path / "pieces")
    pieces = run("accuracy", methods=["MALBC", "BT"], repeats=3, data=["reports"], out=tmp_path / "pieces")
    whole = run("accuracy", methods=["BT", "MALBC"], repeats=3, data=["reports"], out=tmp_path / "whole")

    assert pieces.path.read_bytes() == whole.path.read_bytes()


def test_nothing_is_computed_twice_and_another_seed_is_not_mixed_in(tmp_path):
    asked, steps = {"methods": ["BT"], "repeats": 2, "data": ["reports"], "out": tmp_path}, []
    first = run("accuracy", **asked)

    second = run("accuracy", **asked, on_progress=lambda *x: steps.append(x))

    assert steps == [(0, 0)]
    assert second.cpu_seconds == pytest.approx(first.cpu_seconds, abs=0.1)
    with pytest.raises(DataError, match="seed 0, not 1"):
        run("accuracy", **asked, seed=1)
    fresh = run("accuracy", **asked, seed=1, fresh=True)
    assert json.loads((tmp_path / "accuracy.json").read_text())["seed"] == 1
    assert len(fresh.frame) == 2


def test_an_interrupted_run_keeps_what_it_has(tmp_path):
    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run("accuracy", methods=["BT"], repeats=5, data=["reports"], out=tmp_path, on_progress=stop)

    assert pl.read_csv(tmp_path / "accuracy.csv")["replicate"].to_list() == [0, 1]


def test_replicate_0_of_a_fixed_class_is_the_class_itself(tmp_path):
    outcome = run("accuracy", methods=["BT"], repeats=2, data=["posters"], out=tmp_path)
    feedback = read("examples/posters/feedback.csv")
    truth = parse("posters").load(np.random.default_rng(0)).truth

    asis, drawn = outcome.frame["tau_error"].to_list()
    assert asis == pytest.approx(tau_error(truth, fit(feedback, "bt").scores_), abs=1e-5)
    assert drawn != asis


def test_random_numbers_depend_on_what_is_computed_alone():
    asked = ("lazy", "reports", 3, 0)
    others = [("scale", "reports", 3, 0), ("lazy", "posters", 3, 0), ("lazy", "reports", 4, 0)]
    others.append(("lazy", "reports", 3, 1))

    assert generator(*asked).random() == generator(*asked).random()
    assert len({generator(*what).random() for what in (asked, *others)}) == 5


def test_a_folder_of_ones_own_can_be_used_and_without_staff_is_left_out_aloud(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "feedback.csv").write_text("grader,item,rank\na,x,1\na,y,2\nb,y,1\nb,z,2\n")
    (folder / "truth.csv").write_text("item,score\nx,3\ny,2\nz,1\n")
    own, asked = str(folder), {"methods": ["BT"], "repeats": 1, "out": tmp_path / "out"}

    alone = run("accuracy", data=[own], **asked)
    with pytest.raises(DataError, match="no grades by assistants"):
        run("ta-agreement", data=[own], **asked)
    mixed = run("ta-agreement", data=["reports", own], **asked)

    assert alone.frame["tau_error"].to_list() == [0.0]
    assert "left out" in mixed.notes[0]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"name": "accurcy"}, DataError, "accurcy.*accuracy"),
        ({"name": "accuracy", "data": ["nowhere"]}, DataError, "nowhere.*PEERAGE_DATASETS"),
        ({"name": "accuracy", "data": ["posters:graders=many"]}, DataError, "many"),
        ({"name": "accuracy", "data": ["posters:colour=3"]}, DataError, "colour"),
        ({"name": "accuracy", "methods": ["plg"]}, MethodError, "plg"),
    ],
)
def test_wrong_names_are_refused_before_anything_runs(arguments, error, words, tmp_path):
    with pytest.raises(error, match=words):
        run(**arguments, out=tmp_path)
