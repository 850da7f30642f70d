"""A large class read and checked, beside what pandas needs just to parse it: python -m benchmarks.reading

Every contender runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

PER_GRADER = 10
REPEATS = 2  # the better one counts
CONTENDERS = {
    "peerage: read": "from peerage import read; read(path)",
    "peerage: read and check": "from peerage import check, read; check(read(path))",
    "pandas: parse only": "import pandas; pandas.read_csv(path)",
    "pandas: parse only, ids as text": "import pandas; pandas.read_csv(path, dtype=str)",
}
RUN = """
import json, resource, sys, time
path = sys.argv[1]
start = time.perf_counter()
{work}
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20]))
"""


def write_class(path: Path, rows: int) -> None:
    """Graders who score ten items each out of as many items as graders, none twice."""
    rng = np.random.default_rng(0)
    count = rows // PER_GRADER
    steps = np.unique(rng.integers(0, count, 20 * PER_GRADER))[:PER_GRADER]
    items = (rng.permutation(count)[:, None] + steps) % count
    frame = pl.DataFrame(
        {
            "grader": np.repeat(np.arange(count), len(steps)),
            "item": rng.permutation(count)[items].ravel(),
            "score": rng.integers(0, 11, items.size),
        }
    )
    labels = (pl.format("g{}", "grader").alias("grader"), pl.format("s{}", "item").alias("item"), "score")
    frame.select(labels).write_csv(path)


def measured(work: str, path: Path) -> tuple[float, float]:
    """Seconds with imports, and peak memory in GiB."""
    command = [sys.executable, "-c", RUN.format(work=work), str(path)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, peak = json.loads(answer.splitlines()[-1])
    return seconds, peak


def main(rows: int = 10_000_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "class.csv"
        write_class(path, rows)
        print(f"{rows:,} rows, {path.stat().st_size / 2**20:,.0f} MiB of CSV")
        print(f"{'':<34}{'seconds':>9}{'peak GiB':>10}{'of the pandas time':>20}")
        runs = [{name: measured(work, path) for name, work in CONTENDERS.items()} for _ in range(REPEATS)]
        results = {name: min(run[name] for run in runs) for name in CONTENDERS}
        base, _ = results["pandas: parse only"]
        for name, (seconds, peak) in results.items():
            print(f"{name:<34}{seconds:>9.1f}{peak:>10.2f}{seconds / base:>19.2f}x")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
