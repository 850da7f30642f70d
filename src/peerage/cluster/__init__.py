"""Work on several machines, by Dask. Nothing else in Peerage imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.cluster.opening import Cluster as Cluster
    from peerage.cluster.opening import open_cluster as open_cluster
    from peerage.cluster.worker_parts import WorkerParts as WorkerParts

__getattr__, __dir__ = lazy(
    __name__, {"Cluster": "opening", "WorkerParts": "worker_parts", "open_cluster": "opening"}
)
