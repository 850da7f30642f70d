"""The process from which sandboxed children come: it has the library and its compiled kernels in memory, and
forks when it is asked.

Whoever asks hands over two sockets: a pipe, through which the child gets its work and sends its answer, and
a lease. When the lease ends, because the asker has closed it or has died, the child is killed and the
answer on the lease is how it ended. The server itself ends with the process that started it.
"""

import gc
import os
import selectors
import signal
import socket
import sys
import warnings
from contextlib import suppress
from typing import NoReturn

from peerage_web.sandbox.child import confine, do_work
from peerage_web.sandbox.contract.errors import EXIT_REPORT
from peerage_web.sandbox.walls.system import deny_dumps

NICE = 5  # pages go before grading


def main(control: int, *, kernels: bool = True) -> None:
    """Serve until nobody is left to ask."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the one who started us decides, by closing its end
    os.nice(NICE)
    os.umask(0o077)  # what children write is for the service alone
    deny_dumps()  # a child that was taken over must not get here
    # Polars has threads for housekeeping from the start; its allocator sees to it that a fork is safe
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    from peerage_web.sandbox import warm

    if kernels:
        warm.warm(control)  # whoever asks for a child meanwhile waits, and no visitor's time runs yet
    else:
        warm.load_without_kernels()
    gc.collect()
    gc.freeze()  # or the first look for garbage in a child would copy every page
    ForkServer(socket.socket(fileno=control)).serve()


class ForkServer:
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
        request, sockets, _, _ = socket.recv_fds(self.control, 1, 2)
        if not request:
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
        _, status, usage = os.wait4(pid, 0)
        with suppress(OSError):  # the asker may be dead
            sock.sendall(EXIT_REPORT.pack(status, usage.ru_maxrss))
        sock.close()


def _become_child(pipe: int, server: int) -> NoReturn:
    try:
        os.setsid()  # a child whose priority is lowered is alone in it (see parent.lower_priority)
        confine(pipe, server)
        do_work()
    finally:
        os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), kernels="--without-kernels" not in sys.argv)
