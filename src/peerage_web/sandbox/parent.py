"""Work on visitors' files in a process of its own, with bounds on time and memory.

Whatever a hostile file does to a parser, it does to a process that holds nothing else and that nobody
misses. The child comes from a server process that has the library loaded (peerage_web.sandbox.server), so it
starts in milliseconds. It dies with the process that asked for it.
"""

from __future__ import annotations

import logging
import math
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from peerage_web.sandbox.contract import outcome
from peerage_web.sandbox.contract.errors import (
    BrokenError,
    CrashedError,
    KilledError,
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
OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # what no fault of its own sends
PATIENCE = 3  # times the allowed seconds, for work that has to wait for a processor
LAST = 19  # the niceness of work that goes behind all other


def run(
    work: Callable[..., Any],
    *args: Any,
    seconds: float,
    memory: int,
    quick: float = math.inf,
    on_step: Callable[[str], None] = lambda step: None,
    stop: Callable[[], bool] = lambda: False,
) -> Any:
    """What `work(*args, on_step=…)` returns, or the exception it raises.

    `work` is a function of a module, its arguments can be pickled, and its result is ready for JSON. Of its
    exceptions, those of Peerage arrive as they are. `on_step` hears of its steps; `stop` is asked about once
    a second whether to give up. After `quick` seconds it goes behind all other work; time in which the
    processor was busy with that other work does not count, up to PATIENCE. May be called from many threads
    at once.
    """
    order = pickle.dumps((work, args, memory))
    started, how, starved = time.monotonic(), "done", kills_for_memory()
    child = start_child()
    try:
        return _follow(child, order, _Bounds(seconds, memory, quick), on_step, stop)
    except (EOFError, ConnectionError):
        status, _ = child.end()
        how = _reason(status)
        if status is None and child.failed_to_start():
            raise BrokenError("the process that works on files does not start") from None
        raise _death(status, starved=kills_for_memory() > starved) from None
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


class _Bounds(NamedTuple):
    seconds: float
    memory: int
    quick: float


def _follow(
    child: Child,
    order: bytes,
    bounds: _Bounds,
    on_step: Callable[[str], None],
    stop: Callable[[], bool],
) -> Any:
    pid = _hello(child)
    child.pipe.send_bytes(order)
    now = started = time.monotonic()
    next_question, slow = now + ASK, now + bounds.quick
    while True:
        if child.pipe.poll(POLL):
            heard = outcome.received(child.pipe.recv_bytes())
            if "step" not in heard:
                return _answer(heard)
            on_step(str(heard["step"]))
        now = time.monotonic()
        if _is_late(pid, now - started, bounds):
            raise OutOfTimeError("the work took longer than allowed")
        if now > slow:
            slow = math.inf
            step_back(pid)
        if memory_of(pid) > bounds.memory:
            raise OutOfMemoryError("the work needed more memory than allowed")
        if written_by(pid) > WRITTEN_BYTES:
            raise OutOfSpaceError("the work wrote more than allowed")
        if now > next_question:
            next_question = now + ASK
            if stop():
                raise StoppedError("the work was stopped")


def _is_late(pid: int, elapsed: float, bounds: _Bounds) -> bool:
    """Who was put behind others is not told that the work took too long, when it was the others' work."""
    if elapsed <= bounds.seconds:
        return False
    return elapsed > PATIENCE * bounds.seconds or elapsed - waited_by(pid) > bounds.seconds


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


def _death(status: int | None, *, starved: bool) -> SandboxError:
    """Whose doing it was: the work's own, that of a machine without memory, or somebody else's."""
    if status is not None and not (os.WIFSIGNALED(status) and os.WTERMSIG(status) in OUTSIDE):
        return CrashedError("the process that worked on the file died")
    if starved:
        return OutOfMemoryError("the machine ran out of memory, and the system ended the work")
    return KilledError("the process that worked on the file was killed")


def _reason(status: int | None) -> str:
    if status is None:
        return "its server was killed"
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "ended by itself"


def step_back(pid: int) -> None:
    """All threads of a child go behind everything else that wants the processor.

    A child has a session of its own, and some systems weigh sessions against each other before niceness.
    """
    with suppress(OSError):  # it is gone, or the system knows no such thing
        Path(f"/proc/{pid}/autogroup").write_text(str(LAST))
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(thread), LAST)


def kills_for_memory() -> int:
    """How many processes the system has killed for lack of memory so far; 0 where it keeps quiet."""
    try:
        counts = Path("/proc/vmstat").read_bytes().split()
        return int(counts[counts.index(b"oom_kill") + 1])
    except (OSError, ValueError):
        return 0


def waited_by(pid: int) -> float:
    """Seconds for which it could have gone on, had a processor been free; 0 where nobody tells."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


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
