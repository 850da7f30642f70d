"""Work on visitors' files in a process of its own, with bounds on time and memory.

Whatever a hostile file does to a parser, it does to a process that holds nothing else and that nobody
misses. The child comes from a server process that has the library loaded, so it starts in milliseconds.
It dies with the process that asked for it.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import pickle
import threading
import time
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

LOOK = 0.05  # seconds between looks at a running child
PAGE = os.sysconf("SC_PAGE_SIZE")


class SandboxError(Exception):
    """The work could not be finished, for a reason that lies outside of it."""


class OutOfTimeError(SandboxError):
    """It took longer than allowed."""


class OutOfMemoryError(SandboxError):
    """It needed more memory than allowed."""


class CrashedError(SandboxError):
    """The process died."""


class StoppedError(SandboxError):
    """Somebody asked for it to be stopped."""


def run(
    work: Callable[..., Any],
    *args: Any,
    seconds: float,
    memory: int,
    on_step: Callable[[str], None] = lambda step: None,
    stop: Callable[[], bool] = lambda: False,
) -> Any:
    """What `work(*args, on_step=…)` returns, or the exception it raises.

    `work` is a function of a module, its arguments and result can be pickled. `on_step` hears of its steps;
    `stop` is asked about once a second whether to give up.
    """
    ours, theirs = _context().Pipe()
    child = _context().Process(target=_child, args=(theirs, work, args), daemon=True)
    child.start()
    theirs.close()
    try:
        return _follow(ours, child.pid or 0, time.monotonic() + seconds, memory, on_step, stop)
    finally:
        child.kill()
        child.join()
        child.close()
        ours.close()


@cache
def _context() -> Any:
    context = mp.get_context("forkserver")
    context.set_forkserver_preload(["peerage_web.work.preload"])
    return context


def warm_up() -> None:
    """Start the server process now, so that the first visitor does not wait for it."""
    run(_nothing, seconds=60, memory=1 << 40)


def _nothing(on_step: Callable[[str], None]) -> None:
    return None


def _follow(
    pipe: Connection,
    pid: int,
    deadline: float,
    memory: int,
    on_step: Callable[[str], None],
    stop: Callable[[], bool],
) -> Any:
    next_question = time.monotonic() + 1
    while True:
        try:
            if pipe.poll(LOOK):
                kind, value = pipe.recv()
                if kind == "result":
                    return value
                if kind == "error":
                    raise value
                on_step(value)
        except (EOFError, ConnectionResetError, pickle.UnpicklingError):
            raise CrashedError("the process that worked on the file died") from None
        now = time.monotonic()
        if now > deadline:
            raise OutOfTimeError("the work took longer than allowed")
        if _resident(pid) > memory:
            raise OutOfMemoryError("the work needed more memory than allowed")
        if now > next_question:
            next_question = now + 1
            if stop():
                raise StoppedError("the work was stopped")


def _resident(pid: int) -> int:
    """Bytes in memory; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def _child(pipe: Connection, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    threading.Thread(target=_die_with, args=(pipe,), daemon=True).start()
    try:
        message = ("result", work(*args, on_step=lambda step: pipe.send(("step", step))))
    except MemoryError:
        message = ("error", OutOfMemoryError("the work needed more memory than allowed"))
    except Exception as error:  # carried to the parent, which knows what to say
        message = ("error", error)
    pipe.send(message)


def _die_with(pipe: Connection) -> None:
    """End this process when the one that asked is gone: nobody ever sends, so reading ends with it."""
    try:
        pipe.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
