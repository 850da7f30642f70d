"""What one greedy or hostile client does, from one address, in many threads, until it is told to stop."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from http.client import HTTPException

from benchmarks.hostile.visitor import RefusedError, Visitor

ADDRESS = "127.66.6.6"
LEAVE = 2.0  # seconds that an attack has to end
Attack = Callable[[Visitor], None]  # one round of it

WEIGHTS = b"grader,item,rank,weight\n" + b"".join(
    b"g%d,i%d,%d,1e300\n" % (grader, (grader * 3 + place) % 40, place)
    for grader in range(300)
    for place in range(1, 5)
)


def labels(columns: int) -> bytes:
    """Names of columns with 60,000 letters each."""
    names = b",".join(b"%d" % n + b"x" * 60_000 for n in range(columns))
    return b"student," + names + b"\nada" + b",1" * columns + b"\n"


def class_of(graders: int, items: int) -> bytes:
    """A class in which everybody has put five works in order; made without luck."""
    rows = [b"grader,item,rank"]
    for grader in range(graders):
        works = [(grader * 7 + step * (1 + grader % 5)) % items for step in range(5)]
        ordered = sorted(dict.fromkeys(works), key=lambda work: (work * 31 + grader * work * work) % items)
        rows += [b"g%d,i%d,%d" % (grader, work, place) for place, work in enumerate(ordered, 1)]
    return b"\n".join(rows) + b"\n"


LARGE = class_of(20_000, 20_000)


def plan(visitor: Visitor) -> None:
    """The largest class that the API plans."""
    visitor.api("plan", {"students": 2000, "per_student": 50, "seed": time.monotonic_ns() % 2**31})


def explain(page: str, visitor: Visitor) -> None:
    """An item of a large result of its own."""
    visitor.get(f"{page}explain?item=i{time.monotonic_ns() % 1000}")


def jobs(data: bytes, compare: str, visitor: Visitor) -> None:
    """As many jobs as there may be."""
    with suppress(RefusedError):
        page = visitor.upload(data)
        visitor.post(f"{page}grade", **({"compare": compare} if compare else {}))
    time.sleep(0.2)


def looks(page: str, data: bytes, visitor: Visitor) -> None:
    """Rosters, one after the other, each with a look at the file."""
    visitor.post(f"{page}preview", files={"roster": ("roster.csv", data)})


def pages(page: str, visitor: Visitor) -> None:
    """The same page again and again."""
    visitor.get(page)


def fill(data: bytes, visitor: Visitor) -> None:
    """Large files until nobody takes them."""
    with suppress(RefusedError):
        visitor.upload(data)


def dawdle(visitor: Visitor) -> None:
    """Half a request, and nothing more."""
    with socket.create_connection(("127.0.0.1", visitor.port), 60, (visitor.address, 0)) as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx")
        line.recv(1)


def attacks(port: int) -> Iterator[tuple[str, int, Callable[[], Attack]]]:
    """Name, number of threads, and what each does, once it is prepared."""
    greedy = Visitor(port, ADDRESS)

    @cache
    def own() -> str:
        """A large result of the attacker's."""
        page = greedy.upload(class_of(1_000, 1_000))
        greedy.grade(page)
        greedy.wait(page)
        return page

    def with_roster() -> Attack:
        roster = b"student,item\n" + b"".join(b"g%d,i%d\n" % (n, n) for n in range(2_000))
        return partial(looks, greedy.upload(class_of(2_000, 2_000)), roster)

    yield "six connections plan the largest class", 6, lambda: plan
    yield "eight explain a large result", 8, lambda: partial(explain, own())
    yield "large jobs, all methods compared", 3, lambda: partial(jobs, LARGE, "on")
    yield "jobs with a weight of 1e300", 3, lambda: partial(jobs, WEIGHTS, "")
    yield "300 column names of 60 kB", 3, lambda: partial(jobs, labels(300), "")
    yield "rosters and looks", 8, with_roster
    yield "32 connections load a result page", 32, lambda: partial(pages, own())
    yield "200 slow connections", 200, lambda: dawdle
    yield (
        "uploads of 19 MB",
        4,
        lambda: partial(fill, b"grader,item,rank\n" + b"x" * (19 << 20)),
    )


@contextmanager
def under(attack: Attack, port: int, threads: int, address: str = ADDRESS) -> Iterator[Counter[str]]:
    """The attack goes on; what became of its rounds."""
    stop, rounds = threading.Event(), Counter[str]()

    def go_on() -> None:
        visitor = Visitor(port, address)
        while not stop.is_set():
            try:
                attack(visitor)
                rounds["rounds"] += 1
            except (OSError, HTTPException, RefusedError) as error:
                rounds[type(error).__name__] += 1
                stop.wait(0.05)

    lines = [threading.Thread(target=go_on, daemon=True) for _ in range(threads)]
    for line in lines:
        line.start()
    try:
        yield rounds
    finally:
        stop.set()
        deadline = time.monotonic() + LEAVE
        for line in lines:  # whoever waits for an answer is left to wait
            line.join(max(0.0, deadline - time.monotonic()))
