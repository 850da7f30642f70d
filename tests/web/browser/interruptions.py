"""Something breaks in the middle of ranking, at a random moment; afterwards everything typed has to be there.

Used by the tests (a few moments each) and by `python -m benchmarks.class_nothing_lost` (twenty).
"""

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from playwright.sync_api import Browser
from tests.web.browser.desk import Desk, Kept, kept, sign_in
from tests.web.service import Service, until

WORDS = ("clear", "question", "figure", "claim", "data", "title", "small", "sample", "honest", "limits")
STEPS = 8  # moves and sentences of one ranking
KINDS = ("worker", "database", "network", "session", "second tab")


class Interruption:
    """One ranking that is interrupted. What it did is kept in `written`, to be looked for at the end."""

    def __init__(self, kind: str, seed: int, browser: Browser, service: Service, room: dict[str, Any]):
        self.kind, self.service, self.room = kind, service, room
        self.random = random.Random(f"{kind} {seed}")
        self.window = sign_in(browser.new_context(), service.address, room["sessions"]["student"])
        self.desk = Desk(self.window, service.address, room)
        self.moment = self.random.randrange(1, STEPS - 2)
        self.wait = self.random.choice((0, 0.2, 0.5, 0.79, 0.81, 0.9, 1.1))  # a save begins after 0.8 s
        self.leaves = self.random.random() < 0.5  # whether the tab is closed while it is broken
        self.written: list[str] = []

    def run(self) -> list[str]:
        """What is lost; empty is good."""
        try:
            self.desk.open()
            self._steps(0, self.moment)
            time.sleep(self.wait)
            if self.kind == "second tab":
                return self._second_tab()
            with _BREAK[self.kind](self):
                self._steps(self.moment, STEPS)
                expected = self.desk.order(), self.desk.comments()
                if self.leaves:
                    self.desk.page.close()
            if self.leaves:
                self.desk = Desk(self.window, self.service.address, self.room)
                until(self._opens)
            if self._is_unsaved(expected):
                self.desk.wait_saved()
            return self._lost(expected)
        finally:
            self.window.close()

    def _opens(self) -> bool:
        """The service may still be on its way back."""
        with suppress(Exception):
            answer = self.desk.page.goto(self.service.address + self.room["reviews"])
            if answer is not None and answer.ok:
                self.desk.page.locator(".list").wait_for()
                return True
        time.sleep(0.2)
        return False

    def _is_unsaved(self, expected: Kept) -> bool:
        """Asked of the service; while it is away, nothing is known, and the page waits for it."""
        try:
            return self._kept() != expected
        except Exception:
            return True

    def _kept(self) -> Kept:
        return kept(self.window, self.service.address, self.room)

    def _lost(self, expected: Kept) -> list[str]:
        order, comments = self._kept()
        lost = [] if order == expected[0] else [f"the order is {order}, not {expected[0]}"]
        there = "\n".join(comments.values())
        return lost + [f"not there: {text}" for text in self.written if text not in there]

    # -- somebody ranks --------------------------------------------------------------------------------

    def _steps(self, first: int, last: int, desk: Desk | None = None) -> None:
        for number in range(first, last):
            self._step(number, desk or self.desk)

    def _step(self, number: int, desk: Desk) -> None:
        """Odd ones write, even ones move."""
        if number % 2:
            text = f"{' '.join(self.random.sample(WORDS, 4))} {self.random.randrange(10**9)}. "
            submission = self.random.choice("ABCD")
            desk.write(text, self.random.randrange(2), submission)
            self.written.append(text.strip())
            return None
        places = {submission for one in desk.order() for submission in one}
        submission = self.random.choice("ABCD")
        if submission not in places:
            return desk.rank(submission)
        name = self.random.choice(("move up", "move down", "move to…"))
        button = desk.page.get_by_label(f"Submission {submission}: {name}", exact=True)
        if button.get_attribute("aria-disabled"):
            name = "move to…"  # at the end there is no further
        desk.press(f"Submission {submission}: {name}")
        if name == "move to…":
            options = desk.page.locator(".chooser li button")
            options.nth(self.random.randrange(options.count())).click()
        return None

    # -- a second tab ----------------------------------------------------------------------------------

    def _second_tab(self) -> list[str]:
        """It works on the same ranking at the same time; where orders differ, the first tab's is chosen."""
        other = Desk(self.window, self.service.address, self.room).open()
        for number in range(self.moment, STEPS):
            self._step(number, other if self.random.random() < 0.5 else self.desk)
        for _ in range(2):
            for one in (self.desk, other):
                self._settle(one)
        orders = (self.desk.order(), other.order())
        order, _comments = self._kept()
        lost = self._lost((order, {}))
        return lost if order in orders else [*lost, f"the order {order} is in no tab: {orders}"]

    @staticmethod
    def _settle(desk: Desk) -> None:
        """Until all of a tab is saved; asked again, as when the other tab was faster, it answers the same."""
        choice = desk.page.get_by_role("button", name="Keep the ranking on this page")
        settled = desk.page.locator(".saving[data-state=saved], .saving[data-state=unsaved], #two-orders")
        settled.first.wait_for()
        while choice.count():
            choice.click()
            settled.first.wait_for()


# -- what breaks -----------------------------------------------------------------------------------------


@contextmanager
def _worker(one: Interruption) -> Iterator[None]:
    """kill -9 of everything that answers; the supervisor starts it anew."""
    before = one.service.processes().get("web", [])
    for pid in before:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    yield
    until(lambda: set(one.service.processes().get("web", [])) - set(before))


@contextmanager
def _database(one: Interruption) -> Iterator[None]:
    """PostgreSQL: its connections are cut. SQLite: somebody else holds the lock."""
    if "DATABASE_URL" in one.service.environment:
        _cut(one.service.environment["DATABASE_URL"])
        yield
        _cut(one.service.environment["DATABASE_URL"])
        return
    path = one.service.folder / "data" / "peerage.sqlite3"
    holder = sqlite3.connect(path, timeout=60, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def _cut(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@contextmanager
def _network(one: Interruption) -> Iterator[None]:
    """The browser has no connection."""
    one.window.set_offline(True)
    yield
    one.window.set_offline(False)


@contextmanager
def _session(one: Interruption) -> Iterator[None]:
    """The session has ended; afterwards the person signs in in another tab."""
    one.window.clear_cookies(name="sessionid")
    yield
    one.desk.sign_in_again()
    if not one.leaves:
        one.desk.page.evaluate("dispatchEvent(new Event('focus'))")  # as when coming back to the tab


_BREAK: dict[str, Callable[[Interruption], Any]] = {
    "worker": _worker,
    "database": _database,
    "network": _network,
    "session": _session,
}
