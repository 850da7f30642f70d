"""Sandbox slots: the children that one web worker has at once for visitors who wait, shared fairly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.errors import KilledError
from peerage_web.shared.connections import give_back
from peerage_web.shared.errors import Busy, Full
from peerage_web.shared.fair_slots import FairSlots, NoSlotError
from peerage_web.shared.services.rate_limits import refuse_too_many_looks

WAIT = 8.0  # seconds
WAITING, EACH = 16, 4  # who may wait in one web worker, which has 32 threads: all visitors, one visitor
LARGE = 3.0  # seconds of work from which it never takes the last slot
QUICK = 10.0  # seconds of work, of late, after which a visitor's children step back behind all others
NOBODY = "the service"  # what no visitor has asked for


@contextmanager
def sandbox_slot(visitor: str = NOBODY, cost: float = 0.0) -> Iterator[float]:
    """Wait for one of the few slots; the seconds for which the work may go before that of others.

    Busy where this visitor waits for too many already, Full where none gets free in time.
    """
    slots = _slots(settings.LIMITS.sandbox_slots)
    try:
        with slots.slot(visitor, large=cost >= LARGE, seconds=WAIT) as used:
            yield max(0.0, QUICK - used)
    except NoSlotError as error:
        if error.mine:
            text = _("Others of your questions wait for an answer. Try again when they have it.")
            raise Busy(text) from None
        raise Full(_("Many files are being looked at right now. Try again in a moment.")) from None


@cache
def _slots(number: int) -> FairSlots:
    return FairSlots(number, waiting=WAITING, each=EACH)


def ask(
    work: Callable[..., Any],
    *args: Any,
    visitor: str = NOBODY,
    cost: float = 0.0,
    seconds: float | None = None,
) -> Any:
    """What `work` answers in the sandbox, within the limits; raises Busy where too many ask at once.

    `cost` is about how many seconds it will take, as far as that can be told before it begins. A child that
    was killed from outside is tried once more.
    """
    limits = settings.LIMITS
    if visitor != NOBODY:
        refuse_too_many_looks(visitor=visitor)
    give_back()
    run = partial(parent.run, work, *args, seconds=seconds or limits.direct_seconds, memory=limits.memory)
    with sandbox_slot(visitor, cost) as quick:
        try:
            return run(quick=quick)
        except KilledError:
            return run(quick=quick)
