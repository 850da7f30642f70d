"""How long the pages of a large class take, in one process: everything between request and answer."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.classes.filling import Room

BOUND = 0.3  # seconds
HEAD = "| page | as | size | median | 95 % | processor |\n|---|---|--:|--:|--:|--:|"
# not pages: what waits for a child process, and files of everything
APART = {"assignment-expected", "submissions-download", "member-data", "allocation-file", "progress-export"}


def time_pages(room: Room, repeats: int) -> bool:
    """Print the table; whether every page was quick enough."""
    from django.db import connection
    from django.test import Client

    people = {"staff": room.teacher, "student": room.students[1].person}
    rows = []
    for word, person in people.items():
        client = Client(headers={"host": "localhost"})
        client.force_login(person)
        mine = {**room.values, **_of_student(room, room.students[1])} if word == "student" else room.values
        for name, path in _addresses(mine):
            row = _time(client, path, repeats)
            if row is not None:
                rows.append((name, word, *row))
    print(f"\n{connection.vendor}: {len(room.students):,} students\n\n{HEAD}")
    for name, word, size, seconds, busy in sorted(rows, key=lambda row: -np.median(row[4])):
        middle, late = (f"{1000 * np.quantile(seconds, q):,.0f} ms" for q in (0.5, 0.95))
        own = f"{1000 * np.median(busy):,.0f} ms"  # of this process; of PostgreSQL's it knows nothing
        print(f"| {name} | {word} | {size / 1024:,.0f} kB | {middle} | {late} | {own} |", flush=True)
    slow = [f"{row[0]} ({row[1]})" for row in rows if np.quantile(row[3], 0.95) >= BOUND]
    print(f"\n{len(rows)} pages; {1000 * BOUND:g} ms or more: {', '.join(slow) or 'none'}", flush=True)
    return not slow


def _of_student(room: Room, member: Any) -> dict[str, object]:
    """Objects of this student, for the addresses that only open for whose they are."""
    from peerage_web.classes.allocation.models import Review
    from peerage_web.classes.reviewing.models import SubmittedRanking

    found: dict[str, object] = {"review": Review.objects.filter(reviewer=member).first().key}
    submitted = SubmittedRanking.objects.filter(ranking__reviewer=member).first()
    return found | ({"submitted_ranking": submitted.receipt} if submitted is not None else {})


def _addresses(values: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Name and path of everything that is read, out of the URL configuration."""
    from django.urls import get_resolver

    for name, route, view in _walk(get_resolver(), ""):
        known = re.findall(r"<(?:\w+:)?(\w+)>", route)
        methods = getattr(getattr(view, "rule", None), "methods", ())
        if "GET" in methods and name not in APART and set(known) <= set(values):
            yield name, "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(values[found[1]]), route)


def _walk(resolver: Any, before: str) -> Iterator[tuple[str, str, Any]]:
    from django.urls import URLPattern

    for entry in resolver.url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield entry.name, route, entry.callback
        else:
            yield from _walk(entry, route)


def _time(client: Any, path: str, repeats: int) -> tuple[int, list[float], list[float]] | None:
    """Bytes, seconds, and those of the processor; None where there is no such page for them."""
    answer = client.get(path)
    size = len(b"".join(answer.streaming_content) if answer.streaming else answer.content)
    if answer.status_code != 200:
        return None
    seconds, busy = [], []
    for _ in range(repeats):
        started, used = time.perf_counter(), time.process_time()
        answer = client.get(path)
        if answer.streaming:
            list(answer.streaming_content)
        seconds.append(time.perf_counter() - started)
        busy.append(time.process_time() - used)
    return size, seconds, busy
