"""Real clusters of Dask, as few as will do: starting one takes seconds."""

import pytest

from peerage.cluster.cluster import open_cluster
from peerage.models import thresholds


@pytest.fixture(scope="package")
def two_workers():
    """Two processes on this machine."""
    with open_cluster("local:2") as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def _cut_small(monkeypatch):
    """Whatever has more than fifty reviews is in eight parts."""
    monkeypatch.setattr(thresholds, "ONE_PART", 50)
