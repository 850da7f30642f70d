"""Requests to addresses that others have named: they must not reach into the operator's network.

The name is looked up once, every address that it stands for has to be public, and the connection goes to an
address that was looked at: a name that means something else a moment later gains nothing. Redirects are not
followed, proxies of the environment are not used, and a request ends when its time is up, whatever the other
side does.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, SSLError
from urllib3.exceptions import TimeoutError as UrllibTimeoutError

from peerage_web.shared.networks import Address, is_public

LONGEST = 500  # characters of an address that people write
SECONDS = 8.0  # for one request, from the first packet to the status
CONNECT_SECONDS = 5.0


class UnsafeAddressError(ValueError):
    """Nothing is sent there; the text says why."""


class NotReachedError(Exception):
    """Nobody answered, or not in time; the text says what happened, and nothing that was answered."""


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    headers: Mapping[str, str]  # names in small letters
    body: bytes = b""
    reason: str = ""  # what the status line says beside the number


def post(url: str, body: bytes, headers: Mapping[str, str], *, private: bool = False) -> int:
    """Send it; the status of the answer, of which nothing else is read.

    UnsafeAddressError or NotReachedError where it cannot be sent.
    """
    parts = checked_url(url, private=private)
    return send("POST", parts, body=body, headers=headers, private=private, seconds=SECONDS).status


def checked_url(url: str, *, private: bool, http: bool | None = None, longest: int = LONGEST) -> SplitResult:
    """The parts of an address that may be sent to.

    `private`: the operator allows its own network there. `http`: also without TLS; where it is not said, it
    goes with `private`.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UnsafeAddressError("it is not a valid web address") from None
    if len(url) > longest or not url.isascii() or not url.isprintable() or " " in url:
        raise UnsafeAddressError(f"it must be plain ASCII without spaces, at most {longest} characters")
    if parts.scheme != "https" and not ((private if http is None else http) and parts.scheme == "http"):
        raise UnsafeAddressError("it must start with https://")
    if not parts.hostname or parts.username is not None or parts.password is not None:
        raise UnsafeAddressError("it must name a host, without a user name or password")
    if not private and port not in (None, 443) and (port is None or port < 1024):
        raise UnsafeAddressError("its port must be 443 or above 1023")
    literal = _as_address(parts.hostname)
    if literal is not None:
        refuse_private(literal, private=private)
    return parts


def _as_address(host: str) -> Address | None:
    """The address that stands there instead of a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def refuse_private(address: Address, *, private: bool) -> None:
    """UnsafeAddressError unless it is an address of the public network."""
    if not private and not is_public(address):
        raise UnsafeAddressError("it points to a private network")


def send(
    method: str,
    parts: SplitResult,
    *,
    headers: Mapping[str, str],
    body: bytes | None = None,
    private: bool,
    seconds: float,
    most_bytes: int = 0,
) -> Response:
    """One request to an address that `checked_url` has passed, over in so many seconds.

    At most so many bytes of the answer are read; NotReachedError where there are more of them.
    """
    deadline = _Deadline(seconds)
    try:
        response = _exchange(method, parts, headers, body, private, deadline, most_bytes)
    except UnsafeAddressError:
        raise
    except (HTTPError, OSError, ValueError) as error:
        raise NotReachedError("no response in time" if deadline.passed else _reason(error)) from None
    finally:
        deadline.stop()
    if deadline.passed:  # what was cut off may look as if it had ended
        raise NotReachedError("no response in time")
    return response


def _exchange(
    method: str,
    parts: SplitResult,
    headers: Mapping[str, str],
    body: bytes | None,
    private: bool,
    deadline: _Deadline,
    most_bytes: int,
) -> Response:
    secure = parts.scheme == "https"
    pool_class: Any = HTTPSConnectionPool if secure else HTTPConnectionPool
    timeout = Timeout(deadline.seconds)  # of each step; the deadline is that of the whole
    pool = pool_class(parts.hostname, parts.port, maxsize=1, retries=False, timeout=timeout)
    base = _GuardedHTTPSConnection if secure else _GuardedHTTPConnection
    pool.ConnectionCls = type(base.__name__, (base,), {"deadline": deadline, "private": private})
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    sent = {**headers, "Connection": "close"}
    try:
        answer = pool.urlopen(method, target, body=body, headers=sent, redirect=False, preload_content=False)
        with closing(answer):
            named = {name.lower(): value for name, value in answer.headers.items()}
            body = _read(answer, most_bytes) if most_bytes else b""
            return Response(answer.status, named, body, answer.reason or "")
    finally:
        pool.close()


def _read(answer: Any, most_bytes: int) -> bytes:
    """Piece by piece, so that an endless answer ends here."""
    pieces, size = [], 0
    while piece := answer.read1(1 << 16):
        pieces.append(piece)
        size += len(piece)
        if size > most_bytes:
            raise NotReachedError(f"the response is larger than {most_bytes >> 20} MB")
    return b"".join(pieces)


def _reason(error: Exception) -> str:
    if isinstance(error, SSLError):
        cause = error.args[0] if error.args else None
        return f"TLS failed: {getattr(cause, 'reason', None) or 'no valid certificate'}"
    if isinstance(error, TimeoutError | UrllibTimeoutError):
        return "no response in time"
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    return type(error).__name__


class _Deadline:
    """Cuts the connection when its time is up."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.passed = seconds, False
        self._ends = time.monotonic() + seconds
        self._timer: threading.Timer | None = None
        self._sock: socket.socket | None = None

    def seconds_left(self) -> float:
        return self._ends - time.monotonic()

    def watch(self, sock: socket.socket) -> None:
        # TLS takes the socket itself over, already while it shakes hands; a copy stays ours to cut
        self._sock = sock.dup()
        self._timer = threading.Timer(max(self.seconds_left(), 0.0), self._cut)
        self._timer.daemon = True
        self._timer.start()

    def _cut(self) -> None:
        self.passed = True
        assert self._sock is not None
        with suppress(OSError):  # it has ended by itself
            self._sock.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        if self._timer is not None and self._sock is not None:
            self._timer.cancel()
            self._timer.join()
            self._sock.close()


class _GuardedHTTPConnection(HTTPConnection):
    deadline: _Deadline
    private: bool

    def _new_conn(self) -> socket.socket:
        return _connect(self, self.deadline, self.private)


class _GuardedHTTPSConnection(HTTPSConnection):
    deadline: _Deadline
    private: bool

    def _new_conn(self) -> socket.socket:
        return _connect(self, self.deadline, self.private)


def _connect(connection: HTTPConnection, deadline: _Deadline, private: bool) -> socket.socket:
    """To the first address of the host that takes us; every one of them has to be allowed."""
    host, port = connection.host, connection.port
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotReachedError("the host name cannot be resolved") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    for address in addresses:
        refuse_private(ip_address(address.partition("%")[0]), private=private)
    failure = "no response in time"
    for address in addresses:
        seconds = min(CONNECT_SECONDS, deadline.seconds_left())
        if seconds <= 0:
            break
        try:
            sock = socket.create_connection((address, port), timeout=seconds)
        except OSError as error:
            failure = _reason(error)
            continue
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        deadline.watch(sock)
        return sock
    raise NotReachedError(failure)
