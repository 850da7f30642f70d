"""A fit on a cluster has the bytes of a fit on one machine, whatever the method and the number of workers."""

from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cluster.classes import bits, small_class
from tests.models.model_cases import orders_alone, some_class
from typer.testing import CliRunner

import peerage
from peerage import ClusterError
from peerage.cli import app
from peerage.feedback.partition import partition_graders
from peerage.grading.comparison import compare_methods
from peerage.models import thresholds
from peerage.models.fitting import read_part
from peerage.models.solver.part import answer
from peerage.packing import pack_with
from peerage.reading.reading import Reading

METHODS = [
    ("PL", {}, {"weighted": True}),
    ("PL+G", {}, {"weighted": True}),
    ("PL+G", {"identified": True}, {"weighted": True}),
    ("PL+G", {"identified": True}, {"tasks": 2}),
    ("PL+G", {"ties": "model", "identified": True}, {"ties": True}),  # its scale is borrowed
    ("PL+G", {"margin": True}, {"weighted": True}),
    ("BT", {}, {}),
    ("BT+G", {}, {}),
    ("THUR+G", {"identified": True}, {}),
    ("MALS+G", {}, {}),
    ("NCS", {}, {}),
    ("NCS+G", {}, {}),
    ("SCAVG", {}, {}),
]


@pytest.mark.parametrize(("code", "params", "shape"), METHODS)
def test_two_workers_and_one_machine_give_the_same_bytes(code, params, shape, two_workers):
    feedback = small_class(**shape)

    here = peerage.fit(feedback, code, **params)
    there = peerage.fit(feedback, code, cluster=two_workers, **params)

    assert bits(there) == bits(here)
    assert there.n_iter_ == here.n_iter_
    assert there.grades().equals(here.grades())


def test_a_factorised_hessian_is_a_sum_of_parts_too_and_the_method_chosen_is_the_same(two_workers):
    feedback = orders_alone(some_class(items=30, graders=120, length=5, ties=False))
    for code, params in (("PL", {}), ("PL+G", {}), ("PL+G", {"identified": True}), (None, {})):
        there, here = (peerage.fit(feedback, code, cluster=where, **params) for where in (two_workers, None))
        assert repr(there) == repr(here)
        assert bits(there) == bits(here)


@pytest.mark.parametrize("weighted", [False, True])
def test_equal_lists_count_once_there_as_here(two_workers, monkeypatch, weighted):
    monkeypatch.setattr(thresholds, "MERGED_LISTS", 1)
    rng = np.random.default_rng(3)
    pairs = [rng.choice(12, 2, replace=False).tolist() for _ in range(900)]
    weights = [1 + k % 7 / 7 for k in range(900)] if weighted else None
    feedback = peerage.Feedback.from_lists(pairs, graders=[k % 60 for k in range(900)], weights=weights)

    there = peerage.fit(feedback, "BT", cluster=two_workers)

    assert bits(there) == bits(peerage.fit(feedback, "BT"))


def test_one_part_is_fitted_here(two_workers, monkeypatch):
    monkeypatch.undo()
    feedback = small_class()
    rounds = two_workers.client.traffic.rounds

    there = peerage.fit(feedback, "MAL+G", cluster=two_workers)

    assert bits(there) == bits(peerage.fit(feedback, "MAL+G"))
    assert two_workers.client.traffic.rounds == rounds


def test_sums_are_made_on_the_workers(two_workers):
    two_workers.client.traffic.up = two_workers.client.traffic.up_unsummed = 0

    peerage.fit(small_class(), "PL", cluster=two_workers)

    traffic = two_workers.client.traffic
    assert traffic.up_unsummed > 3.9 * traffic.up > 0  # all but what belongs to single parts


def test_a_packed_folder_of_integer_labels_is_read_by_the_workers(two_workers, tmp_path):
    numbered = [pl.col(name).str.extract(r"(\d+)").cast(int).cast(str) for name in ("grader", "item")]
    table = small_class(tasks=2, weighted=True).to_frame().with_columns(numbered)
    table.sample(fraction=1.0, shuffle=True, seed=1).write_csv(tmp_path / "reviews.csv")
    cut = partial(partition_graders, small=50)
    packed = pack_with(tmp_path / "reviews.csv", tmp_path / "packed", Reading(), cut=cut)
    here = peerage.fit(peerage.read(table), "PL+G", identified=True)

    there = peerage.fit(tmp_path / "packed", "PL+G", cluster=two_workers, identified=True)

    assert len(packed.parts) == 8
    assert here.feedback_.item_labels.to_list()[:160] == [str(number) for number in range(160)]
    assert bits(there) == bits(here)
    assert there.grades().equals(here.grades())


def test_a_packed_folder_that_workers_do_not_see_is_an_error(two_workers, tmp_path):
    with pytest.raises(ClusterError, match="does not see the packed folder"):
        read_part(str(tmp_path / "nowhere"), 0, "")
    with pytest.raises(ClusterError, match="does not see the packed folder"):
        two_workers.parts(read_part, [(str(tmp_path / "nowhere"), 0, "")], 1).sum(answer)


# -- other work -----------------------------------------------------------------------------------------


def test_a_bootstrap_there_is_the_bootstrap_here(two_workers, monkeypatch):
    monkeypatch.undo()  # processes of the cluster make no parts
    fitted = peerage.fit(small_class(), "BT+G", identified=True)

    there = peerage.posterior(fitted, source="bootstrap", draws=6, cluster=two_workers)
    here = peerage.posterior(fitted, source="bootstrap", draws=6, jobs=1)

    assert there.draws.tobytes() == here.draws.tobytes()
    assert there.reliability_draws.tobytes() == here.reliability_draws.tobytes()


def test_a_class_is_graded_alike_there_and_here(two_workers):
    feedback = small_class(ties=True)

    there = peerage.grade(feedback, method="pl+g", cluster=two_workers)

    assert there.items.equals(peerage.grade(feedback, method="pl+g").items)


def test_methods_are_compared_and_refuse_there_as_here(two_workers, monkeypatch):
    monkeypatch.undo()
    feedback = peerage.Feedback.from_columns(**small_class().to_frame().drop("score").to_dict())

    there, here = (
        peerage.grade(feedback, method="pl+g", compare="bt,thur,mal+k,ncs", cluster=where).comparison
        for where in (two_workers, None)
    )

    assert there.codes == here.codes
    assert {"BT", "THUR", "MALBC"} <= set(there.codes)
    assert there.ranks.equals(here.ranks)
    assert there.summary.equals(here.summary)
    assert there.sentence == here.sentence
    assert "NCS could not be held beside it" in there.sentence


def test_what_is_not_worth_sending_is_compared_here(monkeypatch):
    """Simple averages, and any method for a class that is too large to send: no cluster is asked."""
    feedback = small_class()
    fitted = peerage.fit(feedback, "PL")
    order = np.arange(feedback.n_items)

    def compared(*others):
        return compare_methods(fitted, "PL", order, others, lambda step: None, "nowhere").codes

    assert compared("SCAVG", "MALBC") == ("PL", "SCAVG", "MALBC")
    with pytest.raises(peerage.MethodError, match="nowhere"):
        compared("BT")
    monkeypatch.setattr("peerage.grading.comparison.MOST_SENT", 10)
    assert compared("BT") == ("PL", "BT")


POSTERS = str(Path(__file__).parents[2] / "examples" / "posters" / "feedback.csv")


@pytest.mark.parametrize(
    "command",
    [
        ["plan", "--students", "12", "--per-student", "3", "--json"],
        ["compare", POSTERS, "--methods", "bt", "--json"],
    ],
    ids=["plan", "compare"],
)
def test_a_command_says_the_same_on_a_cluster(command, two_workers, tmp_path, monkeypatch):
    monkeypatch.undo()  # parts as they are usually cut
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    address = two_workers.client.client.scheduler.address
    there = CliRunner().invoke(app, [*command, "--cluster", address])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "here"))
    here = CliRunner().invoke(app, command)

    assert there.exit_code == 0, there.output
    assert there.stdout == here.stdout
