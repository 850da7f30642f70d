"""Requests to addresses that people of a course have named: they must not reach into the operator's network.

The name is looked up once, every address that it stands for has to be public, and the connection goes to the
address that was looked at: a name that means something else a moment later gains nothing. Redirects are not
followed, proxies of the environment are not used, and nothing of the answer but its status is kept.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

LONGEST = 500
SECONDS = 8.0  # for one request, from the first packet to the status
_NAT64 = ip_network("64:ff9b::/96")  # addresses of IPv4 in disguise
Address = IPv4Address | IPv6Address


class UnsafeAddressError(ValueError):
    """Nothing is sent there; the text says why."""


class NotReachedError(Exception):
    """Nobody answered, or not in time; the text says what happened, and nothing that was answered."""


def checked_url(url: str, *, private: bool) -> SplitResult:
    """The parts of an address that may be sent to; `private`: the operator allows its network and HTTP."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UnsafeAddressError("it is no address of the web") from None
    if len(url) > LONGEST or not url.isascii() or not url.isprintable() or " " in url:
        raise UnsafeAddressError("it has to be plain ASCII without blanks, 500 characters at most")
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        raise UnsafeAddressError("it has to begin with https://")
    if not parts.hostname or parts.username is not None or parts.password is not None:
        raise UnsafeAddressError("it has to name a host, and no user or password")
    if not private and port not in (None, 443) and (port is None or port < 1024):
        raise UnsafeAddressError("its port has to be 443 or above 1023")
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
    if not private and not _is_public(address):
        raise UnsafeAddressError("it leads to a network that is not public")


def _is_public(address: Address) -> bool:
    inner = _inside(address)
    if inner is not None:
        return _is_public(inner)
    if isinstance(address, IPv6Address) and address.teredo is not None:
        return False
    return address.is_global and not address.is_multicast


def _inside(address: Address) -> IPv4Address | None:
    """The IPv4 address that one of IPv6 stands for."""
    if not isinstance(address, IPv6Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def post(url: str, body: bytes, headers: Mapping[str, str], *, private: bool = False) -> int:
    """Send it; the status of the answer. UnsafeAddressError or NotReachedError where it cannot be sent."""
    parts = checked_url(url, private=private)
    usual = 443 if parts.scheme == "https" else 80
    host, port = str(parts.hostname), parts.port or usual
    address = _looked_up(host, port, private)
    try:
        with _connected(address, port, host if parts.scheme == "https" else None) as sock:
            connection = http.client.HTTPConnection(host, port)
            connection.default_port = usual  # or the header Host names the port of TLS
            connection.sock = sock
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", target, body, {**headers, "Connection": "close"})
            return connection.getresponse().status
    except ssl.SSLError as error:
        raise NotReachedError(f"TLS failed: {error.reason or 'no certificate that is valid'}") from None
    except (OSError, http.client.HTTPException) as error:
        raise NotReachedError(_reason(error)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    return type(error).__name__


def _looked_up(host: str, port: int, private: bool) -> str:
    """The first address that the name stands for; every one of them has to be public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotReachedError("the name of the host is not known") from None
    addresses = [str(entry[4][0]) for entry in found]
    for one in addresses:
        refuse_private(ip_address(one.partition("%")[0]), private=private)
    return addresses[0]


@contextmanager
def _connected(address: str, port: int, tls_name: str | None) -> Iterator[socket.socket]:
    """A connection that is cut off when its time is up, however slowly the other side drips."""
    sock = socket.create_connection((address, port), timeout=SECONDS)
    held = [sock]
    timer = threading.Timer(SECONDS, lambda: _cut(held[0]))
    timer.daemon = True
    timer.start()
    try:
        if tls_name is not None:
            context = ssl.create_default_context()
            wrapped = context.wrap_socket(sock, server_hostname=tls_name, do_handshake_on_connect=False)
            held[0] = wrapped
            wrapped.do_handshake()
        yield held[0]
    finally:
        timer.cancel()
        held[0].close()


def _cut(sock: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)  # not TLS's own, which would wait for the other side
