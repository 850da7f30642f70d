"""A real service that tests may stop and kill."""

from collections.abc import Iterator

import pytest
from tests.web.service import Service


@pytest.fixture(scope="session")
def _killable(tmp_path_factory) -> Iterator[Service]:
    made = Service(tmp_path_factory.mktemp("killable") / "own", PEERAGE_CLIENT_SECONDS="2")
    made.process = None
    yield made
    if made.process is not None:
        made.stop()


@pytest.fixture
def own(_killable) -> Service:
    """It runs, and soon loses patience with slow clients; started anew only where a test has ended it."""
    if _killable.process is None or _killable.process.poll() is not None:
        _killable.start()
    return _killable
