"""Slow clients: a request that trickles in, or an answer that nobody takes, holds a thread only so long.

A client has `GRACE` seconds, and one more for every `RATE` bytes it has sent or taken. Whoever keeps that
pace may upload the largest file over a slow line; whoever sends a byte a second is cut off. And whoever
comes with many connections has half of the threads at most: the others wait for each other, not in
everybody's way.
"""

import socket
import threading
import time
from collections import Counter, deque
from errno import ECONNRESET
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from peerage_web.configuration import environment
from peerage_web.shared.networks import network_of

GRACE = float(environment.number("PEERAGE_CLIENT_SECONDS", 20))
RATE = 32 * 1024  # bytes per second


class MeteredSocket(socket.socket):
    """A connection that knows how long its request has taken."""

    def __init__(self, fileno: int) -> None:
        super().__init__(fileno=fileno)
        self.too_slow = False
        self.begin()

    def begin(self) -> None:
        self._started, self._received = time.monotonic(), 0

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """What has come in; cut off when it comes too slowly, or ends before the request does."""
        left = self._started + GRACE + self._received / RATE - time.monotonic()
        try:
            self.settimeout(max(left, 0.001))  # 0 would mean: do not wait at all
            data = super().recv(size, flags)
        except TimeoutError:
            left = 0.0
        if left <= 0:
            self.too_slow = True
            raise ConnectionResetError(ECONNRESET, "the request came in too slowly")
        if not data and self._received:
            # or half a file would be taken for the whole
            raise ConnectionResetError(ECONNRESET, "the request was broken off")
        self._received += len(data)
        return data

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        self.settimeout(GRACE + len(data) / RATE)
        try:
            super().sendall(data, flags)
        except TimeoutError:
            raise ConnectionResetError(ECONNRESET, "the answer was taken too slowly") from None


class ThreadShares:
    """So many threads for one address at a time; further connections of it wait for its own."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._busy: Counter[str] = Counter()
        self._waiting: dict[str, deque[Any]] = {}

    def enter(self, address: str, conn: Any) -> bool:
        """Whether the connection may have a thread now; else it is kept until :meth:`leave` returns it."""
        with self._lock:
            if self._busy[address] >= self._most:
                self._waiting.setdefault(address, deque()).append(conn)
                return False
            self._busy[address] += 1
            return True

    def leave(self, address: str) -> Any:
        """A thread is free again: the connection that may have it next, or None."""
        with self._lock:
            if waiting := self._waiting.get(address):
                return waiting.popleft()
            self._waiting.pop(address, None)
            self._busy[address] -= 1
            self._busy += Counter()  # those who have none are forgotten
            return None


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """Gunicorn's worker with threads, over metered connections, which addresses share."""

    def init_process(self) -> None:
        # behind a proxy all connections come from one address: the proxy counts them there
        threads = self.cfg.threads
        self._shares = ThreadShares(
            threads if environment.flag("PEERAGE_PROXY", False) else max(1, threads // 2)
        )
        super().init_process()

    def enqueue_req(self, conn: Any) -> None:
        if not isinstance(conn.sock, MeteredSocket):
            conn.sock = MeteredSocket(conn.sock.detach())
        if self._shares.enter(_address(conn), conn):
            super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Serve one request; the time it waited for a free thread is not the client's fault."""
        conn.sock.begin()
        try:
            return super().handle(conn)
        finally:
            following = self._shares.leave(_address(conn))
            if following is not None:
                super().enqueue_req(following)


def _address(conn: Any) -> str:
    return network_of(str(conn.client[0])) if isinstance(conn.client, tuple) else ""
