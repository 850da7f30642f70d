"""The processes of the sandbox find the odd work of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from peerage_web.sandbox import processes

_finds = None  # the server that does; to start one takes seconds, so modules share it


@pytest.fixture(scope="module")
def findable() -> Iterator[None]:
    """A server that other tests have started is replaced by one that finds it."""
    global _finds
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        if _finds is None or processes.own_server().server is not _finds:
            processes.stop_server()
        yield
        _finds = processes.own_server().server
