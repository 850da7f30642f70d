"""Calls to a platform: bounded in time and size, never redirected, and only to where it may be."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

CONNECT = 5.0  # seconds
WHOLE = 15.0  # seconds for an answer from first to last byte, however it drips
LARGEST = 8 << 20  # bytes of an answer
SAID = 300  # characters that are kept of what a platform says about a refusal


class PlatformError(Exception):
    """A call did not succeed; the text is for whoever runs the service."""

    def __init__(self, text: str, status: int | None = None, retry_after: int | None = None) -> None:
        super().__init__(text)
        self.status, self.retry_after = status, retry_after
        self.unsent = False  # it was about our right to ask; what was asked has not gone out

    @property
    def is_passing(self) -> bool:
        """Whether it may go better later: nobody answered, too much at once, or an error of theirs."""
        passing = self.status is None or self.status in (408, 425, 429) or self.status >= 500
        return passing or self.unsent


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]  # names in small letters
    body: bytes = b""

    def json(self) -> Any:
        """Its body, which has to be JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            raise PlatformError(f"the answer is not JSON: {self.words()}", self.status) from None

    def words(self) -> str:
        """The beginning of what it says, on one line."""
        return " ".join(self.body.decode("utf-8", "replace").replace("\0", "").split())[:SAID]


@dataclass(slots=True)
class Deadline:
    """Closes the connection when its time is up; nothing that a server does can hold a call for longer."""

    ends: float = field(default_factory=lambda: time.monotonic() + WHOLE)
    private: bool = False  # whether the host may be on a network of one's own
    passed: bool = False
    sock: Any = None
    timer: threading.Timer | None = None

    def watch(self, sock: Any) -> None:
        """From now on; refuses a host that is not where it may be, before anything is sent to it."""
        self.sock = sock
        peer = ip_address(str(sock.getpeername()[0]).partition("%")[0])
        if not peer.is_global and not self.private:
            sock.close()
            raise PlatformError("the address is on a private network, and not the platform's own host")
        self.timer = threading.Timer(max(self.ends - time.monotonic(), 0.0), self._end)
        self.timer.daemon = True
        self.timer.start()

    def _end(self) -> None:
        self.passed = True
        with suppress(OSError):  # it has ended by itself
            self.sock.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        """The call is over."""
        if self.timer is not None:
            self.timer.cancel()


class _Plain(HTTPConnection):
    deadline: Deadline

    def _new_conn(self) -> socket.socket:
        sock = super()._new_conn()
        self.deadline.watch(sock)
        return sock


class _Secure(HTTPSConnection):
    deadline: Deadline

    def _new_conn(self) -> socket.socket:
        sock = super()._new_conn()
        self.deadline.watch(sock)
        return sock


def call(
    method: str,
    address: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    private: bool = False,
) -> Answer:
    """One call, answered with 2xx; PlatformError with the platform's own words for everything else."""
    deadline = Deadline(private=private)
    try:
        answer = _ask(method, checked(address), dict(headers or {}), body, deadline)
    except PlatformError:
        raise
    except (HTTPError, OSError, ValueError) as error:
        why = "no whole answer in time" if deadline.passed else type(error).__name__
        raise PlatformError(f"{host_of(address)} did not answer: {why}") from None
    finally:
        deadline.stop()
    if deadline.passed:
        raise PlatformError(f"{host_of(address)} did not answer: no whole answer in time")
    if 300 <= answer.status < 400:
        raise PlatformError(f"{host_of(address)} wants to lead elsewhere, which is not followed", 300)
    if answer.status >= 400:
        raise PlatformError(
            f"{host_of(address)} answers {answer.status}: {answer.words()}",
            answer.status,
            _seconds(answer.headers.get("retry-after", "")),
        )
    return answer


def _ask(
    method: str, address: str, headers: dict[str, str], body: bytes | None, deadline: Deadline
) -> Answer:
    parts = urlsplit(address)
    secure = parts.scheme == "https"
    kind: Any = HTTPSConnectionPool if secure else HTTPConnectionPool
    pool = kind(parts.hostname, parts.port, maxsize=1, retries=False, timeout=Timeout(CONNECT, WHOLE))
    pool.ConnectionCls = type("Watched", (_Secure if secure else _Plain,), {"deadline": deadline})
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        found = pool.urlopen(
            method, target, body=body, headers=headers, redirect=False, preload_content=False
        )
        named = {name.lower(): value for name, value in found.headers.items()}
        return Answer(found.status, named, _read(found))
    finally:
        pool.close()


def _read(found: Any) -> bytes:
    """Piece by piece, so that an endless answer ends here."""
    parts, size = [], 0
    while part := found.read1(1 << 16):
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            raise PlatformError(f"the answer is longer than {LARGEST >> 20} MB")
    return b"".join(parts)


def checked(address: str) -> str:
    """The address, if it can be called: https, or http where the service itself is not on TLS."""
    try:
        parts = urlsplit(address)
        _port = parts.port
    except ValueError:
        raise PlatformError(f"{address[:100]!r} is no address") from None
    schemes = ("https",) if settings.HTTPS else ("https", "http")
    if parts.scheme not in schemes or not parts.hostname or parts.username is not None:
        raise PlatformError(f"{address[:100]!r} is no address that can be called; it has to begin with https")
    return address


def host_of(address: str) -> str:
    """For messages: whom it was about."""
    return urlsplit(address).hostname or "the platform"


def _seconds(text: str) -> int | None:
    return min(int(text), 24 * 3600) if text.isascii() and text.isdecimal() and len(text) < 9 else None
