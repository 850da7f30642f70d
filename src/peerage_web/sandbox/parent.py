"""Work on visitors' files in a process of its own, with bounds on time and memory.

Whatever a hostile file does to a parser, it does to a process that holds nothing else and that nobody
misses. The child comes from a server process that has the library loaded (peerage_web.sandbox.server), so it
starts in milliseconds. It dies with the process that asked for it.
"""

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

from peerage_web.sandbox.contract.errors import (
    BrokenError,
    CrashedError,
    KilledError,
    OutOfMemoryError,
    OutOfSpaceError,
    OutOfTimeError,
    SandboxError,
    StoppedError,
    decode_message,
    error_from_json,
)
from peerage_web.sandbox.contract.jobs import (
    ANSWER_BYTES,
    THREADS,
    WRITTEN_BYTES,
    WRITTEN_FILES,
    JobFiles,
    needs_kernels,
)
from peerage_web.sandbox.processes import Child, own_server, server_for

log = logging.getLogger(__name__)
PIECE_BYTES = 1 << 20  # of an answer, taken at once
POLL_SECONDS = 0.05  # between two measurements of a running child
STOP_SECONDS = 1.0  # between questions whether to stop
START_SECONDS = 1800.0  # that the server process may take to load and compile everything
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# what no fault of its own sends
OUTSIDE_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PATIENCE = 3  # times the allowed seconds, for work that has to wait for a processor
LOWEST_PRIORITY = 19  # the niceness of work that goes behind all other


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
    a second whether to give up. After `quick` seconds it goes behind all other work. Time in which the
    processor was busy with other work does not count, for the limit up to PATIENCE. May be called from many
    threads at once.
    """
    request = pickle.dumps((work, args, memory))
    folders = [arg.folder for arg in args if isinstance(arg, JobFiles)]
    started, ending, oom_kills = time.monotonic(), "done", count_oom_kills()
    child = server_for(kernels=needs_kernels(work)).start_child()
    try:
        return _follow(child, request, _Limits(seconds, memory, quick), folders, on_step, stop)
    except (EOFError, ConnectionError):
        status, _ = child.end()
        ending = _describe_exit(status)
        if status is None and child.failed_to_start():
            raise BrokenError("the process that works on files does not start") from None
        raise _error_for_exit(status, out_of_memory=count_oom_kills() > oom_kills) from None
    except BaseException as error:
        ending = str(error) if isinstance(error, BrokenError) else type(error).__name__
        raise
    finally:
        _, kilobytes = child.end()
        _log_work(work.__name__, ending, time.monotonic() - started, kilobytes)


def _log_work(work: str, ending: str, seconds: float, kilobytes: int) -> None:
    """One line in the log for each piece of work: no file, no visitor."""
    fields = {"work": work, "end": ending, "ms": round(1000 * seconds), "megabytes": kilobytes >> 10}
    log.info("work", extra={"fields": fields})


def warm_up() -> None:
    """Start the server process, and wait until it has the library and its compiled kernels in memory."""
    child = own_server().start_child()
    try:
        _wait_for_start(child)
    except (EOFError, ConnectionError):
        raise CrashedError("the process that works on files did not start") from None
    finally:
        child.end()


def is_warm() -> bool:
    """Whether a child would compile nothing; where there is no such server yet, one is started meanwhile."""
    server = own_server()
    if server.is_warm():
        return True
    if server.warming.acquire(blocking=False):
        threading.Thread(target=_warm_up_once, args=[server.warming], name="warm-up", daemon=True).start()
    return False


def _warm_up_once(warming: threading.Lock) -> None:
    try:
        warm_up()
    except CrashedError:  # the server has told why on standard error
        log.exception("the process that works on files could not be started")
    finally:
        warming.release()


class _Limits(NamedTuple):
    seconds: float
    memory: int
    quick: float


def _follow(
    child: Child,
    request: bytes,
    limits: _Limits,
    folders: list[str],
    on_step: Callable[[str], None],
    stop: Callable[[], bool],
) -> Any:
    pid = _wait_for_start(child)
    child.pipe.send_bytes(request)
    inbox = _Inbox(child)
    now = started = time.monotonic()
    next_question, quick = now + STOP_SECONDS, limits.quick
    while True:
        message = inbox.next_message()
        if message is not None:
            if "step" not in message:
                return _unpack_answer(message)
            on_step(str(message["step"]))
        now = time.monotonic()
        if _is_late(pid, now - started, limits):
            raise OutOfTimeError("the work took longer than allowed")
        _check_measures(pid, limits)
        if now - started - seconds_waited(pid) > quick:
            quick = math.inf
            lower_priority(pid)
        if now > next_question:
            next_question = now + STOP_SECONDS
            if any(_is_over_full(folder) for folder in folders):  # by ways that `written_bytes` does not see
                raise OutOfSpaceError("the work wrote more than allowed")
            if stop():
                raise StoppedError("the work was stopped")


def _check_measures(pid: int, limits: _Limits) -> None:
    if resident_bytes(pid) > limits.memory:
        raise OutOfMemoryError("the work needed more memory than allowed")
    if written_bytes(pid) > WRITTEN_BYTES:
        raise OutOfSpaceError("the work wrote more than allowed")
    if count_threads(pid) > 2 * THREADS:  # a wall keeps them to THREADS, but not where root works
        raise OutOfMemoryError("the work started more threads than allowed")


class _Inbox:
    """Messages of a child, taken in pieces as they come: half of one holds up nobody who watches it.

    A message is its length (as `multiprocessing.connection` writes it) and JSON.
    """

    def __init__(self, child: Child) -> None:
        self._pipe, self._data = child.pipe, bytearray()

    def next_message(self) -> dict[str, Any] | None:
        """The next message, if it is whole within POLL_SECONDS; EOFError where the child has ended."""
        message = self._take()
        if message is None and self._pipe.poll(POLL_SECONDS):
            piece = os.read(self._pipe.fileno(), PIECE_BYTES)
            if not piece:
                raise EOFError
            self._data += piece
            message = self._take()
        return message

    def _take(self) -> dict[str, Any] | None:
        """What has arrived whole."""
        if len(self._data) < 4:
            return None
        start, size = 4, int.from_bytes(self._data[:4], signed=True)
        if size == -1:  # of a long one the length follows
            start, size = 12, int.from_bytes(self._data[4:12])
        if not 0 <= size <= ANSWER_BYTES:
            raise OutOfMemoryError("the answer is longer than allowed")
        if len(self._data) < start + size:
            return None
        body = bytes(self._data[start : start + size])
        del self._data[: start + size]
        return _decoded(body)


def _decoded(body: bytes) -> dict[str, Any]:
    """Whoever has taken a child over may send anything."""
    try:
        return decode_message(body)
    except (ValueError, RecursionError):
        raise CrashedError("the answer cannot be read") from None


def _is_late(pid: int, elapsed: float, limits: _Limits) -> bool:
    """Who was put behind others is not told that the work took too long, when it was the others' work."""
    if elapsed <= limits.seconds:
        return False
    return elapsed > PATIENCE * limits.seconds or elapsed - seconds_waited(pid) > limits.seconds


def _wait_for_start(child: Child) -> int:
    if not child.pipe.poll(START_SECONDS):
        raise CrashedError("the process that works on files did not start")
    pid = int(decode_message(child.pipe.recv_bytes())["pid"])
    child.server.warm = True  # it forks nothing before
    return pid


def _unpack_answer(message: dict[str, Any]) -> Any:
    if "result" in message:
        return message["result"]
    try:
        error = error_from_json(message["error"])
    except (KeyError, TypeError, ValueError, AttributeError):  # none that our own code sends
        error = CrashedError("the answer cannot be read")
    raise error


def _error_for_exit(status: int | None, *, out_of_memory: bool) -> SandboxError:
    """Whose doing it was: the work's own, that of a machine without memory, or somebody else's."""
    if status is not None and not (os.WIFSIGNALED(status) and os.WTERMSIG(status) in OUTSIDE_SIGNALS):
        return CrashedError("the process that worked on the file died")
    if out_of_memory:
        return OutOfMemoryError("the machine ran out of memory, and the system ended the work")
    return KilledError("the process that worked on the file was killed")


def _describe_exit(status: int | None) -> str:
    if status is None:
        return "its server was killed"
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "ended by itself"


def lower_priority(pid: int) -> None:
    """All threads of a child go behind everything else that wants the processor.

    A child has a session of its own, and some systems weigh sessions against each other before niceness.
    """
    with suppress(OSError):  # it is gone, or the system knows no such thing
        Path(f"/proc/{pid}/autogroup").write_text(str(LOWEST_PRIORITY))
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(thread), LOWEST_PRIORITY)


def count_oom_kills() -> int:
    """How many processes the system has killed for lack of memory so far; 0 where it keeps quiet."""
    try:
        counts = Path("/proc/vmstat").read_bytes().split()
        return int(counts[counts.index(b"oom_kill") + 1])
    except (OSError, ValueError):
        return 0


def seconds_waited(pid: int) -> float:
    """Seconds for which it could have gone on, had a processor been free; 0 where nobody tells."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def resident_bytes(pid: int | str) -> int:
    """Bytes in memory; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0


def count_threads(pid: int) -> int:
    """How many it has; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[17])
    except (OSError, ValueError, IndexError):
        return 0


def _is_over_full(folder: str) -> bool:
    """Whether its files take more of the disk than the child may write, or are too many to look at."""
    size, left, folders = 0, WRITTEN_FILES, [folder]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:  # gone meanwhile, or not for us
            for entry in entries:
                left -= 1
                with suppress(OSError):
                    size += 512 * entry.stat(follow_symlinks=False).st_blocks
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                if left < 0 or size > WRITTEN_BYTES:
                    return True
    return False


def written_bytes(pid: int) -> int:
    """Bytes handed over to be written, to whatever file; 0 where the system does not tell."""
    try:
        counts = Path(f"/proc/{pid}/io").read_bytes().split()
        return int(counts[counts.index(b"wchar:") + 1])
    except (OSError, ValueError):
        return 0
