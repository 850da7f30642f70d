"""Nothing typed is lost, whatever breaks in the middle of ranking.

A few moments each, from a fixed seed; `python -m benchmarks.class_nothing_lost` takes twenty.
"""

import pytest
from tests.web.browser.interruptions import KINDS, Interruption

pytestmark = [pytest.mark.browser, pytest.mark.full]

MOMENTS = 2


@pytest.fixture(scope="module")
def rooms(service) -> list[dict]:
    return service.put_rankings(str(MOMENTS * len(KINDS)))


@pytest.mark.parametrize("moment", range(MOMENTS))
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_typed_is_lost(kind, moment, browser, service, rooms):
    room = rooms[KINDS.index(kind) * MOMENTS + moment]

    assert Interruption(kind, moment, browser, service, room).run() == []
