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
from peerage.uncertainty._curvature import log_tangent
from peerage.uncertainty.posterior import COVERS, Posterior, from_log
from peerage.uncertainty.sampler_mallows import draw_given_scores, prepared_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.base import Estimator

    Floats = NDArray[np.float64]
    Progress = Callable[[str], None]

DRAWS = 200
WORTHWHILE = 8.0  # seconds of work from which starting other processes pays
SETTLE = 5  # slice steps from the estimate to a draw of a Mallows reliability


class _Draw(NamedTuple):
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
    found = []
    draws_found = (
        _all_draws(estimator, streams, _jobs(estimator, n_draws, jobs))
        if cluster is None
        else _on_cluster(estimator, streams, cluster)
    )
    for draw in draws_found:
        found.append(draw)
        if on_step is not None:
            on_step(f"resample {len(found)} of {n_draws}")
    return _posterior(estimator, found)


def _posterior(estimator: Estimator, found: list[_Draw]) -> Posterior:
    scores = np.array([draw.scores for draw in found if draw.scores is not None])
    if len(scores) < 2:
        msg = f"{len(found) - len(scores)} of {len(found)} resamples could not be fitted: too few graders"
        raise MethodError(msg)
    eta = [draw.reliabilities for draw in found if draw.reliabilities is not None]
    return Posterior(
        estimator=estimator,
        source="bootstrap",
        note=f"Bootstrap: the method refitted to {len(scores)} resamples of the graders. {COVERS}",
        location=estimator.scores_,
        score_se=scores.std(axis=0, ddof=1),
        draws=scores,
        reliability_draws=np.array(eta) if eta else None,
        diagnostics={
            "resamples": len(found),
            "failures": len(found) - len(scores),
            "not_converged": sum(not draw.converged for draw in found),
        },
    )


# -- one resample -----------------------------------------------------------------------------------------


class _Worker:
    """The class to resample, and what every resample needs of it."""

    def __init__(self, estimator: Estimator) -> None:
        self.estimator, self.feedback = estimator, estimator.feedback_
        self.graders = np.unique(self.feedback.list_graders)
        self.mode = estimator.mode() if estimator.reliability and estimator.is_smooth else None
        self.sliced = estimator.reliability and estimator.sampler == "rankings"
        self.prepared = prepared_lists(self.feedback) if self.sliced else ()

    def draw(self, stream: np.random.SeedSequence) -> _Draw:
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
            return _Draw(None, None, False)
        return _Draw(model.scores_, self._reliabilities(model.scores_, rng), model.converged_)

    def _reliabilities(self, scores: Floats, rng: np.random.Generator) -> Floats | None:
        if self.sliced:
            eta = self.estimator.reliabilities_.copy()
            for _ in range(SETTLE):
                draw_given_scores(rng, self.estimator, self.prepared, scores, eta)
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


_worker: list[_Worker] = []  # of a process of the pool
_there: dict[str, Any] = {}  # of a process of a cluster
_one_at_a_time = Lock()  # a class is resampled by one thread of a process


def _start(estimator: Estimator) -> None:
    _worker[:] = [_Worker(estimator)]


def _work(stream: np.random.SeedSequence) -> _Draw:
    return _worker[0].draw(stream)


def _jobs(estimator: Estimator, draws: int, jobs: int | None) -> int:
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


def _all_draws(estimator: Estimator, streams: list[Any], jobs: int) -> Iterator[_Draw]:
    done = 0
    if jobs > 1:
        try:
            for draw in _in_processes(estimator, streams, jobs):
                done += 1
                yield draw
        except BrokenProcessPool:  # e.g. a script without a main guard cannot start processes; carry on here
            pass
    if done < len(streams):
        worker = _Worker(estimator)
        yield from map(worker.draw, streams[done:])


def _on_cluster(estimator: Estimator, streams: list[Any], cluster: Any) -> Iterator[_Draw]:
    from peerage.cluster.opening import open_cluster

    class_id = os.urandom(8).hex()
    with open_cluster(cluster) as workers:
        yield from workers.map(_draw_there, streams, class_id, estimator)


def _draw_there(stream: np.random.SeedSequence, class_id: str, estimator: Estimator) -> _Draw:
    """One resample in a process of a cluster, which keeps what it needs of the class for the next ones."""
    if _there.get("class") != class_id:
        _there.update({"class": class_id, "worker": _Worker(estimator)})
    worker: _Worker = _there["worker"]
    with _one_at_a_time:
        return worker.draw(stream)


def _in_processes(estimator: Estimator, streams: list[Any], jobs: int) -> Iterator[_Draw]:
    with QuietPool(jobs, _start, (estimator,)) as pool:
        yield from pool.in_order(_work, streams, max(1, min(8, len(streams) // (4 * jobs))))
