"""Warm runs of `peerage grade` of the posters with several copies of the sources in turn.

python benchmarks/start_up.py RUNS NAME=SRC [NAME=SRC ...]

Prints, by name, the least and the median processor time (user and system) and wall time of the whole process.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

POSTERS = Path(__file__).parents[1] / "examples" / "posters" / "feedback.csv"
WARM_UP = 2  # runs that compile, and fill the caches of the disk


def run(source: str, out: str) -> tuple[float, float]:
    """Processor and wall seconds of one run."""
    command = [sys.executable, "-m", "peerage", "grade", str(POSTERS), "--out", out]
    environment = os.environ | {"PYTHONPATH": str(Path(source).resolve())}
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} with {source} ended with {status}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - started


def main() -> None:
    """Run the variants in turn, forwards and backwards."""
    runs, variants = int(sys.argv[1]), dict(argument.split("=", 1) for argument in sys.argv[2:])
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in variants}
    with tempfile.TemporaryDirectory() as out:
        for source in variants.values():
            for _ in range(WARM_UP):
                run(source, out)
        for number in range(runs):
            for name in list(variants)[:: 1 if number % 2 == 0 else -1]:
                seconds[name].append(run(variants[name], out))
    for name, pairs in seconds.items():
        for label, times in zip(("processor", "wall"), zip(*pairs, strict=True), strict=True):
            print(f"{name:12} {label:9} least {min(times):.3f}  median {statistics.median(times):.3f}")


if __name__ == "__main__":
    main()
