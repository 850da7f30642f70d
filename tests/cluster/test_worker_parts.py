"""Parts on workers: read once, let go when they have been made into others, and made again if needed."""

import socket
from pathlib import Path

import distributed
import numpy as np
import pytest
from tests.cluster.classes import bits, small_class

import peerage
from peerage._parts import PartialSum, add, halves
from peerage.cluster import client
from peerage.cluster.client import is_reachable
from peerage.cluster.cluster import open_cluster
from peerage.cluster.worker_parts import WorkerParts

N_PARTS = 4


def read_noted(number, notes):
    """A part that leaves a line whenever it is read."""
    with Path(notes).open("a") as file:
        file.write(f"{number}\n")
    return np.array([float(number)])


def tenfold(part):
    return 10.0 * part


def tell(part):
    return PartialSum((part.copy(),))


def noted_parts(cluster, notes):
    return cluster.parts(read_noted, [(number, str(notes)) for number in range(N_PARTS)], needed=0)


def test_what_is_made_of_parts_is_where_they_are_and_does_not_read_them_again(two_workers, tmp_path):
    parts: WorkerParts = noted_parts(two_workers, tmp_path / "notes")
    assert parts.sum(tell).sums[0].tolist() == [6.0]
    homes = list(parts.homes)

    made = parts.map(tenfold)

    assert made.sum(tell).sums[0].tolist() == [60.0]
    assert made.homes == homes
    assert len(set(homes)) == 2
    assert sorted((tmp_path / "notes").read_text().split()) == ["0", "1", "2", "3"]


def tell_itself(part):
    return PartialSum((part,))


def test_what_a_part_keeps_is_not_added_to(two_workers, tmp_path):
    parts = noted_parts(two_workers, tmp_path / "notes")

    assert [parts.sum(tell_itself).sums[0].tolist() for _ in range(2)] == [[6.0], [6.0]]


def test_parts_that_were_let_go_are_read_again_when_asked(two_workers, tmp_path):
    parts = noted_parts(two_workers, tmp_path / "notes")
    made = parts.map(tenfold)
    made.sum(tell)
    assert parts.futures == [None] * N_PARTS  # nothing keeps them on their workers

    assert parts.sum(tell).sums[0].tolist() == [6.0]
    assert made.sum(tell).sums[0].tolist() == [60.0]
    assert len((tmp_path / "notes").read_text().split()) == 2 * N_PARTS


def given(part):
    return part


def in_halves(numbers, node):
    """The sum that the tree makes, by one process."""
    if node[1] - node[0] == 1:
        return PartialSum((numbers[node[0]],))
    left, right = (in_halves(numbers, half) for half in halves(node))
    return add(left, right)


@pytest.mark.full
def test_three_workers_add_up_what_neighbours_have():
    """Sixteen parts in three places: two sums come back, each of parts in two places."""
    numbers = np.random.default_rng(0).normal(size=(16, 1000))
    with open_cluster("local:3") as cluster:
        parts: WorkerParts = cluster.parts(given, [(one,) for one in numbers], needed=0)
        told = parts.sum(tell)
        sent, unsummed = cluster.client.traffic.up, cluster.client.traffic.up_unsummed
        there = peerage.fit(small_class(), "PL+G", cluster=cluster, identified=True)

    assert told.sums[0].tobytes() == in_halves(numbers, (0, 16)).sums[0].tobytes()
    assert sorted(parts.homes.count(home) for home in set(parts.homes)) == [4, 6, 6]
    assert sent == 2 * numbers[0].nbytes
    assert unsummed == numbers.nbytes
    assert bits(there) == bits(peerage.fit(small_class(), "PL+G", identified=True))


def test_threads_of_a_worker_share_its_parts_and_send_one_answer():
    numbers = np.random.default_rng(0).normal(size=(11, 1000))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=3, processes=False, dashboard_address=None
        ) as threads,
        distributed.Client(threads) as client,
        open_cluster(client) as cluster,
    ):
        parts: WorkerParts = cluster.parts(given, [(one,) for one in numbers], needed=0)
        told = parts.sum(tell)
        traffic = cluster.client.traffic

    assert told.sums[0].tobytes() == in_halves(numbers, (0, 11)).sums[0].tobytes()
    assert len(parts.branches) == 8  # enough for six threads
    assert traffic.up == 2 * numbers[0].nbytes


@pytest.mark.parametrize("reachable", [True, False])
def test_answers_come_directly_or_by_the_scheduler(two_workers, monkeypatch, reachable):
    tried = []
    monkeypatch.setattr(client, "is_reachable", lambda address: tried.append(address) or reachable)
    monkeypatch.setattr(two_workers.client, "_tried", set())
    monkeypatch.setattr(two_workers.client, "_direct", True)
    feedback = small_class()

    there = peerage.fit(feedback, "PL", cluster=two_workers)

    assert two_workers.client._is_direct() == reachable
    assert len(tried) == (2 if reachable else 1)  # each may take a second
    assert bits(there) == bits(peerage.fit(feedback, "PL"))


@pytest.mark.parametrize(
    ("family", "host", "written"),
    [(socket.AF_INET, "127.0.0.1", "127.0.0.1"), (socket.AF_INET6, "::1", "[::1]")],
)
def test_a_worker_is_reachable_while_it_listens(family, host, written):
    try:
        server = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip("this machine has no such network")
    address = f"tcp://{written}:{server.getsockname()[1]}"

    assert is_reachable(address)
    assert is_reachable(address.replace("tcp", "tls"))
    server.close()
    assert not is_reachable(address)


@pytest.mark.parametrize("address", ["inproc://10.0.0.1/4711/1", "ucx://10.0.0.1:1", ""])
def test_other_ways_are_left_to_dask(address):
    assert not is_reachable(address)
