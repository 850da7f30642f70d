"""Real clusters of Dask, as few as will do: starting one takes seconds."""

from __future__ import annotations

import pytest
from tests.cluster.classes import cut_small

from peerage.cluster.cluster import open_cluster


@pytest.fixture(scope="package")
def two_workers():
    """Two processes on this machine."""
    with open_cluster("local:2") as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def _cut_small(monkeypatch):
    cut_small(monkeypatch)
