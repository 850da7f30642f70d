"""The process from which sandboxed children come: it has the library loaded, and forks when it is asked.

Whoever asks hands over two sockets: a pipe, through which the child gets its work and sends its answer, and
a lease. When the lease ends, because the asker has closed it or has died, the child is killed and the
answer on the lease is how it ended. The server itself ends with the process that started it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import selectors
import signal
import socket
import sys
import warnings
from contextlib import suppress
from typing import NoReturn

from peerage_web.sandbox.contract.outcome import END

FILE_BYTES = 1 << 30  # of one file that a child writes
NICE = 5  # pages go before grading
OPEN_FILES = 512
MOST_FILES = 1 << 20  # that may be open where the system names no limit
PIPE = 3  # the file number of the pipe in a child
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux


def main(control: int) -> None:
    """Serve until nobody is left to ask."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the one who started us decides, by closing its end
    os.nice(NICE)
    os.umask(0o077)  # what children write is for the service alone
    # Polars has threads for housekeeping from the start; its allocator sees to it that a fork is safe
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    import peerage_web.sandbox.warm  # noqa: F401

    gc.collect()
    gc.freeze()  # or the first look for garbage in a child would copy every page
    Server(socket.socket(fileno=control)).serve()


class Server:
    """Children by their leases."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.children: dict[int, tuple[socket.socket, int]] = {}
        self.selector = selectors.DefaultSelector()
        self.selector.register(control, selectors.EVENT_READ)

    def serve(self) -> None:
        """Fork, and end what nobody waits for any more."""
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is not self.control:
                    self._end(key.fd)
                elif not self._accept():
                    for lease in list(self.children):
                        self._end(lease)
                    return

    def _accept(self) -> bool:
        word, sockets, _, _ = socket.recv_fds(self.control, 1, 2)
        if not word:
            return False
        pipe, lease = sockets
        try:
            pid = os.fork()
        except OSError:  # too many processes: the asker sees both sockets closed
            os.close(pipe)
            os.close(lease)
            return True
        if pid == 0:
            _become_child(pipe, os.getppid())
        os.close(pipe)
        self.children[lease] = (socket.socket(fileno=lease), pid)
        self.selector.register(lease, selectors.EVENT_READ)
        return True

    def _end(self, lease: int) -> None:
        self.selector.unregister(lease)
        sock, pid = self.children.pop(lease)
        os.kill(pid, signal.SIGKILL)  # one that is dying already keeps the reason it had
        _, status, used = os.wait4(pid, 0)
        with suppress(OSError):  # the asker may be dead
            sock.sendall(END.pack(status, used.ru_maxrss))
        sock.close()


def _become_child(pipe: int, server: int) -> NoReturn:
    try:
        _confine(pipe, server)
        from peerage_web.sandbox.child import work_on

        work_on(PIPE)
    finally:
        os._exit(1)


def _confine(pipe: int, server: int) -> None:
    """Nothing of the server's is left open, nothing is printed, no limit can be raised again."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # a parser that panics prints what it was reading
        os.dup2(nowhere, standard)
    pipe = os.dup(pipe) if pipe == PIPE else pipe
    os.dup2(pipe, PIPE)
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(PIPE + 1, soft if soft != resource.RLIM_INFINITY else MOST_FILES)
    _die_with(server)
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ):
        hard = resource.getrlimit(what)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (value, value))


def _die_with(server: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != server:  # it died before we could ask
        os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
