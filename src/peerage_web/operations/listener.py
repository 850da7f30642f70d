"""The address of the service. The supervisor opens it, so that no visitor is turned away by a restart."""

from __future__ import annotations

import errno
import socket
import time

from peerage.errors import PeerageError

BACKLOG = 1024
PATIENCE = 3.0  # seconds that a service which is just ending has to let go of the port


class AddressError(PeerageError):
    """The service cannot listen where it was told to."""


def listen(host: str, port: int) -> socket.socket:
    """An open socket; port 0 takes any that is free."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return _open(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise AddressError(_reason(host, port, error)) from None
            time.sleep(0.1)


def address(listener: socket.socket, host: str) -> str:
    """What to type into a browser."""
    port = listener.getsockname()[1]
    shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"


def _open(host: str, port: int) -> socket.socket:
    family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def _reason(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use by another program; choose another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} is for root alone; use one above 1023, and a proxy in front"
    return f"cannot listen on --host {host} --port {port}: {(error.strerror or str(error)).lower()}"
