"""What has to be there before the processes start: folders, tables, static files, an open port."""

import errno
import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from peerage.errors import PeerageError

DATABASE = "database"  # the file that says which kind it is, for commands that do not know


def prepare() -> None:
    """Make everything; a second start at the same time waits for the first."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections

    keep_compiled_code(settings.DATA)
    for folder in (
        settings.JOBS,
        settings.INCOMING,
        settings.ROSTERS,
        settings.SUBMISSIONS,
        settings.HEARTBEATS,
    ):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _alone(settings.DATA / "start.lock"):
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        (settings.DATA / DATABASE).write_text(connections["default"].vendor + "\n", encoding="ascii")
    connections.close_all()


def keep_compiled_code(data: Path) -> None:
    """Compiled code is kept with the data where it is not beside the code, and cannot be written there."""
    from peerage._numba import HERE, compiled_marker

    if not os.access(HERE, os.W_OK) and not compiled_marker().is_file():
        os.environ.setdefault("NUMBA_CACHE_DIR", str(data / "compiled"))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    lock = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


BACKLOG = 1024
PORT_SECONDS = 3.0  # seconds that a service which is just ending has to let go of the port


class AddressError(PeerageError):
    """The service cannot listen where it was told to."""


def listen(host: str, port: int) -> socket.socket:
    """An open socket (port 0: any that is free). The supervisor holds it, so a restart turns nobody away."""
    deadline = time.monotonic() + PORT_SECONDS
    while True:
        try:
            return _open(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise AddressError(_reason(host, port, error)) from None
            time.sleep(0.1)


def address(listener: socket.socket, host: str) -> str:
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
