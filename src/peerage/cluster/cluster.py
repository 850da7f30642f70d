"""A cluster by its address: workers on this machine, somebody's scheduler, or a client that is there."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from peerage.cluster.client import PatientClient
from peerage.cluster.worker_parts import WorkerParts
from peerage.errors import ClusterError, MethodError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client

SHARE = 0.6  # of a worker's memory limit: beyond, Dask begins to write parts to the disk
GIB = 2**30
LOCAL = re.compile(r"local:([1-9]\d*)")
ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss|inproc)://\S+")
CONNECT = 20  # seconds to wait for a scheduler
KNOWN = "'local:2' (processes on this machine), the address of a Dask scheduler such as 'tcp://head:8786', or a dask.distributed.Client"  # noqa: E501

# of clusters that are started here; those of others are set up by others
SETTINGS = {
    "distributed.scheduler.work-stealing": False,  # parts stay where they are
    "distributed.scheduler.allowed-failures": 10,
    "distributed.worker.memory.target": False,  # a part that comes back from the disk is stale
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.multiprocessing-method": "spawn",
    "distributed.comm.timeouts.connect": "300s",  # on a busy machine a process takes long to start
    "distributed.deploy.lost-worker-timeout": "1 day",  # after which a worker that is away gets no successor
}


class Cluster:
    """Workers, and how they are asked; see :func:`open_cluster`."""

    def __init__(self, client: Client) -> None:
        self.client = PatientClient(client)
        check_versions(self.client)

    def parts(self, read: Callable[..., Any], recipes: Sequence[tuple[Any, ...]], needed: int) -> WorkerParts:
        """What `read(*recipe)` gives, part by part, kept by the workers; `needed` is in bytes."""
        check_memory(self.client, needed)
        return WorkerParts.read(self.client, read, recipes)

    def map(self, work: Callable[..., Any], items: Sequence[Any], *shared: Any) -> Iterator[Any]:
        """`work(item, *shared)` of every item, results in order; several at once."""
        return self.client.each(work, items, shared)


@contextmanager
def open_cluster(wanted: Any) -> Iterator[Cluster]:
    """The cluster that an address or a client stands for; closed afterwards if it was opened here."""
    distributed = _distributed()
    if isinstance(wanted, Cluster):
        yield wanted
        return
    if isinstance(wanted, distributed.Client):
        yield Cluster(wanted)
        return
    local = LOCAL.fullmatch(wanted) if isinstance(wanted, str) else None
    if local is not None:
        with _local(distributed, int(local[1])) as client:
            yield Cluster(client)
        return
    if not isinstance(wanted, str) or not ADDRESS.fullmatch(wanted):
        msg = f"cluster must be {KNOWN}, not {wanted!r}"
        raise MethodError(msg)
    with _connected(distributed, wanted) as client:
        yield Cluster(client)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        msg = "a cluster needs Dask, which is not installed here: pip install 'peerage[cluster]'"
        raise MissingExtraError(msg) from error
    return distributed


@contextmanager
def _local(distributed: Any, n_workers: int) -> Iterator[Client]:
    """Processes of one thread each, that nobody outside this machine can talk to."""
    import dask

    most = 4 * (os.cpu_count() or 1)
    if n_workers > most:
        msg = (
            f"'local:{n_workers}' would start {n_workers} processes on a machine with {os.cpu_count()} cores"
        )
        raise MethodError(f"{msg}: at most {most} make sense")
    with (
        dask.config.set(SETTINGS),
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # there must be one
            memory_limit=0,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def _connected(distributed: Any, address: str) -> Iterator[Client]:
    _check_certificates(distributed, address)
    try:
        client = distributed.Client(address, timeout=CONNECT)
    except (OSError, TimeoutError, ValueError) as error:
        msg = (
            f"there is no answer from a Dask scheduler at {address} within {CONNECT} seconds: is it running,"
            " and can this machine reach it?"
        )
        raise ClusterError(msg) from error
    try:
        yield client
    finally:
        client.close(timeout=5)


def _check_certificates(distributed: Any, address: str) -> None:
    """Of an address that speaks TLS; Dask would say that a context is None."""
    if address.startswith(("tls://", "wss://")):
        known = distributed.Security().get_connection_args("client")
        if known.get("ssl_context") is None:
            msg = (
                f"{address} takes nobody without a certificate, and Dask's settings name none: set"
                " distributed.comm.tls.ca-file, .client.cert and .client.key, or give a Client that has them"
            )
            raise ClusterError(msg)


# -- whether the workers can do the work: the same versions as here, and room for the parts -----------------


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


def check_versions(client: PatientClient) -> None:
    """Refuse workers whose sums would have other last bits."""
    here = fingerprint()
    answers = client.all_workers(fingerprint)
    wrong = [text for worker, found in sorted(answers.items()) for text in differences(worker, found, here)]
    if wrong:
        more = f" (and {len(wrong) - 3} more differences)" if len(wrong) > 3 else ""
        msg = (
            "the workers of the cluster are not like this process, and the same data would not give the same"
            f" bytes: {'; '.join(wrong[:3])}{more}. Install the same versions everywhere, on one kind of"
            " processor"
        )
        raise ClusterError(msg)


def check_memory(client: PatientClient, needed: int) -> None:
    """Refuse work for which the workers have too little memory, before any of it is read."""
    limits, answers = client.memory_limits(), client.all_workers(room)
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
