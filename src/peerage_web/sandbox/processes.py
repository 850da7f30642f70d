"""The server process of this process, and the children that come from it."""

from __future__ import annotations

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

from peerage_web.sandbox.contract.outcome import END

PATIENCE = 10.0  # seconds to wait for a process that is being ended
_KEPT = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TZ", "VIRTUAL_ENV", "XDG_CACHE_HOME")
_FAMILIES = ("PYTHON", "NUMBA_", "POLARS_", "OPENBLAS_", "OMP_", "COVERAGE_")
_BOUNDED = {
    "NUMBA_NUM_THREADS": "2",
    "POLARS_MAX_THREADS": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


@dataclass
class _Started:
    """A server process, and whether it has said through a child that it is ready."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    warm: bool = False


class Child:
    """One child: a pipe to talk to it, and the lease that keeps it alive."""

    def __init__(self, pipe: socket.socket, lease: socket.socket, server: _Started) -> None:
        self.pipe: Connection = Connection(pipe.detach())
        self.server = server
        self._lease = lease
        self._end: tuple[int | None, int] | None = None

    def end(self) -> tuple[int | None, int]:
        """Kill it, if it lives, and wait until it is gone.

        Its status (None where its server is gone and cannot say), and the most memory it had, in kilobytes.
        """
        if self._end is None:
            self._end = self._ended()
        return self._end

    def failed_to_start(self) -> bool:
        """Whether its server has ended by itself: not killed, but unable to work at all."""
        with suppress(subprocess.TimeoutExpired):
            return self.server.process.wait(PATIENCE) > 0
        return False

    def _ended(self) -> tuple[int | None, int]:
        self.pipe.close()
        with self._lease:
            self._lease.settimeout(PATIENCE)
            with suppress(OSError, struct.error):  # the server is gone, and its children with it
                self._lease.shutdown(socket.SHUT_WR)
                status, kilobytes = END.unpack(self._lease.recv(END.size, socket.MSG_WAITALL))
                return status, kilobytes
        return None, 0


class _Server:
    """Started when it is first needed, and again when it has died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.warming = threading.Lock()  # held by the one who waits until it is warm
        self.started: _Started | None = None

    def child(self) -> Child:
        """A new child, which waits for its work."""
        pipe, far_pipe = socket.socketpair()
        lease, far_lease = socket.socketpair()
        with far_pipe, far_lease, self._lock:
            started = self._hand_over(far_pipe, far_lease)
        return Child(pipe, lease, started)

    def _hand_over(self, *ends: socket.socket) -> _Started:
        numbers = [end.fileno() for end in ends]
        if self.started is not None:
            try:
                socket.send_fds(self.started.control, [b"!"], numbers)
                return self.started
            except OSError:  # it was killed; another takes its place
                self._close()
        self.started = self._start()
        with suppress(OSError):  # it has ended already: the asker finds its pipe closed
            socket.send_fds(self.started.control, [b"!"], numbers)
        return self.started

    def _start(self) -> _Started:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "peerage_web.sandbox.server", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in a terminal is not meant for it
                env=environment(),
            )
        return _Started(process, ours)

    def _close(self) -> None:
        if self.started is not None:
            self.started.control.close()
            try:
                self.started.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.started.process.kill()
                self.started.process.wait()
        self.started = None

    def is_warm(self) -> bool:
        """Whether it is there and has everything in memory."""
        started = self.started
        return started is not None and started.warm and started.process.poll() is None

    def stop(self) -> None:
        """End it with all its children."""
        with self._lock:
            self._close()

    def leave(self) -> None:
        """In a forked process: the server belongs to the one that started it."""
        if self.started is not None:
            self.started.control.close()


def environment() -> dict[str, str]:
    """What the server may know: no key, no password of the database."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_FAMILIES)}
    return {**_BOUNDED, **kept}


_servers = [_Server()]


def start_child() -> Child:
    """A child of this process's server."""
    return server().child()


def server() -> _Server:
    """This process's own."""
    return _servers[-1]


def stop_server() -> None:
    """End the server process; the next child starts another."""
    server().stop()


def _after_fork() -> None:
    server().leave()
    _servers.append(_Server())  # the old one is kept: its process is not ours to wait for


os.register_at_fork(after_in_child=_after_fork)
atexit.register(stop_server)
