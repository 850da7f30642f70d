"""A fit on a cluster has the bytes of a fit on one machine, whatever the method and the number of workers."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.cluster.classes import bits, small_class

import peerage
from peerage import ClusterError
from peerage.cluster.cluster import open_cluster
from peerage.feedback.partition import partition_graders
from peerage.grading.comparison import compare_methods
from peerage.models import thresholds
from peerage.models.fitting import read_part
from peerage.models.solver.part import answer
from peerage.packing import pack_with
from peerage.reading.reading import Reading

METHODS = [
    ("PL", {}),
    ("PL+G", {}),
    ("PL+G", {"identified": True}),
    ("PL+G", {"margin": True}),
    ("BT", {}),
    ("BT+G", {}),
    ("THUR", {}),
    ("THUR+G", {"identified": True}),
    ("MALS", {}),
    ("MALS+G", {}),
    ("NCS", {}),
    ("NCS+G", {}),
    ("SCAVG", {}),
]


@pytest.mark.parametrize(("code", "params"), METHODS)
def test_two_workers_and_one_machine_give_the_same_bytes(code, params, two_workers):
    feedback = small_class(weighted=code.startswith("PL"))

    here = peerage.fit(feedback, code, **params)
    there = peerage.fit(feedback, code, cluster=two_workers, **params)

    assert bits(there) == bits(here)
    assert there.n_iter_ == here.n_iter_
    assert there.grades().equals(here.grades())


@pytest.mark.full
def test_three_workers_give_the_same_bytes():
    feedback = small_class()
    with open_cluster("local:3") as cluster:
        for code, params in (("PL+G", {"identified": True}), ("NCS+G", {})):
            there = peerage.fit(feedback, code, cluster=cluster, **params)
            assert bits(there) == bits(peerage.fit(feedback, code, **params))


def test_modelled_ties_whose_scale_is_borrowed(two_workers):
    feedback, params = small_class(ties=True), {"ties": "model", "identified": True}

    there = peerage.fit(feedback, "PL+G", cluster=two_workers, **params)

    assert bits(there) == bits(peerage.fit(feedback, "PL+G", **params))


def test_several_tasks(two_workers):
    feedback = small_class(tasks=2)

    there = peerage.fit(feedback, "PL+G", cluster=two_workers, identified=True)

    assert bits(there) == bits(peerage.fit(feedback, "PL+G", identified=True))


@pytest.mark.parametrize("weighted", [False, True])
def test_equal_lists_count_once_there_as_here(two_workers, monkeypatch, weighted):
    monkeypatch.setattr(thresholds, "MERGED_LISTS", 1)
    rng = np.random.default_rng(3)
    pairs = [rng.choice(12, 2, replace=False) for _ in range(900)]
    rows = [
        (f"g{k % 60:02}", f"l{k:03}", f"i{item}", rank + 1)
        for k, pair in enumerate(pairs)
        for rank, item in enumerate(pair)
    ]
    grader, name, item, rank = zip(*rows, strict=True)
    more = {"weight": [1 + (k // 2 % 7) / 7 for k in range(len(rows))]} if weighted else {}
    feedback = peerage.Feedback.from_columns(grader, item, list=name, rank=rank, **more)

    there = peerage.fit(feedback, "BT", cluster=two_workers)

    assert bits(there) == bits(peerage.fit(feedback, "BT"))


def test_a_factorised_hessian_is_a_sum_of_parts_too(two_workers):
    rng = np.random.default_rng(5)
    orders = [(f"g{k:03}", [f"i{item:02}" for item in rng.choice(30, 5, replace=False)]) for k in range(120)]
    feedback = peerage.Feedback.from_orders(orders)
    for code, params in (("PL", {}), ("PL+G", {}), ("PL+G", {"identified": True})):
        there = peerage.fit(feedback, code, cluster=two_workers, **params)
        assert bits(there) == bits(peerage.fit(feedback, code, **params))


def test_the_method_that_suits_is_chosen_there_as_here(two_workers):
    rng = np.random.default_rng(6)
    orders = [(f"g{k:03}", [f"i{item:02}" for item in rng.choice(60, 5, replace=False)]) for k in range(120)]
    feedback = peerage.Feedback.from_orders(orders)

    there = peerage.fit(feedback, cluster=two_workers)

    assert repr(there) == repr(peerage.fit(feedback))
    assert bits(there) == bits(peerage.fit(feedback))


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


def test_a_packed_folder_is_read_by_the_workers(two_workers, tmp_path):
    peerage.write(small_class(tasks=2, weighted=True), tmp_path / "reviews.csv")
    cut = partial(partition_graders, small=50)
    packed = pack_with(tmp_path / "reviews.csv", tmp_path / "packed", Reading(), cut=cut)
    feedback = peerage.read(tmp_path / "reviews.csv")

    there = peerage.fit(tmp_path / "packed", "PL+G", cluster=two_workers, identified=True)

    assert len(packed.parts) == 8
    assert bits(there) == bits(peerage.fit(feedback, "PL+G", identified=True))
    assert there.grades().equals(peerage.fit(feedback, "PL+G", identified=True).grades())


def test_a_packed_folder_that_workers_do_not_see_is_an_error(two_workers, tmp_path):
    with pytest.raises(ClusterError, match="does not see the packed folder"):
        read_part(str(tmp_path / "nowhere"), 0, "")
    with pytest.raises(ClusterError, match="does not see the packed folder"):
        two_workers.parts(read_part, [(str(tmp_path / "nowhere"), 0, "")], 1).sum(answer)


# -- other work -----------------------------------------------------------------------------------------


def test_a_bootstrap_there_is_the_bootstrap_here(two_workers, monkeypatch):
    monkeypatch.setattr(
        thresholds, "ONE_PART", 100_000
    )  # as in the processes of the cluster, which make no parts
    fitted = peerage.fit(small_class(), "BT+G", identified=True)

    there = peerage.posterior(fitted, source="bootstrap", draws=6, cluster=two_workers)
    here = peerage.posterior(fitted, source="bootstrap", draws=6, jobs=1)

    assert there.draws.tobytes() == here.draws.tobytes()
    assert there.reliability_draws.tobytes() == here.reliability_draws.tobytes()


def test_a_class_is_graded_alike_there_and_here(two_workers):
    feedback = small_class(ties=True)

    there = peerage.grade(feedback, method="pl+g", cluster=two_workers)

    assert there.items.equals(peerage.grade(feedback, method="pl+g").items)


def test_methods_are_compared_there_as_here(two_workers, monkeypatch):
    monkeypatch.undo()
    feedback = small_class()

    there = peerage.grade(feedback, method="pl+g", compare="bt,thur,mal+k", cluster=two_workers).comparison
    here = peerage.grade(feedback, method="pl+g", compare="bt,thur,mal+k").comparison

    assert there.codes == here.codes
    assert {"BT", "THUR", "MALBC"} <= set(there.codes)
    assert there.ranks.equals(here.ranks)
    assert there.summary.equals(here.summary)
    assert there.sentence == here.sentence


def test_a_method_that_refuses_does_so_there_as_here(two_workers, monkeypatch):
    monkeypatch.undo()
    rows = small_class().to_frame().drop("score")
    feedback = peerage.Feedback.from_columns(**rows.to_dict())

    there = peerage.grade(feedback, method="pl+g", compare="ncs", cluster=two_workers).comparison

    assert "NCS could not be held beside it" in there.sentence
    assert there.sentence == peerage.grade(feedback, method="pl+g", compare="ncs").comparison.sentence


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
