"""Slots are shared by visitor: who has had least comes next, and nobody has them all."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from peerage_web.shared.services.sandbox_slots import HALF, MUCH, FairSlots, NoSlotError

BOUND = 120.0  # seconds after which a test gives up


class Clock:
    """Goes on when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def slots(number: int = 2, *, waiting: int = 16, each: int = 4) -> FairSlots:
    return FairSlots(number, waiting=waiting, each=each, clock=Clock())


def take(shared: FairSlots, visitor: str, *, large: bool = False, seconds: float = 0.0):
    return shared.slot(visitor, large=large, seconds=seconds)


def refusal(shared: FairSlots, visitor: str, *, large: bool = False) -> NoSlotError | None:
    """Why somebody who does not wait gets no slot; None where there is one."""
    try:
        with take(shared, visitor, large=large):
            return None
    except NoSlotError as error:
        return error


def test_visitor_never_has_the_last_slot():
    shared = slots(2)

    with take(shared, "greedy"):
        assert refusal(shared, "greedy").mine
        assert refusal(shared, "other") is None


def test_large_work_never_has_the_last_slot():
    shared = slots(3)

    with take(shared, "a", large=True), take(shared, "b", large=True):
        assert not refusal(shared, "c", large=True).mine
        assert refusal(shared, "c") is None


def test_greedy_visitors_together_never_have_the_last_slot():
    shared = slots(2)
    for visitor in ("greedy", "another"):
        with take(shared, visitor):
            shared._clock.now += MUCH + 5

    with take(shared, "greedy"):
        assert refusal(shared, "another") is not None
        assert refusal(shared, "new") is None
        shared._clock.now += HALF  # it is half forgotten
        assert refusal(shared, "another") is None


def test_one_slot_is_for_everybody():
    shared = slots(1)

    with take(shared, "a", large=True):
        assert refusal(shared, "b") is not None
    with take(shared, "b"):
        shared._clock.now += 2 * MUCH
    assert refusal(shared, "b") is None


def in_line(shared: FairSlots, threads: ThreadPoolExecutor, visitor: str, order: list, large: bool = False):
    """Somebody who waits; returns when they stand in the line."""
    before = len(shared._turns)

    def wait() -> None:
        with take(shared, visitor, large=large, seconds=BOUND):
            order.append(visitor)

    threads.submit(wait)
    while len(shared._turns) == before:
        threading.Event().wait(0.001)


def served(shared: FairSlots, waiting: list[tuple[str, bool]]) -> list[str]:
    """The order in which those are served who come while all slots are taken."""
    order: list[str] = []
    with ThreadPoolExecutor(len(waiting)) as threads, ExitStack() as taken:
        taken.enter_context(take(shared, "first"))
        for visitor, large in waiting:
            in_line(shared, threads, visitor, order, large)
    return order


def test_who_has_used_least_comes_next():
    shared = slots(1)
    with take(shared, "greedy"):
        shared._clock.now += 20

    assert served(shared, [("greedy", False), ("greedy", False), ("modest", False)])[0] == "modest"


def test_small_work_comes_before_large_and_who_came_first_among_equals():
    assert served(slots(1), [("a", True), ("b", False)]) == ["b", "a"]
    assert served(slots(1), [("a", False), ("b", False), ("c", False)]) == ["a", "b", "c"]


def test_places_to_wait_are_shared_too():
    shared, order = slots(1, waiting=3, each=2), []

    with ThreadPoolExecutor(3) as threads, ExitStack() as taken:
        taken.enter_context(take(shared, "first"))
        in_line(shared, threads, "greedy", order)
        in_line(shared, threads, "greedy", order)
        assert refusal(shared, "greedy").mine
        in_line(shared, threads, "other", order)
        assert not refusal(shared, "third").mine


def test_use_is_told_and_forgotten():
    shared = slots(2)
    with take(shared, "a"):
        shared._clock.now += 8

    with take(shared, "a") as used:
        assert used == 8
    shared._clock.now += HALF
    with take(shared, "a") as used:
        assert used == pytest.approx(4)
    shared._clock.now += 20 * HALF
    assert refusal(shared, "b") is None
    assert (dict(shared._used), dict(shared._held)) == ({}, {})


def test_many_threads_never_hold_more_than_there_is():
    shared, inside, most = slots(3, waiting=99, each=99), [], []

    def work(number: int) -> None:
        with take(shared, f"visitor {number % 5}", large=number % 2 == 0, seconds=BOUND):
            inside.append(number)
            most.append(len(inside))
            inside.remove(number)

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(work, range(200)))

    assert len(most) == 200
    assert max(most) <= 3
