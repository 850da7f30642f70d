"""Every method beside its peers, on identical data in one run: python -m benchmarks.models [--quick]

Writes results/models.csv and results/growth.csv, then docs/reference/performance.md and its picture
from these alone.
Every contender runs in a process of its own, with a limit on its time and, for peers, on its memory; a peer
that fails at one size is not tried at larger ones.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import model_report
from benchmarks.model_data import Size, write_class
from peerage import __version__
from peerage.models.registry import codes

ROOT = Path(__file__).parents[1]
SIZES = (
    Size(42, 148, 7),
    Size(724, 724, 5),
    Size(2_000, 2_000, 10),
    Size(20_000, 20_000, 10),
    Size(200_000, 200_000, 10),
    Size(1_000_000, 1_000_000, 10),
)
GROWTH = (SIZES[3], SIZES[4])  # compared in one process, see model_growth
PEERS = (
    "evalica:bradley_terry",
    "evalica:newman",
    "choix:ilsr_pairwise",
    "choix:ilsr_rankings",
    "choix:opt_pairwise",
    "choix:opt_rankings",
    "crowd-kit:BradleyTerry",
    "crowd-kit:NoisyBradleyTerry",
)
PASSES = ("numpy:exp", "pass:BT", "pass:PL", "pass:THUR", "pass:MALS")
PEER_LIMIT = 30.0  # the same for a peer: those that fill dense matrices do not come back from large classes
LIMIT = 600.0  # seconds for one contender on one class, repeats included


@dataclass(frozen=True)
class Cell:
    """One row of the results."""

    machine: str
    items: int
    graders: int
    length: int
    contender: str
    status: str
    runs: int = 0
    median_seconds: float | None = None
    least_seconds: float | None = None
    peak_mib: float | None = None


@dataclass(frozen=True)
class Growth:
    """How much longer a method takes for the larger class: the median over rounds, and the range."""

    machine: str
    method: str
    status: str
    rounds: int = 0
    small_seconds: float | None = None
    large_seconds: float | None = None
    times: float | None = None
    least_times: float | None = None
    most_times: float | None = None


def machine() -> str:
    """What the figures belong to, in words."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB of memory, {platform.system()},"
        f" Python {platform.python_version()}, Peerage {__version__}"
    )


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _allow_memory(share: float) -> None:
    """Called in the contender's process: beyond this, allocations fail instead of swapping."""
    limit = int(share * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def measured(contender: str, path: Path, limit: float) -> dict[str, Any]:
    """What the contender's process reports, or how it ended."""
    guard = None
    if contender in PEERS:
        guard, limit = partial(_allow_memory, 0.7), min(limit, PEER_LIMIT)
    return reported("model_cell", [contender, str(path)], limit, guard)


def reported(
    module: str, arguments: list[str], limit: float, guard: Callable[[], None] | None = None
) -> dict[str, Any]:
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=limit, preexec_fn=guard
        )
    except subprocess.TimeoutExpired:
        return {"status": f"over {limit:.0f} s"}
    if done.returncode:
        return {"status": "fails: " + (done.stderr.strip().splitlines() or ["killed"])[-1][:80]}
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def cell(contender: str, size: Size, path: Path, limit: float) -> Cell:
    found = measured(contender, path, limit)
    seconds, peak = found.get("seconds"), found.get("peak_mib")
    row = Cell(machine(), *size, contender, str(found["status"]))
    if not isinstance(seconds, list):
        return row
    return Cell(
        **{
            **asdict(row),
            "runs": len(seconds),
            "median_seconds": float(f"{statistics.median(seconds):.4g}"),
            "least_seconds": float(f"{min(seconds):.4g}"),
            "peak_mib": round(float(str(peak)), 1),
        }
    )


def cells(sizes: list[Size], methods: list[str], limit: float) -> Iterator[Cell]:
    """All contenders, size by size."""
    gone: set[str] = set()  # peers that failed at a smaller size
    pace: dict[str, float] = {}  # seconds per review at the size before
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = Path(folder) / f"{size}.npz"
            write_class(size, path)
            for contender in [*PASSES, *PEERS, *(f"peerage:{code}" for code in methods)]:
                if contender in gone:
                    continue
                if pace.get(contender, 0.0) * size.reviews > limit:
                    yield Cell(machine(), *size, contender, f"not tried: over {limit:.0f} s at this pace")
                    continue
                row = cell(contender, size, path, limit)
                if row.median_seconds is not None:
                    pace[contender] = row.median_seconds / size.reviews
                if row.median_seconds is None and contender in PEERS:
                    gone.add(contender)
                yield row
            path.unlink()


def growths(methods: list[str], limit: float) -> Iterator[Growth]:
    """Every method, small and large class in turns."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{size}.npz" for size in GROWTH]
        for size, path in zip(GROWTH, paths, strict=True):
            write_class(size, path)
        for method in methods:
            found = reported("model_growth", [method, *map(str, paths)], limit)
            yield growth(method, found["status"], found.get("rounds", []))


def growth(method: str, status: str, rounds: list[tuple[float, float]]) -> Growth:
    if not rounds:
        return Growth(machine(), method, status)
    ratios = [large / small for small, large in rounds]
    small, large = (statistics.median(seconds) for seconds in zip(*rounds, strict=True))
    figures = (small, large, statistics.median(ratios), min(ratios), max(ratios))
    return Growth(machine(), method, status, len(rounds), *(float(f"{figure:.4g}") for figure in figures))


def write(rows: Sequence[Cell | Growth], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [field.name for field in fields(rows[0])], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(row) for row in rows)


def options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.models",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--sizes", nargs="+", type=Size.parse, metavar="ITEMSxGRADERSxLENGTH", help="classes to try"
    )
    parser.add_argument("--quick", action="store_true", help="only the smallest class, and keep no results")
    parser.add_argument("--methods", nargs="+", default=codes(), metavar="CODE", help="all by default")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds per contender and class")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results/models.csv")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/reference/performance.md")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    chosen = options(arguments)
    sizes = chosen.sizes or ([SIZES[0]] if chosen.quick else list(SIZES))
    rows = []
    for row in cells(sizes, chosen.methods, chosen.limit):
        rows.append(row)
        size = Size(row.items, row.graders, row.length)
        print(f"{size!s:<24}{row.contender:<28}{model_report.outcome(asdict(row))}", flush=True)
        if not chosen.quick:
            write(rows, chosen.results)  # what was measured is kept, whatever stops the rest
    if chosen.quick:
        return
    beside = chosen.results.with_name("growth.csv")
    beside.unlink(missing_ok=True)  # of another run
    if set(GROWTH) <= set(sizes):
        measure_growth(chosen.methods, chosen.limit, beside)
    model_report.write(chosen.results, chosen.page)
    print(f"written: {chosen.results} and {chosen.page}")


def measure_growth(methods: list[str], limit: float, path: Path) -> None:
    rows = []
    for row in growths(methods, limit):
        rows.append(row)
        print(f"growth{'':<18}{row.method:<28}{row.times or row.status}", flush=True)
        write(rows, path)


if __name__ == "__main__":
    main()
