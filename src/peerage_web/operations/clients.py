"""Slow clients: a request that trickles in, or an answer that nobody takes, holds a thread only so long.

A client has `GRACE` seconds, and one more for every `RATE` bytes it has sent or taken. Whoever keeps that
pace may upload the largest file over a slow line; whoever sends a byte a second is cut off.
"""

from __future__ import annotations

import socket
import time
from errno import ECONNRESET
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from peerage_web.configuration import environment

GRACE = float(environment.number("PEERAGE_CLIENT_SECONDS", 20))
RATE = 32 * 1024  # bytes per second


class Metered(socket.socket):
    """A connection that knows how long its request has taken."""

    def __init__(self, fileno: int) -> None:
        super().__init__(fileno=fileno)
        self.too_slow = False
        self.begin()

    def begin(self) -> None:
        """A new request starts."""
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
        """Send all of it, to a client that takes it."""
        self.settimeout(GRACE + len(data) / RATE)
        try:
            super().sendall(data, flags)
        except TimeoutError:
            raise ConnectionResetError(ECONNRESET, "the answer was taken too slowly") from None


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """Gunicorn's worker with threads, over metered connections."""

    def enqueue_req(self, conn: Any) -> None:
        """Hand a connection to a thread."""
        if not isinstance(conn.sock, Metered):
            conn.sock = Metered(conn.sock.detach())
        super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Serve one request; the time it waited for a free thread is not the client's fault."""
        conn.sock.begin()
        return super().handle(conn)
