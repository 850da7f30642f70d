"""A cluster by its address: workers on this machine, somebody's scheduler, or a client that is there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from peerage.cluster.asking import Asking
from peerage.cluster.fitness import check_memory, check_versions
from peerage.cluster.worker_parts import WorkerParts
from peerage.errors import ClusterError, MethodError

if TYPE_CHECKING:
    from distributed import Client

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
        self.asking = Asking(client)
        check_versions(self.asking)

    def parts(self, read: Callable[..., Any], recipes: Sequence[tuple[Any, ...]], needed: int) -> WorkerParts:
        """What `read(*recipe)` gives, part by part, kept by the workers; `needed` is in bytes."""
        check_memory(self.asking, needed)
        return WorkerParts.read(self.asking, read, recipes)

    def map(self, work: Callable[..., Any], items: Sequence[Any], *shared: Any) -> Iterator[Any]:
        """`work(item, *shared)` of every item, results in order; several at once."""
        return self.asking.each(work, items, shared)


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
        raise MethodError(msg) from error
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
