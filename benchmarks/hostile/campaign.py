"""One visitor grades the example while another attacks: how long that takes, and what the service takes."""

from __future__ import annotations

import statistics
import tempfile
import time
from itertools import count
from pathlib import Path

from benchmarks.hostile.attacks import attacks, under
from benchmarks.hostile.instance import Instance, watched
from benchmarks.hostile.visitor import RefusedError, Visitor

HEAD = """| attack, from one address | example, quiet | under attack | times | refused | memory | disk |
|---|---|---|---|---|---|---|"""
NUMBERS = count(1)
SETTLE = 5.0  # seconds of attack before the visitor comes


def campaign(rounds: int, only: str = "", workers: int = 2) -> int:
    """Print the table; how many attacks kept the visitor out, or made them wait more than twice as long."""
    with tempfile.TemporaryDirectory() as folder:
        # limits that count requests are lifted: the shares must do without them
        lifted = {
            "PEERAGE_API_REQUESTS": "1000000",
            "PEERAGE_UPLOADS": "1000000",
            "PEERAGE_PREVIEWS": "1000000",
        }
        instance = Instance(Path(folder) / "data", workers=workers, **lifted)
        instance.start()
        try:
            return _table(instance, rounds, only)
        finally:
            instance.stop()


def _table(instance: Instance, rounds: int, only: str) -> int:
    Visitor(instance.port).grade_example()
    print(f"at rest with --workers {instance.workers}: {instance.memory() >> 20:,} MB\n\n{HEAD}", flush=True)
    bad = 0
    for name, threads, prepared in attacks(instance.port):
        if only not in name:
            continue
        _rest(instance)
        attack = prepared()
        quiet, _ = _times(instance.port, rounds)
        with watched(instance) as most, under(attack, instance.port, threads):
            time.sleep(SETTLE)
            busy, refused = _times(instance.port, rounds)
        before, after = statistics.median(quiet), statistics.median(busy or [float("nan")])
        bad += refused > 0 or not after <= 2 * before
        sizes = f"{most['memory'] >> 20:,} MB | {most['disk'] >> 20:,} MB"
        times = f"{before:.1f} s | {after:.1f} s | {after / before:.1f}"
        print(f"| {name} | {times} | {refused} | {sizes} |", flush=True)
    return bad


def _times(port: int, rounds: int) -> tuple[list[float], int]:
    """Of so many visitors, one after the other."""
    seconds, refused = [], 0
    for _ in range(rounds):
        try:
            seconds.append(Visitor(port, f"127.3.0.{next(NUMBERS)}").grade_example())
        except RefusedError as error:
            refused += 1
            print(f"<!-- refused: {error} -->")
    return seconds, refused


def _rest(instance: Instance) -> None:
    """Until the attacker's last jobs are over, so that the next attack starts from quiet."""
    deadline = time.monotonic() + 400
    while "child" in instance.processes().values() and time.monotonic() < deadline:
        time.sleep(1)
