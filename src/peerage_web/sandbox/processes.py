"""The server process of this process, and the children that come from it."""

import atexit
import os
import socket
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from peerage_web.sandbox.contract.errors import EXIT_REPORT

PATIENCE = 10.0  # seconds for a process that is being ended
_KEPT_VARIABLES = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "PATH",
    "TMPDIR",
    "TZ",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
)
_KEPT_PREFIXES = ("PYTHON", "NUMBA_", "POLARS_", "OPENBLAS_", "OMP_", "COVERAGE_")
_THREAD_LIMITS = {
    "NUMBA_NUM_THREADS": "2",
    "POLARS_MAX_THREADS": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


@dataclass
class _ServerProcess:
    """A server process, and whether it has said through a child that it is ready."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    warm: bool = False


class Child:
    """One child: a pipe to talk to it, and the lease that keeps it alive."""

    def __init__(self, pipe: socket.socket, lease: socket.socket, server: _ServerProcess) -> None:
        self.pipe: Connection = Connection(pipe.detach())
        self.server = server
        self._lease = lease
        self._exit: tuple[int | None, int] | None = None

    def end(self) -> tuple[int | None, int]:
        """Kill it, if it lives, and wait until it is gone.

        Its status (None where its server is gone and cannot say), and the most memory it had, in kilobytes.
        """
        if self._exit is None:
            self._exit = self._kill()
        return self._exit

    def failed_to_start(self) -> bool:
        """Whether its server has ended by itself: not killed, but unable to work at all."""
        with suppress(subprocess.TimeoutExpired):
            return self.server.process.wait(PATIENCE) > 0
        return False

    def _kill(self) -> tuple[int | None, int]:
        self.pipe.close()
        with self._lease:
            self._lease.settimeout(PATIENCE)
            with suppress(OSError, struct.error):  # the server is gone, and its children with it
                self._lease.shutdown(socket.SHUT_WR)
                status, kilobytes = EXIT_REPORT.unpack(self._lease.recv(EXIT_REPORT.size, socket.MSG_WAITALL))
                return status, kilobytes
        return None, 0


class ServerHandle:
    """The server process, started when it is first needed, and again when it has died.

    One without kernels is there at once, for work that calls none (`contract.jobs.without_kernels`).
    """

    def __init__(self, *, kernels: bool = True) -> None:
        self._kernels = kernels
        self._lock = threading.Lock()
        self.warming = threading.Lock()  # held by the one who waits until it is warm
        self.server: _ServerProcess | None = None

    def start_child(self) -> Child:
        """A new child, which waits for its work."""
        pipe, far_pipe = socket.socketpair()
        lease, far_lease = socket.socketpair()
        with far_pipe, far_lease, self._lock:
            server = self._hand_over(far_pipe, far_lease)
        return Child(pipe, lease, server)

    def _hand_over(self, *ends: socket.socket) -> _ServerProcess:
        numbers = [end.fileno() for end in ends]
        if self.server is not None:
            try:
                socket.send_fds(self.server.control, [b"!"], numbers)
                return self.server
            except OSError:  # it was killed; another takes its place
                self._close()
        self.server = self._start()
        with suppress(OSError):  # it has ended already: the asker finds its pipe closed
            socket.send_fds(self.server.control, [b"!"], numbers)
        return self.server

    def _start(self) -> _ServerProcess:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "peerage_web.sandbox.server", str(theirs.fileno())),
                    *([] if self._kernels else ["--without-kernels"]),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in a terminal is not meant for it
                env=environment(),
            )
        return _ServerProcess(process, ours)

    def _close(self) -> None:
        if self.server is not None:
            self.server.control.close()
            try:
                self.server.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.server.process.kill()
                self.server.process.wait()
        self.server = None

    def is_warm(self) -> bool:
        """Whether it is there and has everything in memory."""
        server = self.server
        return server is not None and server.warm and server.process.poll() is None

    def stop(self) -> None:
        """End it with all its children."""
        with self._lock:
            self._close()

    def leave(self) -> None:
        """In a forked process: the server belongs to the one that started it."""
        if self.server is not None:
            self.server.control.close()


def environment() -> dict[str, str]:
    """What the server may know: no key, no password of the database."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT_VARIABLES or name.startswith(_KEPT_PREFIXES)
    }
    return {**_THREAD_LIMITS, **kept}


_handles = [(ServerHandle(), ServerHandle(kernels=False))]


def own_server() -> ServerHandle:
    """The server of this process; one that was forked gets another."""
    return _handles[-1][0]


def server_for(*, kernels: bool) -> ServerHandle:
    """Where a child comes from: as long as kernels are being compiled, work without them has its own."""
    server, without = _handles[-1]
    return server if kernels or server.is_warm() else without


def stop_server() -> None:
    """End the server process; the next child starts another."""
    for handle in _handles[-1]:
        handle.stop()


def _after_fork() -> None:
    for handle in _handles[-1]:
        handle.leave()
    # the old ones are kept: their processes are not ours to wait for
    _handles.append((ServerHandle(), ServerHandle(kernels=False)))


os.register_at_fork(after_in_child=_after_fork)
atexit.register(stop_server)
