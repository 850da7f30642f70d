"""The bootstrap over graders: what would the estimate be, had other such graders come?

Graders are drawn with all their lists, so that whatever makes the lists of one grader alike is respected. A
resample knows nothing of how reliable a grader of the original class is, so reliabilities are drawn from
their posterior in the original lists, given the scores of the resample.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peerage._processes import QuietPool
from peerage.errors import ConvergenceWarning, MethodError, PeerageError
from peerage.models.base import clone
from peerage.uncertainty.mallows_gibbs import lists_by_grader, redraw_reliabilities
from peerage.uncertainty.posterior import COVERS, Posterior, from_log
from peerage.uncertainty.precision import log_tangent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.base import Estimator

    Floats = NDArray[np.float64]
    Progress = Callable[[str], None]

DRAWS = 200
WORTHWHILE = 8.0  # seconds of work from which starting other processes pays
NOT_WIDENED = "Errors of disputed items are not widened: resamples of graders differ about these anyway."
SETTLE = 5  # slice steps from the estimate to a draw of a Mallows reliability


class _Resample(NamedTuple):
    """One resample's scores and reliabilities; None where it could not be fitted."""

    scores: Floats | None
    reliabilities: Floats | None
    converged: bool


def bootstrap(
    estimator: Estimator,
    *,
    draws: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    cluster: Any = None,
    on_step: Progress | None = None,
) -> Posterior:
    """Refit the method to resamples of the graders; the result does not depend on where that is done."""
    n_draws = draws or DRAWS
    if n_draws < 2:
        msg = f"a bootstrap needs at least 2 resamples, not {n_draws}"
        raise MethodError(msg)
    streams = np.random.SeedSequence(seed).spawn(n_draws)
    if cluster is None:
        refits = _refit_here(estimator, streams, _count_jobs(estimator, n_draws, jobs))
    else:
        refits = _refit_on_cluster(estimator, streams, cluster)
    resamples = []
    for resample in refits:
        resamples.append(resample)
        if on_step is not None:
            on_step(f"resample {len(resamples)} of {n_draws}")
    return _posterior(estimator, resamples)


def _posterior(estimator: Estimator, resamples: list[_Resample]) -> Posterior:
    scores = np.array([resample.scores for resample in resamples if resample.scores is not None])
    if len(scores) < 2:
        failures = len(resamples) - len(scores)
        msg = f"{failures} of {len(resamples)} resamples could not be fitted: too few graders"
        raise MethodError(msg)
    eta = [resample.reliabilities for resample in resamples if resample.reliabilities is not None]
    return Posterior(
        estimator=estimator,
        source="bootstrap",
        note=f"Bootstrap: the method refitted to {len(scores)} resamples of the graders."
        f" {NOT_WIDENED} {COVERS}",
        location=estimator.scores_,
        score_se=scores.std(axis=0, ddof=1),
        draws=scores,
        reliability_draws=np.array(eta) if eta else None,
        diagnostics={
            "resamples": len(resamples),
            "failures": len(resamples) - len(scores),
            "not_converged": sum(not resample.converged for resample in resamples),
        },
    )


# -- one resample -----------------------------------------------------------------------------------------


class _Resampler:
    """The class to resample, and what every resample needs of it."""

    def __init__(self, estimator: Estimator) -> None:
        self.estimator, self.feedback = estimator, estimator.feedback_
        self.graders = np.unique(self.feedback.list_graders)
        self.mode = estimator.mode() if estimator.reliability and estimator.is_smooth else None
        self.mallows = estimator.reliability and estimator.sampler == "rankings"
        self.prepared = lists_by_grader(self.feedback) if self.mallows else ()

    def refit(self, stream: np.random.SeedSequence) -> _Resample:
        """Resample, refit, and draw reliabilities to go with the scores."""
        rng = np.random.default_rng(stream)
        resample = self.feedback.resample(rng.choice(self.graders, len(self.graders)))
        model = clone(self.estimator)
        model.warm_start = self.estimator.scores_
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # counted instead
                model.fit(resample)
        except PeerageError:
            return _Resample(None, None, False)
        return _Resample(model.scores_, self._reliabilities(model.scores_, rng), model.converged_)

    def _reliabilities(self, scores: Floats, rng: np.random.Generator) -> Floats | None:
        if self.mallows:
            eta = self.estimator.reliabilities_.copy()
            for _ in range(SETTLE):
                redraw_reliabilities(rng, self.estimator, self.prepared, scores, eta)
            return eta
        if self.mode is None:
            return None
        power = self.mode.power
        start = self.estimator.reliabilities_ ** (1 / power)  # not where the last resample left off
        self.mode.move(scores, start)
        free = log_tangent(self.mode)
        noise = free.project(rng.standard_normal(len(self.mode.scales)))
        eta = from_log(self.mode.log_reliabilities + noise)
        return np.asarray(eta / free.constraint.means(eta))


# -- many, in one process or several --------------------------------------------------------------------


_worker: list[_Resampler] = []  # of a process of the pool
_remote: dict[str, Any] = {}  # of a process of a cluster
_one_at_a_time = Lock()  # a class is resampled by one thread of a process


def _start(estimator: Estimator) -> None:
    _worker[:] = [_Resampler(estimator)]


def _work(stream: np.random.SeedSequence) -> _Resample:
    return _worker[0].refit(stream)


def _count_jobs(estimator: Estimator, draws: int, jobs: int | None) -> int:
    if jobs is not None:
        if jobs < 1:
            msg = f"jobs must be at least 1, not {jobs}"
            raise MethodError(msg)
        return jobs
    worthwhile = estimator.elapsed_ * draws > WORTHWHILE
    return (os.cpu_count() or 1) if worthwhile and _harmless_main() else 1


def _harmless_main() -> bool:
    """Whether new processes will not run somebody's script once more: a notebook, or our own command."""
    script = getattr(sys.modules["__main__"], "__file__", None)
    if script is None:
        return True
    main = Path(script).resolve()
    package = Path(__file__).resolve().parents[1]  # where we are, not any folder of that name
    schemes = {sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")}
    commands = {(Path(sysconfig.get_path("scripts", scheme)) / "peerage").resolve() for scheme in schemes}
    return main.parent == package or main in commands


def _refit_here(estimator: Estimator, streams: list[Any], jobs: int) -> Iterator[_Resample]:
    done = 0
    if jobs > 1:
        try:
            for resample in _refit_in_processes(estimator, streams, jobs):
                done += 1
                yield resample
        except BrokenProcessPool:  # e.g. a script without a main guard cannot start processes; carry on here
            pass
    if done < len(streams):
        worker = _Resampler(estimator)
        yield from map(worker.refit, streams[done:])


def _refit_on_cluster(estimator: Estimator, streams: list[Any], cluster: Any) -> Iterator[_Resample]:
    from peerage.cluster.cluster import open_cluster

    class_id = os.urandom(8).hex()
    with open_cluster(cluster) as workers:
        yield from workers.map(_refit_remotely, streams, class_id, estimator)


def _refit_remotely(stream: np.random.SeedSequence, class_id: str, estimator: Estimator) -> _Resample:
    """One resample in a process of a cluster, which keeps what it needs of the class for the next ones."""
    if _remote.get("class") != class_id:
        _remote.update({"class": class_id, "worker": _Resampler(estimator)})
    worker: _Resampler = _remote["worker"]
    with _one_at_a_time:
        return worker.refit(stream)


def _refit_in_processes(estimator: Estimator, streams: list[Any], jobs: int) -> Iterator[_Resample]:
    with QuietPool(jobs, _start, (estimator,)) as pool:
        yield from pool.in_order(_work, streams, max(1, min(8, len(streams) // (4 * jobs))))
