"""Sandbox slots: the children that one web worker has at once for visitors who wait, shared fairly.

No visitor has them all, and who has had least comes next.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.errors import KilledError
from peerage_web.shared.database import release_connections
from peerage_web.shared.errors import Busy, Full
from peerage_web.shared.services.rate_limits import refuse_too_many_looks

HALF = 60.0  # seconds after which half of what a visitor has used is forgotten
FORGOTTEN = 0.05  # seconds of use that are not worth remembering
MUCH = 10.0  # seconds of use, of late, after which the last slot is for others


class NoSlotError(Exception):
    """No slot got free in time, or there is no place to wait for one.

    mine : whether it is this visitor who has taken what there is for them, and not everybody together
    """

    def __init__(self, *, mine: bool) -> None:
        super().__init__()
        self.mine = mine


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    visitor: str
    large: bool
    number: int


class FairSlots:
    """Slots, and those who wait for one; threads of one process share one of these.

    Of several slots one visitor never holds the last, and neither does large work, nor who has used much of
    late: however many greedy visitors come together, whoever comes new and with something small waits for
    nobody but others like them. Next is who holds fewest, small work before large, then who has used least
    of late, then who came first.
    """

    def __init__(
        self, slots: int, *, waiting: int, each: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._slots, self._waiting, self._each, self._clock = slots, waiting, each, clock
        self._most = max(1, slots - 1)  # that one visitor holds, or large work
        self._changed = threading.Condition()
        self._turns: list[_Turn] = []
        self._held: Counter[str] = Counter()
        self._large = self._number = 0
        self._used: dict[str, tuple[float, float]] = {}

    @contextmanager
    def slot(self, visitor: str, *, large: bool, seconds: float) -> Iterator[float]:
        """One slot; says how many seconds this visitor has used of late."""
        with self._changed:
            turn = self._join(visitor, large)
            try:
                if not self._changed.wait_for(lambda: self._next() is turn, seconds):
                    raise NoSlotError(mine=self._held[visitor] >= self._most)
                self._held[visitor] += 1
                self._large += large
            finally:
                self._turns.remove(turn)
                self._changed.notify_all()
            used = self._recent(visitor)
        started = self._clock()
        try:
            yield used
        finally:
            with self._changed:
                self._leave(turn, self._clock() - started)

    def _join(self, visitor: str, large: bool) -> _Turn:
        mine = sum(turn.visitor == visitor for turn in self._turns)
        if mine >= self._each or len(self._turns) >= self._waiting:
            raise NoSlotError(mine=mine >= self._each)
        self._number += 1
        turn = _Turn(visitor, large, self._number)
        self._turns.append(turn)
        return turn

    def _leave(self, turn: _Turn, seconds: float) -> None:
        self._held[turn.visitor] -= 1
        self._held += Counter()  # those who hold none are forgotten
        self._large -= turn.large
        now = self._clock()
        self._used[turn.visitor] = (self._recent(turn.visitor) + seconds, now)
        self._used = {who: use for who, use in self._used.items() if self._recent(who) > FORGOTTEN}
        self._changed.notify_all()

    def _next(self) -> _Turn | None:
        free = [turn for turn in self._turns if self._may(turn)]
        return min(free, key=self._order, default=None)

    def _may(self, turn: _Turn) -> bool:
        free = self._slots - self._held.total()
        if free <= 0 or self._held[turn.visitor] >= self._most or (turn.large and self._large >= self._most):
            return False
        return free > 1 or self._slots == 1 or self._recent(turn.visitor) <= MUCH

    def _order(self, turn: _Turn) -> tuple[int, bool, float, int]:
        return self._held[turn.visitor], turn.large, self._recent(turn.visitor), turn.number

    def _recent(self, visitor: str) -> float:
        seconds, when = self._used.get(visitor, (0.0, 0.0))
        return float(seconds * 0.5 ** ((self._clock() - when) / HALF))


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
            text = _("Some of your other requests are still waiting. Try again when they are done.")
            raise Busy(text) from None
        raise Full(_("Many files are being processed right now. Try again in a moment.")) from None


@cache
def _slots(number: int) -> FairSlots:
    return FairSlots(number, waiting=WAITING, each=EACH)


def ask_sandbox(
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
    release_connections()
    run = partial(parent.run, work, *args, seconds=seconds or limits.direct_seconds, memory=limits.memory)
    with sandbox_slot(visitor, cost) as quick:
        try:
            return run(quick=quick)
        except KilledError:
            return run(quick=quick)
