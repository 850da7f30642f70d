"""How workers are asked: with patience, but not for ever.

Dask recomputes what a lost worker had. What it does not tell in time is that nobody is left to do so, or that
the scheduler is gone: that is looked at here, while waiting.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from peerage.errors import ClusterError, PeerageError

if TYPE_CHECKING:
    from distributed import Client, Future

PLAIN = re.compile(r"(?:tcp|tls)://\[?([^\]]+?)\]?:(\d+)")
CONNECT_WAIT = 1.0  # seconds for a connection; on the way by the scheduler more is lost only now and then
PATIENCE = 30.0  # seconds without any worker, or without the scheduler, until that is an error
LOOK = 0.5  # seconds between looks
FRESH = 0.2  # seconds for which it is known who is there
AHEAD = 2  # tasks per thread that are handed out at a time
NO_SCHEDULER = "the scheduler of the cluster is gone"
NO_WORKERS = "no worker of the cluster is left"
ADVICE = "start it anew; a fit with checkpoint= goes on where it was"


@dataclass(slots=True)
class Traffic:
    """What has moved: rounds of questions, bytes to the workers and bytes from them.

    up_unsummed : bytes that would have come if every part had answered by itself
    """

    rounds: int = 0
    down: int = 0
    up: int = 0
    up_unsummed: int = 0


class WorkersChangedError(PeerageError):
    """Other workers are there than those that were asked: ask again."""


class PatientClient:
    """A client, and the looks at whether it still has somebody to ask."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.traffic = Traffic()
        self._pool, self._glances = _waiting_thread(), _waiting_thread()  # they wait in our place
        self._glance: Any = None
        self._troubled: float | None = None
        self._looked, self._known = -FRESH, dict[str, int]()
        self._direct, self._tried = True, set[str]()  # whether all workers that were tried can be reached

    # -- who is there ---------------------------------------------------------------------------------

    def threads(self) -> dict[str, int]:
        """The threads of every worker, by its address; waits for the first one."""
        if self._known and time.monotonic() - self._looked < FRESH:
            return self._known
        deadline = time.monotonic() + PATIENCE
        while True:
            found = dict(self._bounded(self.client.nthreads))
            if found:
                self._looked, self._known = time.monotonic(), found
                return found
            if time.monotonic() > deadline:
                msg = f"{NO_WORKERS}: {ADVICE}"
                raise ClusterError(msg)
            time.sleep(LOOK)

    def all_workers(self, work: Callable[[], Any]) -> dict[str, Any]:
        """What every worker answers to a question that costs nothing; an error is an answer."""
        self.threads()
        return dict(self._bounded(lambda: self.client.run(work, on_error="return")))

    def memory_limits(self) -> dict[str, int]:
        """By worker, in bytes; 0 where there is none."""
        workers = self._bounded(lambda: self.client.scheduler_info(n_workers=-1))["workers"]
        return {address: int(one.get("memory_limit") or 0) for address, one in workers.items()}

    # -- waiting --------------------------------------------------------------------------------------

    def results(self, futures: Sequence[Future], by: dict[str, int] | None = None) -> list[Any]:
        """Of all futures, in order; where they were meant for these workers, only as long as nobody else is.

        Dask leaves a task that was meant for a worker alone for ever if for a moment there was none at all.
        """
        try:
            direct = self._is_direct()
            return list(self._bounded(lambda: self.client.gather(list(futures), direct=direct), by))
        except WorkersChangedError:
            self._give_up()
            self.client.cancel(list(futures), force=True)
            raise

    def _is_direct(self) -> bool:
        """Whether answers can come from the workers themselves, without the way by the scheduler."""
        for address in self.threads().keys() - self._tried:
            self._direct = self._direct and is_reachable(address)  # one that is not is enough to know
            self._tried.add(address)
        return self._direct

    def _bounded(self, ask: Callable[[], Any], by: dict[str, int] | None = None) -> Any:
        """The answer, unless there is nobody left to give one."""
        waiting = self._pool.submit(ask)
        self._troubled = None
        while True:
            try:
                return waiting.result(timeout=LOOK)
            except NotYet:
                if waiting.done():  # the question itself ran out of time
                    raise self._error(waiting.exception()) from waiting.exception()
                self._look()
                if by is not None and self._known and self._known.keys() != by.keys():
                    raise WorkersChangedError from None
            except PeerageError:
                raise
            except BaseException as error:
                raise self._error(error) from error

    def _look(self) -> None:
        """Raise where scheduler or workers have been gone for too long."""
        trouble = self._trouble()
        if trouble is None:
            self._troubled = None
            return
        self._troubled = self._troubled or time.monotonic()
        if time.monotonic() - self._troubled > PATIENCE:
            self._give_up()
            msg = f"{trouble}, for {PATIENCE:.0f} seconds now: {ADVICE}"
            raise ClusterError(msg)

    def _trouble(self) -> str | None:
        """What is wrong, as far as the last look tells; looks are made by a thread, for they may hang."""
        if self.client.status != "running":
            return NO_SCHEDULER
        if self._glance is not None and not self._glance.done():
            return NO_SCHEDULER  # it is asked who is there, and does not say
        found = None if self._glance is None or self._glance.exception() else self._glance.result()
        self._glance = self._glances.submit(self.client.nthreads)
        if found is not None:
            self._known = dict(found)
        return NO_WORKERS if found == {} else None

    def _give_up(self) -> None:
        """Let go of the threads that still wait."""
        for pool in (self._pool, self._glances):
            pool.shutdown(wait=False, cancel_futures=True)
        self._pool, self._glances = _waiting_thread(), _waiting_thread()
        self._glance = None

    def _error(self, error: BaseException | None) -> BaseException:
        """What Dask says, in our words."""
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        if isinstance(error, KilledWorker):
            msg = (
                "workers of the cluster end whenever they take on the same part of the work"
                f" ({error}): they probably have too little memory"
            )
            return ClusterError(msg)
        lost = isinstance(error, CommClosedError | OSError | TimeoutError) or _is_cancelled(error)
        if lost or self.client.status != "running":
            trouble = self._trouble() or "the connection to the cluster is lost"
            return ClusterError(f"{trouble}: {ADVICE}")
        return error if error is not None else ClusterError("the cluster gave no answer")

    # -- many independent tasks -----------------------------------------------------------------------

    def each(self, work: Callable[..., Any], items: Sequence[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        """`work(item, *shared)` of every item, in order; only so many at a time, that nothing piles up."""
        known = [self.held(value) for value in shared]
        threads = sum(self.threads().values())
        waiting: list[Future] = []
        for number in range(len(items) + AHEAD * threads):
            if number < len(items):
                waiting.append(self.submit(work, items[number], *known, pure=False, retries=3))
            if number >= AHEAD * threads - 1 and waiting:
                yield self.results([waiting.pop(0)])[0]
        while waiting:
            yield self.results([waiting.pop(0)])[0]

    def held(self, value: Any) -> Future:
        """Something that many tasks need, as the result of a task that can be done again."""
        return self.submit(same, value, pure=False)

    def submit(self, work: Callable[..., Any], *arguments: Any, **how: Any) -> Future:
        """A task; what is large in it goes with it, so that it can be done again."""
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
            return self.client.submit(work, *arguments, **how)


def _waiting_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="waiting")


def same(value: Any) -> Any:
    """What was given; a function, so that it can be sent."""
    return value


def _is_cancelled(error: BaseException | None) -> bool:
    """Dask calls tasks cancelled when its scheduler is gone."""
    return type(error).__name__ in ("CancelledError", "FutureCancelledError", "FuturesCancelledError")


def is_reachable(address: str) -> bool:
    """A worker behind a firewall or in another network is not, and Dask would find that out by waiting."""
    found = PLAIN.fullmatch(address)
    if found is None:  # ucx, ws, inproc
        return False
    try:
        socket.create_connection((found[1], int(found[2])), timeout=CONNECT_WAIT).close()
    except OSError:
        return False
    return True
