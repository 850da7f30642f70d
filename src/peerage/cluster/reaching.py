"""Whether this machine can talk to a worker itself, or only the scheduler can."""

from __future__ import annotations

import re
import socket

PLAIN = re.compile(r"(?:tcp|tls)://\[?([^\]]+?)\]?:(\d+)")
WAIT = 1.0  # seconds for a connection; on the way by the scheduler more is lost only now and then


def is_reachable(address: str) -> bool:
    """A worker behind a firewall or in another network is not, and Dask would find that out by waiting."""
    found = PLAIN.fullmatch(address)
    if found is None:  # ucx, ws, inproc
        return False
    try:
        socket.create_connection((found[1], int(found[2])), timeout=WAIT).close()
    except OSError:
        return False
    return True
