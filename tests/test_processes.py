"""A pool of processes and Ctrl-C: held back while processes start, never lost, not heard by the children."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from peerage._processes import QuietPool

PATIENCE = 120.0  # seconds until a test gives up; nothing waits that long
HELD_BACK = """
import os, signal
from peerage._processes import _interrupts_noted
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with _interrupts_noted():
        os.kill(os.getpid(), signal.SIGINT)
        print("went on")
    print("never")
except KeyboardInterrupt:
    print("stopped")
"""

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")


def blocked_signals():
    return sorted(int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ()))


def blocked_here(_task):
    return blocked_signals()


def tenfold(number):
    return 10 * number


def own_number(_task):
    return os.getpid()


def sleep_long(_task):
    time.sleep(10 * PATIENCE)


def test_an_interrupt_while_processes_start_comes_afterwards():
    said = subprocess.run([sys.executable, "-c", HELD_BACK], capture_output=True, text=True, timeout=PATIENCE)

    assert said.stdout.split() == ["went", "on", "stopped"], said.stderr


def test_results_come_in_order_and_children_do_not_hear_of_interrupts():
    before = blocked_signals()

    with QuietPool(2) as pool:
        there = dict(pool.as_they_come(blocked_here, range(6)))
        answers = [list(pool.in_order(tenfold, range(20), chunk)) for chunk in (1, 3, 50)]

    assert sorted(there) == list(range(6))
    assert all(signal.SIGINT in blocked for blocked in there.values())
    assert blocked_signals() == before
    assert answers == [[10 * number for number in range(20)]] * 3


def test_an_error_of_the_work_is_raised_here():
    with pytest.raises(TypeError), QuietPool(2) as pool:
        list(pool.as_they_come(tenfold, [1, None]))


@pytest.fixture
def heard():
    """Who starts tests in the background of a shell is deaf to interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def started_and_given_up():
    """The process of a pool that was left with an error while there was work for hours."""
    with suppress(RuntimeError), QuietPool(2) as pool:
        pid = next(pool.as_they_come(own_number, [0]))[1]
        hours = pool.as_they_come(sleep_long, range(4))
        with suppress(KeyboardInterrupt):
            threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,)).start()
            next(hours)
        raise RuntimeError("enough")
    return pid


def test_left_with_an_error_it_does_not_wait_for_the_work(heard):
    deadline = time.monotonic() + PATIENCE
    pid = started_and_given_up()

    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


def test_processes_of_others_are_not_stopped():
    other = multiprocessing.get_context("spawn").Process(target=sleep_long, args=(0,))
    try:
        with suppress(RuntimeError), QuietPool(2) as pool:
            other.start()
            next(pool.as_they_come(own_number, [0]))
            raise RuntimeError("enough")

        other.join(0.2)
        assert other.is_alive()
    finally:
        other.kill()
        other.join()
