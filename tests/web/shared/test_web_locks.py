"""A lock for the whole service."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections

from peerage_web.shared.database import exclusively

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]
BOUND = 120  # seconds after which a test gives up


def apart(function):
    """Run with a connection of its own."""
    try:
        return function()
    finally:
        connections.close_all()


def test_nobody_else_is_inside_at_the_same_time():
    inside, most = [], []

    def enter():
        with exclusively("start"):
            inside.append(1)
            most.append(len(inside))
            threading.Event().wait(0.01)  # time for another to come in, if it could
            inside.pop()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: apart(enter), range(24)))

    assert most == [1] * 24


def test_who_comes_second_waits_until_the_first_transaction_has_ended():
    order, waiting = [], threading.Event()

    def second():
        waiting.set()
        with exclusively("start"):
            order.append("second")

    with ThreadPoolExecutor(1) as threads:
        with exclusively("start"):
            answer = threads.submit(apart, second)
            assert waiting.wait(BOUND)
            order.append("first")
        answer.result(BOUND)

    assert order == ["first", "second"]


def test_lock_of_another_name_does_not_wait():
    if connection.vendor == "sqlite":  # it has one writer in all, so every lock is the same one
        assert connection.transaction_mode == "IMMEDIATE"
        return

    def other():
        with exclusively("something else"):
            return "inside"

    with ThreadPoolExecutor(1) as threads, exclusively("start"):
        assert threads.submit(apart, other).result(BOUND) == "inside"
