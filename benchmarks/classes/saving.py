"""Students who save their rankings all at once, each again as soon as the last save was answered."""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.classes.filling import Room
from benchmarks.classes.students import JSON, ask, cookie_of

HEAD = (
    "| students at once | saves | errors | median | 95 % | longest | saves/s |\n|--:|--:|--:|--:|--:|--:|--:|"
)


@dataclass(slots=True)
class Saver:
    """One student in one browser."""

    cookie: str
    labels: list[str]
    prompt: int
    version: int = 0
    comment_version: int = 0

    @property
    def field(self) -> str:
        """Of the comment that is written on."""
        return f"comment-{min(self.labels)}-{self.prompt}"

    def body(self, dice: random.Random) -> bytes:
        """Another order, and more of a comment."""
        dice.shuffle(self.labels)
        text = {"text": f"So far: {dice.random()}", "version": self.comment_version}
        tiers = [[label] for label in self.labels]
        return json.dumps({"tiers": tiers, "version": self.version, "comments": {self.field: text}}).encode()

    def take(self, answer: bytes) -> None:
        """What the service has kept is where the next save starts from."""
        kept = json.loads(answer)
        self.version = kept["version"]
        self.comment_version = kept["comments"][self.field]["version"]


def time_saving(room: Room, data: Path, *, savers: int, saves: int) -> bool:
    """Print the table; whether every save was taken."""
    from django.db import connections

    from benchmarks.hostile.instance import Instance

    crowd = _savers(room, savers)
    vendor = connections["default"].vendor
    path = f"/c/{room.course.key}/a/{room.assignment.key}/reviews/save"
    connections.close_all()
    instance = Instance(data)
    instance.start()
    try:
        seconds, errors, elapsed = asyncio.run(_all(instance.port, path, crowd, saves))
    finally:
        instance.stop()
    print(f"\n{vendor}, 2 web workers\n\n{HEAD}")
    middle, late, longest = (f"{1000 * np.quantile(seconds, q):,.0f} ms" for q in (0.5, 0.95, 1.0))
    count = len(seconds)
    print(
        f"| {savers} | {count:,} | {len(errors)} | {middle} | {late} | {longest} | {count / elapsed:,.0f} |"
    )
    for one in sorted(set(errors))[:5]:
        print(f"  {one}")
    lost = _lost(room, crowd)
    print(f"orders that are not there afterwards: {lost}", flush=True)
    return not errors and not lost


def _savers(room: Room, count: int) -> list[Saver]:
    """Students who have not saved anything yet, and are signed in."""
    from peerage_web.classes.allocation.models import Review
    from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking

    members = room.students[:count]
    reviewers = {"ranking__reviewer__in": members}
    SubmittedRanking.objects.filter(**reviewers).delete()
    Ranking.objects.filter(reviewer__in=members).delete()
    Comment.objects.filter(review__reviewer__in=members).delete()
    labels: dict[int, list[str]] = {}
    for reviewer, label in Review.objects.filter(reviewer__in=members).values_list("reviewer", "label"):
        labels.setdefault(reviewer, []).append(label)
    prompt = room.assignment.prompts.first().pk
    return [Saver(cookie_of(member.person), labels[member.pk], prompt) for member in members]


async def _all(port: int, path: str, crowd: list[Saver], saves: int) -> tuple[list[float], list[str], float]:
    seconds: list[float] = []
    errors: list[str] = []

    async def student(one: Saver, dice: random.Random) -> None:
        for _ in range(saves):
            started = time.perf_counter()
            try:
                status, answer = await ask(port, path, one.cookie, one.body(dice), kind=JSON, accept=JSON)
            except (OSError, asyncio.IncompleteReadError, TypeError) as error:
                errors.append(f"{type(error).__name__}: {error}")
                continue
            seconds.append(time.perf_counter() - started)
            if status != 200:
                errors.append(f"{status}: {answer[:200]!r}")
            else:
                one.take(answer)

    started = time.perf_counter()
    await asyncio.gather(*(student(one, random.Random(n)) for n, one in enumerate(crowd)))
    return seconds, errors, time.perf_counter() - started


def _lost(room: Room, crowd: list[Saver]) -> int:
    """How many orders in the database are not the ones that were sent last."""
    from peerage_web.classes.reviewing.models import Ranking

    members = room.students[: len(crowd)]
    kept: dict[int, Any] = dict(Ranking.objects.filter(reviewer__in=members).values_list("reviewer", "tiers"))
    wanted = {
        member.pk: [[label] for label in one.labels] for member, one in zip(members, crowd, strict=True)
    }
    return sum(kept.get(number) != tiers for number, tiers in wanted.items())
