"""A service that has just been installed: nothing is compiled yet."""

from __future__ import annotations

import pytest
from tests.web.service import Service, until

pytestmark = pytest.mark.full


@pytest.fixture
def fresh(tmp_path):
    """Answering, with its kernels in an empty folder of its own."""
    made = Service(tmp_path / "own", NUMBA_CACHE_DIR=str(tmp_path / "kernels"))
    made.begin()
    yield made
    made.stop()


def test_it_is_not_ready_while_kernels_are_compiled(fresh, tmp_path):
    """That those are all that are needed, the tests of the sandbox see (test_web_warm.py)."""
    seen = []

    def compiling() -> bool:
        seen.append(fresh.ask("/readyz"))
        assert not list(tmp_path.rglob("kernels/**/used-*.pickle")), "all compiled: nothing was seen"
        return len(list(tmp_path.rglob("kernels/**/*.nbc"))) > 5

    until(compiling)

    assert {status for status, _ in seen} == {503}, seen
    assert "kernels" in seen[-1][1]
