"""Clusters that cannot do the work, or are gone: one clear error each, in time."""

import signal
import threading

import pytest
from tests.cluster.classes import bits, small_class
from tests.cluster.processes import BOUND, Processes

import peerage
from peerage.cluster import client, worker_parts
from peerage.cluster.cluster import check_memory, differences, fingerprint, open_cluster
from peerage.errors import ClusterError

OTHER_VERSION = "import peerage._version as v; v.__version__ = '0.0.0'; "


@pytest.fixture
def processes(tmp_path):
    made = Processes(tmp_path)
    yield made
    made.end()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(client, "PATIENCE", 10.0)


def kill_at(monkeypatch, process, step: int) -> None:
    """Kill a process when this step of a fit is under way."""
    asked, count = worker_parts.WorkerParts.sum, [0]

    def counting(self, *arguments, **more):
        count[0] += 1
        if count[0] == step:
            process.send_signal(signal.SIGKILL)
        return asked(self, *arguments, **more)

    monkeypatch.setattr(worker_parts.WorkerParts, "sum", counting)


@pytest.mark.full
@pytest.mark.usefixtures("impatient")
def test_a_fit_without_workers_ends_with_an_error_and_goes_on_with_new_ones(processes, monkeypatch, tmp_path):
    feedback, file = small_class(), tmp_path / "fit.npz"
    worker = processes.worker()
    with processes.client(1) as client:
        with monkeypatch.context() as patch:
            kill_at(patch, worker, 15)
            with pytest.raises(ClusterError, match="no worker of the cluster is left"):
                peerage.fit(feedback, "PL+G", cluster=client, checkpoint=file)

        processes.worker()
        client.wait_for_workers(1, timeout=BOUND)
        again = peerage.fit(feedback, "PL+G", cluster=client, checkpoint=file)

    assert bits(again) == bits(peerage.fit(feedback, "PL+G"))


@pytest.mark.full
@pytest.mark.usefixtures("impatient")
def test_a_lost_scheduler_is_an_error_in_time_and_the_fit_goes_on_elsewhere(
    processes, monkeypatch, tmp_path, two_workers
):
    feedback, file = small_class(), tmp_path / "fit.npz"
    processes.worker()
    client = processes.client(1)
    with monkeypatch.context() as patch:
        kill_at(patch, processes.scheduler, 15)
        with pytest.raises(ClusterError, match=r"scheduler of the cluster is gone|connection to the cluster"):
            peerage.fit(feedback, "PL+G", cluster=client, checkpoint=file)
    threading.Thread(target=client.close, daemon=True).start()  # it would wait for the scheduler

    again = peerage.fit(feedback, "PL+G", cluster=two_workers, checkpoint=file)

    assert bits(again) == bits(peerage.fit(feedback, "PL+G"))


@pytest.mark.full
def test_workers_of_another_version_are_refused(processes):
    processes.worker(OTHER_VERSION)
    with (
        processes.client(1) as client,
        pytest.raises(ClusterError, match=r"has Peerage 0\.0\.0, this process"),
    ):
        peerage.fit(small_class(), "PL", cluster=client)


def test_a_worker_without_peerage_is_named_and_whatever_changes_the_last_bits():
    here, missing = fingerprint(), ModuleNotFoundError("No module named 'peerage'")
    for there, named in [
        (missing, "cannot load Peerage"),
        *((here | {name: "other"}, name) for name in here),
    ]:
        (said,) = differences("tcp://a", there, here)

        assert named in said
        assert "tcp://a" in said


def test_too_little_memory_is_said_before_anything_is_read(two_workers):
    with pytest.raises(ClusterError, match=r"needs about 1024\.0 GiB of memory on the workers"):
        check_memory(two_workers.client, 2**40)
    check_memory(two_workers.client, 1)


def test_no_scheduler_at_the_address_is_an_error(monkeypatch):
    from peerage.cluster import cluster

    monkeypatch.setattr(cluster, "CONNECT", 1)

    with (
        pytest.raises(ClusterError, match="no answer from a Dask scheduler"),
        open_cluster("tcp://127.0.0.1:9"),
    ):
        pass
