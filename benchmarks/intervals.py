"""Grades with intervals and reliabilities, against what a user would pick instead (see end_to_end.py).

One class after the other, every contender in a process of its own with the same lists, loaded beforehand,
and a limit of time. Peerage grades: scores and reliabilities with intervals, all checks and figures. choix
fits Plackett-Luce to a hundred resamples of the graders, which gives intervals of scores and no
reliabilities. crowd-kit fits its noisy Bradley-Terry once: a skill of every worker, and no interval.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SIZES = (2_000, 20_000)
LIMIT = 60.0  # seconds of each contender
RESAMPLES = 100
PEERAGE = "Peerage: `grade`"
CHOIX = f"choix: Plackett-Luce, {RESAMPLES} resamples"
CROWDKIT = "crowd-kit: noisy Bradley-Terry, one fit"
HEAD = """
import json, sys, time
import numpy as np
from peerage import read
feedback = read(sys.argv[1])
def told(work):
    wall, processor = time.perf_counter(), time.process_time()
    work()
    print(json.dumps([time.process_time() - processor, time.perf_counter() - wall]))
"""
WORK = {
    PEERAGE: """
from peerage import grade
grade(read(sys.argv[2]))
told(lambda: grade(feedback))
""",
    CHOIX: f"""
from benchmarks.peers import RIDGE, choix_fit
lists = [tuple(map(int, part)) for part in np.split(feedback.items, feedback.list_starts[1:-1])]
rng = np.random.default_rng(0)
def resample():
    kept = [lists[k] for k in rng.integers(0, len(lists), len(lists))]
    return choix_fit("ilsr_rankings", kept, feedback.n_items, RIDGE)()
def work():
    draws = np.stack([resample() for _ in range({RESAMPLES})])
    np.quantile(draws, [0.05, 0.95], axis=0)
told(work)
""",
    CROWDKIT: """
from benchmarks.peers import crowdkit_nbt
told(lambda: crowdkit_nbt(feedback))
""",
}


def compare(sizes: list[int], limit: float = LIMIT) -> list[dict[str, Any]]:
    """One row per size and contender; no seconds where it took longer than the limit."""
    from benchmarks.end_to_end import write_class

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path, tiny = Path(folder) / "class.csv", Path(folder) / "tiny.csv"
        write_class(30, "orders", tiny)
        for size in sizes:
            write_class(size, "orders", path)
            for name, work in WORK.items():
                processor, wall = _timed(HEAD + work, path, tiny, limit)
                rows.append(
                    {"students": size, "what": name, "limit": limit, "processor": processor, "wall": wall}
                )
                said = "over the limit" if processor is None else f"{processor:.2f} s"
                print(f"{size:>8,} {name:44}{said}", flush=True)
    return rows


def _timed(work: str, path: Path, tiny: Path, limit: float) -> tuple[float | None, float | None]:
    """Processor and wall seconds of the work alone; loading has its own time beside the limit."""
    command = [sys.executable, "-c", work, str(path), str(tiny)]
    try:
        run = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=limit + 15.0,
            cwd=Path(__file__).parents[1],
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, None
    processor, wall = json.loads(run.stdout.splitlines()[-1])
    return (processor, wall) if wall <= limit else (None, None)


def table(rows: list[dict[str, Any]]) -> str:
    """For docs/reference/performance.md."""
    lines = [
        "## Grades with intervals and reliabilities",
        "",
        "From lists in memory to what a class needs, orders of ten submissions a student; all in one run,",
        "each in a process of its own. choix has intervals by resampling graders and no reliabilities,",
        f"crowd-kit a skill of every worker and no intervals. Each got {rows[0]['limit']:.0f} seconds",
        "on a busy machine, so wall times are compared.",
        "",
        "| students | | wall time | times as long as Peerage |",
        "|--:|---|--:|--:|",
    ]
    own = {row["students"]: row["wall"] for row in rows if row["what"] == PEERAGE}
    for row in rows:
        mine, limit, took = own[row["students"]], row["limit"], row["wall"]
        said = f"over {limit:.0f} s" if took is None else f"{took:.2f} s"
        ratio = f"over {limit / mine:.0f}" if took is None else f"{took / mine:.1f}"
        lines.append(f"| {row['students']:,} | {row['what']} | {said} | {ratio} |")
    return "\n".join(lines) + "\n"
