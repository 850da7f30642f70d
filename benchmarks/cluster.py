"""A fit on workers beside the same fit on one machine: python -m benchmarks.cluster [--students N] [--quick]

The same packed class is fitted here and by 1, 2 and 3 processes of one thread: digests of the results, wall
time, rounds, bytes that moved, memory. Here and there take turns, since no machine is equally busy at all
times, and the median counts. Then a worker is killed at random moments. Times are without starting the
processes and compiling, which a fit beforehand does. All are wall times: for quiet machines only.

100 million reviews: --students 10000000 --methods pl --workers 2 --no-here --kills 0
A worker takes seconds to start anew, so a kill is measured in a fit of a minute, of 30 million reviews:
--students 3000000 --methods pl --workers 2 --no-here --kills 10
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import multiprocessing
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl

import peerage
from peerage.cluster.cluster import Cluster, open_cluster

RESULTS = Path(__file__).parent / "results"
PER_GRADER = 10
COMPARED = "2"  # workers of one thread, beside two threads here
AT_ONCE = 500_000  # students whose reviews are made at a time
GIB = 2**30


def write_class(students: int, folder: Path) -> list[str]:
    """Every student reviews ten works; files of rank and score, students in order of their names."""
    rng = np.random.default_rng(1)
    quality = rng.normal(size=students)
    width = len(str(students))
    files = []
    for first in range(0, students, AT_ONCE):
        graders = np.arange(first, min(first + AT_ONCE, students))
        steps = np.sort(rng.integers(1, students - PER_GRADER, (len(graders), PER_GRADER)), axis=1)
        seen = (graders[:, None] + steps + np.arange(PER_GRADER)) % students  # ten different ones
        reliability = rng.gamma(10.0, 0.1, len(graders))[:, None]
        felt = 2.0 * quality[seen] + rng.gumbel(size=seen.shape) / reliability
        rank = np.argsort(np.argsort(-felt, axis=1), axis=1) + 1
        table = pl.DataFrame(
            {
                "grader": np.repeat(graders, PER_GRADER),
                "item": seen.ravel(),
                "rank": rank.ravel(),
                "score": np.round(felt.ravel(), 1),
            }
        )
        names = [pl.col(name).cast(pl.String).str.zfill(width) for name in ("grader", "item")]
        files.append(str(folder / f"reviews{first:010}.parquet"))
        table.with_columns(names).write_parquet(files[-1])
    return files


def make(students: int, packed: Path) -> None:
    """Such a class, packed."""
    with tempfile.TemporaryDirectory(dir=packed.parent) as folder:
        peerage.pack(write_class(students, Path(folder)), packed)


def digest(fitted: Any) -> str:
    return hashlib.sha256(fitted.scores_.tobytes() + fitted.reliabilities_.tobytes()).hexdigest()[:12]


def here(packed: Path, method: str) -> dict[str, Any]:
    """On this machine, by threads. The time is that of reading and fitting."""
    started = time.perf_counter()
    feedback = peerage.read(packed)
    reading = time.perf_counter() - started
    fitted = peerage.fit(feedback, method)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "reading": reading, "digest": digest(fitted)}


def there(packed: Path, method: str, cluster: Cluster) -> dict[str, Any]:
    """By the workers; the time is that of the fit, the parts being read in it."""
    traffic = cluster.client.traffic
    traffic.rounds = traffic.up = traffic.down = traffic.up_unsummed = 0
    started = time.perf_counter()
    fitted = peerage.fit(packed, method, cluster=cluster)
    row = {"seconds": time.perf_counter() - started, "digest": digest(fitted), "rounds": traffic.rounds}
    row |= {"down_mb": traffic.down / 1e6, "up_mb": traffic.up / 1e6}
    row["up_cut"] = traffic.up_unsummed / max(traffic.up, 1)
    peaks = cluster.client.all_workers(_peak).values()
    return row | {"worker_gib": max(peaks), "client_gib": _peak()}


def in_turns(
    packed: Path, method: str, cluster: Cluster, turns: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Here and there, one after the other; the run of median time of each, and the median of their ratios."""
    here(packed, method)
    there(packed, method, cluster)
    both = [(here(packed, method), there(packed, method, cluster)) for _ in range(turns)]
    mine, theirs = (
        sorted(runs, key=lambda row: row["seconds"])[turns // 2] for runs in zip(*both, strict=True)
    )
    for row in (mine, theirs):
        row["digest"] = "/".join(
            sorted({run["digest"] for pair in both for run in pair})
        )  # one, if all is well
    ratios = [theirs["seconds"] / mine["seconds"] for mine, theirs in both]
    return mine, theirs | {"times_here": median(ratios)}


def _peak() -> float:
    """Most memory in use by this process so far; of the program alone, not of the one that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / GIB


def killed(packed: Path, method: str, kills: int) -> Iterator[dict[str, Any]]:
    """The same while one worker is killed, at random moments of the time that the fit takes otherwise.

    A fit that is done before its moment comes does not count, and another moment is drawn.
    """
    chosen = random.Random(0)
    with open_cluster("local:2") as cluster:
        usual = sorted(there(packed, method, cluster)["seconds"] for _ in range(3))[1]
        while kills > 0:
            while len(pids := cluster.client.all_workers(os.getpid)) < 2:
                time.sleep(0.1)  # until the one that was killed is replaced
            victim, moment = pids[chosen.choice(sorted(pids))], chosen.random() * usual
            killing = threading.Timer(moment, os.kill, (victim, signal.SIGKILL))
            killing.start()
            row = there(packed, method, cluster)
            if not killing.finished.is_set():
                killing.cancel()
                continue
            kills -= 1
            yield {"where": "local:2", **row, "killed_at": moment, "times": row["seconds"] / usual}


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=1_000_000)
    parser.add_argument("--methods", default="pl,pl+g,bt+g,ncs+g")
    parser.add_argument("--workers", default="1,2,3")
    parser.add_argument("--turns", type=int, default=3, help="of here and two workers")
    parser.add_argument("--kills", type=int, default=10, help="of a worker, by the first method, two workers")
    parser.add_argument("--no-here", action="store_true", help="not on this machine: it may not fit")
    parser.add_argument("--add", action="store_true", help="keep the rows of earlier runs in the table")
    parser.add_argument("--quick", action="store_true", help="20,000 students, one kill")
    options = parser.parse_args(arguments)
    if options.quick:
        options.students, options.kills, options.workers = 20_000, 1, "2"
    return options


def rows_of(options: argparse.Namespace, packed: Path) -> list[dict[str, Any]]:
    methods, rows = options.methods.split(","), []
    parts = len(list((packed / "parts").iterdir()))

    def found(row: dict[str, Any]) -> dict[str, Any]:
        row = {"students": options.students, "parts": parts, **row}
        rows.append(row)
        print("  ".join(f"{name} {_shown(value)}" for name, value in row.items()), flush=True)
        return row

    for workers in options.workers.split(","):
        with open_cluster(f"local:{workers}") as cluster:
            for method in methods:
                where = f"local:{workers}"
                if workers == COMPARED and not options.no_here:
                    mine, theirs = in_turns(packed, method, cluster, options.turns)
                    found({"method": method, "where": "here", **mine})
                    found({"method": method, "where": where, **theirs})
                else:
                    found({"method": method, "where": where, **there(packed, method, cluster)})
    for row in killed(packed, methods[0], options.kills) if options.kills else ():
        found({"method": methods[0], **row})
    return rows


def _shown(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def main(arguments: list[str] | None = None) -> int:
    options = parsed(arguments)
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "packed"
        maker = multiprocessing.get_context("spawn").Process(target=make, args=(options.students, packed))
        maker.start()  # a process of its own, so that its memory does not count as the client's
        maker.join()
        if maker.exitcode != 0:
            return 1
        rows = rows_of(options, packed)
    path = RESULTS / f"cluster-{options.students}.csv"
    if options.add and path.exists():
        rows = [*csv.DictReader(path.open(newline="")), *rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, names, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    digests: dict[tuple[str, str], set[str]] = {}  # the cut into parts decides the last bits
    for row in rows:
        digests.setdefault((row["method"], str(row.get("parts", ""))), set()).add(row["digest"])
    different = [f"{method} in {parts} parts" for (method, parts), found in digests.items() if len(found) > 1]
    print("all digests are equal" if not different else f"DIFFERENT: {', '.join(different)}")
    return len(different)


if __name__ == "__main__":
    sys.exit(main())
