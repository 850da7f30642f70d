"""Work on visitors' files in a process of its own, with bounds on time and memory.

Whatever a hostile file does to a parser, it does to a process that holds nothing else and that nobody
misses. The child comes from a server process that has the library loaded (peerage_web.sandbox.server), so it
starts in milliseconds. It dies with the process that asked for it.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peerage_web.sandbox.contract import outcome
from peerage_web.sandbox.contract.errors import (
    BrokenError,
    CrashedError,
    OutOfMemoryError,
    OutOfSpaceError,
    OutOfTimeError,
    SandboxError,
    StoppedError,
)
from peerage_web.sandbox.contract.files import WRITTEN_BYTES
from peerage_web.sandbox.processes import Child, server, start_child

log = logging.getLogger(__name__)
POLL = 0.05  # seconds between two measurements of a running child
ASK = 1.0  # seconds between questions whether to stop
BOOT = 1800.0  # seconds that the server process may take to load and compile everything
PAGE = os.sysconf("SC_PAGE_SIZE")


def run(
    work: Callable[..., Any],
    *args: Any,
    seconds: float,
    memory: int,
    on_step: Callable[[str], None] = lambda step: None,
    stop: Callable[[], bool] = lambda: False,
) -> Any:
    """What `work(*args, on_step=…)` returns, or the exception it raises.

    `work` is a function of a module, its arguments can be pickled, and its result is ready for JSON. Of its
    exceptions, those of Peerage arrive as they are. `on_step` hears of its steps; `stop` is asked about once
    a second whether to give up. May be called from many threads at once.
    """
    order = pickle.dumps((work, args, memory))
    started, how = time.monotonic(), "done"
    child = start_child()
    try:
        return _follow(child, order, seconds, memory, on_step, stop)
    except (EOFError, ConnectionError):
        status, _ = child.end()
        how = _reason(status)
        raise _death(status) from None
    except BaseException as error:
        how = str(error) if isinstance(error, BrokenError) else type(error).__name__
        raise
    finally:
        _, kilobytes = child.end()
        _tell(work.__name__, how, time.monotonic() - started, kilobytes)


def _tell(work: str, how: str, seconds: float, kilobytes: int) -> None:
    """One line in the log for each piece of work: no file, no visitor."""
    fields = {"work": work, "end": how, "ms": round(1000 * seconds), "megabytes": kilobytes >> 10}
    log.info("work", extra={"fields": fields})


def warm_up() -> None:
    """Start the server process, and wait until it has the library and its compiled kernels in memory."""
    child = start_child()
    try:
        _hello(child)
    except (EOFError, ConnectionError):
        raise CrashedError("the process that works on files did not start") from None
    finally:
        child.end()


def is_warm() -> bool:
    """Whether a child would compile nothing; where there is no such server yet, one is started meanwhile."""
    ours = server()
    if ours.is_warm():
        return True
    if ours.warming.acquire(blocking=False):
        threading.Thread(target=_warm_up_once, args=[ours.warming], name="warm-up", daemon=True).start()
    return False


def _warm_up_once(warming: threading.Lock) -> None:
    try:
        warm_up()
    except CrashedError:  # the server has told why on standard error
        log.exception("the process that works on files could not be started")
    finally:
        warming.release()


def _follow(
    child: Child,
    order: bytes,
    seconds: float,
    memory: int,
    on_step: Callable[[str], None],
    stop: Callable[[], bool],
) -> Any:
    pid = _hello(child)
    child.pipe.send_bytes(order)
    now = time.monotonic()
    deadline, next_question = now + seconds, now + ASK
    while True:
        if child.pipe.poll(POLL):
            heard = outcome.received(child.pipe.recv_bytes())
            if "step" not in heard:
                return _answer(heard)
            on_step(str(heard["step"]))
        now = time.monotonic()
        if now > deadline:
            raise OutOfTimeError("the work took longer than allowed")
        if memory_of(pid) > memory:
            raise OutOfMemoryError("the work needed more memory than allowed")
        if written_by(pid) > WRITTEN_BYTES:
            raise OutOfSpaceError("the work wrote more than allowed")
        if now > next_question:
            next_question = now + ASK
            if stop():
                raise StoppedError("the work was stopped")


def _hello(child: Child) -> int:
    if not child.pipe.poll(BOOT):
        raise CrashedError("the process that works on files did not start")
    pid = int(outcome.received(child.pipe.recv_bytes())["pid"])
    child.server.warm = True  # it forks nothing before
    return pid


def _answer(heard: dict[str, Any]) -> Any:
    if "result" in heard:
        return heard["result"]
    raise outcome.revived(heard["error"])


def _death(status: int) -> SandboxError:
    """A kill that was not ours comes from a machine without memory."""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return OutOfMemoryError("the work needed more memory than allowed")
    return CrashedError("the process that worked on the file died")


def _reason(status: int) -> str:
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "ended by itself"


def memory_of(pid: int | str) -> int:
    """Bytes in memory; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def written_by(pid: int) -> int:
    """Bytes handed over to be written, to whatever file; 0 where the system does not tell."""
    try:
        said = Path(f"/proc/{pid}/io").read_bytes().split()
        return int(said[said.index(b"wchar:") + 1])
    except (OSError, ValueError):
        return 0
