"""Whether the workers of a cluster can do the work: the same versions as here, and room for the parts."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, Any

from peerage.errors import ClusterError

if TYPE_CHECKING:
    from peerage.cluster.asking import Asking

SHARE = 0.6  # of a worker's memory limit: beyond, Dask begins to write parts to the disk
GIB = 2**30


def fingerprint() -> dict[str, str]:
    """What the last bits of a sum depend on."""
    import numba
    import numpy as np

    from peerage._numba import machine
    from peerage._version import __version__

    python = ".".join(map(str, sys.version_info[:3]))
    return {
        "Peerage": __version__,
        "Python": python,
        "NumPy": np.__version__,
        "Numba": numba.__version__,
        "kind of processor": machine(),
    }


def room() -> tuple[str, int]:
    """The machine, and how much memory is free on it."""
    import psutil

    return socket.gethostname(), int(psutil.virtual_memory().available)


def differences(worker: str, found: Any, here: dict[str, str]) -> list[str]:
    """What a worker has otherwise than this process."""
    if not isinstance(found, dict):
        return [f"worker {worker} cannot load Peerage ({type(found).__name__}: {found})"]
    return [
        f"worker {worker} has another {name}"
        if name == "kind of processor"
        else f"worker {worker} has {name} {found.get(name)}, this process {value}"
        for name, value in here.items()
        if found.get(name) != value
    ]


def check_versions(asking: Asking) -> None:
    """Refuse workers whose sums would have other last bits."""
    here = fingerprint()
    answers = asking.all_workers(fingerprint)
    wrong = [text for worker, found in sorted(answers.items()) for text in differences(worker, found, here)]
    if wrong:
        more = f" (and {len(wrong) - 3} more differences)" if len(wrong) > 3 else ""
        msg = (
            "the workers of the cluster are not like this process, and the same data would not give the same"
            f" bytes: {'; '.join(wrong[:3])}{more}. Install the same versions everywhere, on one kind of"
            " processor"
        )
        raise ClusterError(msg)


def check_memory(asking: Asking, needed: int) -> None:
    """Refuse work for which the workers have too little memory, before any of it is read."""
    limits, answers = asking.memory_limits(), asking.all_workers(room)
    free: dict[str, int] = {}
    allowed: dict[str, float] = {}
    for worker, found in answers.items():
        if not isinstance(found, tuple):
            continue
        host, available = found
        free[host] = available
        limit = limits.get(worker, 0)
        allowed[host] = allowed.get(host, 0.0) + (SHARE * limit if limit else available)
    usable = sum(min(free[host], allowed[host]) for host in free)
    if usable < needed:
        msg = (
            f"the fit needs about {needed / GIB:.1f} GiB of memory on the workers, and they have"
            f" {usable / GIB:.1f} GiB to use ({len(answers)} of them): add workers, or machines with more"
            " memory"
        )
        raise ClusterError(msg)
