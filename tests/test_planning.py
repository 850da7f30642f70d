"""The planner: more reviews help, the same question is asked once, nonsense is refused."""

import json

import numpy as np
import polars as pl
import pytest
from tests.cli.commands import run

from peerage import DataError, plan, planning
from peerage.planning import FALLING, Setting, simulate_workload, smooth


@pytest.fixture(autouse=True, scope="module")
def shared_cache(tmp_path_factory):
    """What one test has asked, another is told at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_more_reviews_mean_smaller_errors():
    table = plan(40, 4, repeats=4).table

    few, many = table.row(0, named=True), table.row(-1, named=True)

    for figure in FALLING:
        assert many[figure] < few[figure]
        assert (np.diff(table[figure].to_numpy()) <= 1e-12).all()


def test_better_graders_mean_smaller_errors_and_lazy_ones_larger():
    typical = plan(40, 4, repeats=4).expected["tau_error"]  # as above

    assert plan(40, 4, repeats=4, reliability=4.0).expected["tau_error"] < typical
    assert plan(40, 4, repeats=4, lazy=0.4).expected["tau_error"] > typical


def test_staff_differ_from_peers_however_many_reviews():
    table = plan(30, 20, repeats=3, reliability=4.0).table

    assert table["staff_tau_error"].min() > table["tau_error"].min() + 5


def test_groups_review_the_same_items_more_often():
    table = plan(40, 2, items=10, repeats=1).table

    assert table["reviews_per_item"].to_list() == [4.0 * k for k in table["reviews_per_student"]]


@pytest.mark.usefixtures("own_cache")
def test_the_second_answer_comes_from_the_cache_unless_it_is_spoiled(monkeypatch):
    first = plan(20, 3, repeats=1).table
    with monkeypatch.context() as patch:
        patch.setattr(planning, "simulate_workload", pytest.fail)
        assert plan(20, 3, repeats=1).table.equals(first)

    for path in planning.cache_folder().iterdir():
        path.write_text("{")

    assert plan(20, 3, repeats=1).table.equals(first)


def test_a_cache_that_cannot_be_written_is_no_trouble(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    assert len(plan(20, 3, repeats=1).table) > 0


def test_scores_can_be_planned_for():
    assert simulate_workload(Setting(20, 20, 3, 1.0, 0.0, "scores", 4, 1, 0))["tau_error"] > 0


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"students": 1}, "students"),
        ({"students": 20, "per_student": 1}, "per_student"),
        ({"students": 20, "per_student": 20}, "per_student"),
        ({"students": 20, "items": 21}, "items"),
        ({"students": 20, "reliability": 0.0}, "reliability"),
        ({"students": 20, "lazy": 1.0}, "lazy"),
        ({"students": 20, "bands": 1}, "bands"),
        ({"students": 20, "feedback": "marks"}, "feedback"),
        ({"students": 20, "seed": -1}, "seed"),
    ],
)
def test_nonsense_is_refused_by_name(arguments, word):
    with pytest.raises(DataError, match=word):
        plan(**arguments)


def test_the_command_prints_a_table_json_and_a_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(planning, "MIN_REPEATS", 1)
    monkeypatch.setattr(planning, "MAX_REPEATS", 1)
    asked = ("plan", "--students", 20, "--per-student", 3)

    shown = run(*asked, "--lazy", 0.1, "--plot", tmp_path / "p.png")
    machine = run(*asked, "--json")

    assert shown.exit_code == 0
    assert "> 3" in shown.output
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    assert [row["reviews_per_student"] for row in json.loads(machine.output)] == [2, 3, 4, 5, 6, 8]
    assert planning.workloads(7, 29) == [2, 3, 4, 5, 6, 7, 8, 10, 12]  # the one that was asked for is there
    assert planning.workloads(3, 5) == [2, 3, 4, 5]


def test_figures_that_contradict_each_other_share_their_mean():
    columns = {name: [30.0, 20.0, 24.0, 10.0] for name in FALLING}

    table = smooth(pl.DataFrame({"reviews_per_student": [2, 3, 4, 5], **columns}))

    assert table["tau_error"].to_list() == [30.0, 22.0, 22.0, 10.0]
    assert table["reviews_per_student"].to_list() == [2, 3, 4, 5]
