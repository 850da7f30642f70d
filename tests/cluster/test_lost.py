"""Workers that are killed, and fits that are left: the end is the same, to the last bit."""

import os
import signal
import time

import dask
import psutil
import pytest
from tests.cluster.classes import bits, small_class

import peerage
from peerage.cluster import worker_parts
from peerage.cluster.cluster import open_cluster
from peerage.errors import DataError, MethodError
from peerage.models.checkpoint import FileCheckpoint


@pytest.fixture(scope="module")
def mortals():
    """Two workers of which one will be killed, again and again; a new one comes every time."""
    with open_cluster("local:2") as cluster:
        yield cluster


def born() -> tuple[float, int]:
    """When a worker was, and its number."""
    process = psutil.Process()
    return process.create_time(), process.pid


@pytest.fixture
def killer(mortals, monkeypatch):
    """Kills a worker when a kind of step is under way for the first time; the steps that were hit."""
    wanted, hit = set(), []
    asked = worker_parts.WorkerParts.sum

    def kind_of(work, arguments) -> str:
        return getattr(arguments[0], "report", work.__name__) if arguments else work.__name__

    def killing(self, work, *arguments, **more):
        kind = kind_of(work, arguments)
        results = self.client.results

        def after_asking(futures, by=None):
            if kind in wanted:
                wanted.remove(kind)
                hit.append(kind)
                self.client.client.wait_for_workers(2, timeout=600)
                _born, eldest = min(self.client.client.run(born).values())  # a newborn would stay dead
                os.kill(eldest, signal.SIGKILL)
            return results(futures, by)

        self.client.results = after_asking
        try:
            return asked(self, work, *arguments, **more)
        finally:
            del self.client.results

    monkeypatch.setattr(worker_parts.WorkerParts, "sum", killing)
    return wanted, hit


@pytest.mark.full
@pytest.mark.parametrize(
    ("code", "params", "steps"),
    [
        ("PL+G", {"identified": True}, {"_look", "report_value", "report_product", "report_graders"}),
        ("NCS+G", {}, {"_totals", "report_product"}),
    ],
)
def test_a_worker_killed_in_every_kind_of_step_changes_no_bit(code, params, steps, mortals, killer):
    feedback = small_class()
    wanted, hit = killer
    wanted |= steps

    there = peerage.fit(feedback, code, cluster=mortals, **params)

    assert set(hit) == steps
    assert bits(there) == bits(peerage.fit(feedback, code, **params))


@pytest.mark.full
def test_a_worker_that_takes_long_to_come_back_is_waited_for():
    """Dask itself would give it up for good if it is away, again or still, some seconds after it was lost."""
    hasty = {"distributed.deploy.lost-worker-timeout": "1 ms"}
    with dask.config.set(hasty), open_cluster("local:1") as cluster:
        client = cluster.client.client
        before, deadline = set(client.nthreads()), time.monotonic() + 600
        for pid in client.run(os.getpid).values():
            os.kill(pid, signal.SIGKILL)
        while not set(client.nthreads()) - before and time.monotonic() < deadline:
            time.sleep(0.1)

        assert set(client.nthreads()) - before


# -- checkpoints --------------------------------------------------------------------------------


class LeftError(Exception):
    """The process ends here."""


def leave_after(monkeypatch, steps: int) -> None:
    keep, count = FileCheckpoint.save_state, [0]

    def keep_and_leave(self, phase, state):
        keep(self, phase, state)
        count[0] += 1
        if count[0] == steps:
            raise LeftError

    monkeypatch.setattr(FileCheckpoint, "save_state", keep_and_leave)


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize(("code", "params"), [("PL+G", {}), ("PL+G", {"identified": True}), ("NCS+G", {})])
def test_a_fit_that_was_left_goes_on_to_the_same_bytes(tmp_path, monkeypatch, steps, code, params):
    feedback, file = small_class(), tmp_path / "fit.npz"
    whole = peerage.fit(feedback, code, **params)
    with monkeypatch.context() as patch:
        leave_after(patch, steps)
        with pytest.raises(LeftError):
            peerage.fit(feedback, code, checkpoint=file, **params)

    again = peerage.fit(feedback, code, checkpoint=file, **params)

    assert bits(again) == bits(whole)


def test_a_fit_left_here_goes_on_on_a_cluster(two_workers, tmp_path, monkeypatch):
    feedback, file = small_class(), tmp_path / "fit.npz"
    with monkeypatch.context() as patch:
        leave_after(patch, 3)
        with pytest.raises(LeftError):
            peerage.fit(feedback, "PL+G", checkpoint=file, identified=True)

    again = peerage.fit(feedback, "PL+G", checkpoint=file, cluster=two_workers, identified=True)

    assert bits(again) == bits(peerage.fit(feedback, "PL+G", identified=True))


def test_the_checkpoint_of_a_finished_fit_gives_its_result(tmp_path):
    feedback, file = small_class(), tmp_path / "fit.npz"

    first = peerage.fit(feedback, "PL+G", checkpoint=file)

    assert bits(peerage.fit(feedback, "PL+G", checkpoint=file)) == bits(first)


def test_the_checkpoint_of_another_fit_and_any_other_file_is_refused(tmp_path):
    file = tmp_path / "fit.npz"
    peerage.fit(small_class(), "PL", checkpoint=file)

    for feedback, params in ((small_class(seed=2), {}), (small_class(), {"score_variance": 1.0})):
        with pytest.raises(DataError, match="checkpoint of another fit"):
            peerage.fit(feedback, "PL", checkpoint=file, **params)
    file.write_bytes(b"something else")
    with pytest.raises(DataError, match="no checkpoint that can be read"):
        peerage.fit(small_class(), "PL", checkpoint=file)


# -- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "params", "says"),
    [
        ("MAL", {}, "cannot be shared out exactly"),
        ("COMBINED+G", {}, "cannot be shared out exactly"),
        ("NCS+G", {"variances": "learn"}, "cannot learn its variances in parts"),
    ],
)
def test_what_is_not_exact_in_parts_is_refused_with_advice(code, params, says):
    with pytest.raises(MethodError, match=says):
        peerage.fit(small_class(), code, cluster="local:1", **params)


@pytest.mark.parametrize("wanted", ["local", "local:0", "host:8786", 3])
def test_what_is_no_cluster_is_refused(wanted):
    with pytest.raises(MethodError, match="cluster must be 'local:2'"):
        peerage.fit(small_class(), "PL", cluster=wanted)
