"""A pool of processes that Ctrl-C ends quietly: the parent says one word, the children say nothing and go.

concurrent.futures is not safe against an interrupt at any moment: raised while the main thread holds the lock
of a future it hangs the exit, and while a process is started the child prints a traceback. So interrupts are
only noted there, and raised where nothing is held.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

LOOK_UP = 0.2  # seconds after which a noted interrupt is noticed at the latest


class QuietPool:
    """Processes started afresh; left with an exception, it stops them instead of waiting for their work.

    Started afresh, not forked: a forked child of a process with threads (Polars has them) can hang.
    """

    def __init__(
        self, jobs: int, start: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()
    ) -> None:
        self._pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), start, arguments)

        self._children: set[BaseProcess] = set()

    def __enter__(self) -> QuietPool:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        with _interrupts_noted():
            if kind is not None:
                for child in self._children:
                    child.terminate()
            self._pool.shutdown(cancel_futures=kind is not None)

    def as_they_come(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Result]]:
        """The number of every task with its result, in the order in which they are done."""
        finished: SimpleQueue[Future[Result]] = SimpleQueue()
        numbers: dict[Future[Result], int] = {}
        for number, task in enumerate(tasks):
            with _interrupts_noted():
                future = self._submitted(work, task)
                numbers[future] = number
                future.add_done_callback(finished.put)
        while numbers:
            future, result = _next_of(finished)
            yield numbers.pop(future), result

    def in_order(self, work: Callable[[Task], Result], tasks: Sequence[Task], chunk: int) -> Iterator[Result]:
        """The results in the order of their tasks, of which `chunk` are sent at once."""
        chunks = [(work, tasks[start : start + chunk]) for start in range(0, len(tasks), chunk)]
        early: dict[int, list[Result]] = {}
        due = 0
        for number, results in self.as_they_come(_work_off, chunks):
            early[number] = results
            while due in early:
                yield from early.pop(due)
                due += 1

    def _submitted(self, work: Callable[[Task], Result], task: Task) -> Future[Result]:
        """Submit, and remember the process that this may start: those of others are not ours to stop."""
        others = set(multiprocessing.active_children())
        with _children_deaf():
            future = self._pool.submit(work, task)
        self._children |= set(multiprocessing.active_children()) - others
        return future


def _work_off(chunk: tuple[Callable[[Any], Any], Sequence[Any]]) -> list[Any]:
    work, tasks = chunk
    return [work(task) for task in tasks]


def _next_of(finished: SimpleQueue[Future[Result]]) -> tuple[Future[Result], Result]:
    while True:
        with _interrupts_noted():
            try:
                future = finished.get(timeout=LOOK_UP)
            except Empty:
                continue
            return future, future.result()


@contextmanager
def _interrupts_noted() -> Iterator[None]:
    """An interrupt that comes meanwhile is answered at the end, not lost."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield  # other threads are not interrupted and may not set a handler
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came:
            usual(came[0], None)


@contextmanager
def _children_deaf() -> Iterator[None]:
    """Processes started here never hear of an interrupt.

    They inherit the blocked signal from the moment they are started; an initializer would come too late for a
    Ctrl-C while they load.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _start_tracker()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_tracker() -> None:
    """multiprocessing's helper, whose start with the first process would unblock the signal again."""
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()
