"""A large class in parts, packed and read: python -m benchmarks.packing [reviews] [parts]

Time, and memory beyond that of a process that has only loaded what it takes. Every row is a process of its
own, started from a small one, so that its peak memory is its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

from benchmarks.reading import write_class

WORK = {
    "read CSV at once": "peerage.read(folder + '/csv/*.csv')",
    "pack CSV": "peerage.pack(folder + '/csv/*.csv', folder + '/packed-csv')",
    "read Parquet at once": "peerage.read(folder + '/parquet/*.parquet')",
    "pack Parquet": "peerage.pack(folder + '/parquet/*.parquet', folder + '/packed-parquet')",
    "read the packed folder": "peerage.read(folder + '/packed-csv')",
    "read its parts one by one": "for k in range(len(packed.parts)): packed.read(k, labels=False)",
}
RUN = """
import resource, sys, time, tempfile, json, os
import polars as pl
import peerage
folder = sys.argv[1]
with tempfile.TemporaryDirectory() as small:  # everything loaded
    pl.DataFrame({{"grader": ["a"], "item": ["x"], "score": [3]}}).write_csv(small + "/a.csv")
    peerage.pack(small + "/*.csv", small + "/packed").feedback()
if os.path.isdir(folder + "/packed-csv"):
    packed = peerage.open_packed(folder + "/packed-csv")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter(), time.process_time()
{work}
seconds = time.perf_counter() - start[0], time.process_time() - start[1]
print(json.dumps([*seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024]))
"""


def write_parts(folder: Path, reviews: int, parts: int) -> None:
    whole = folder / "class.csv"
    write_class(whole, reviews)
    frame = pl.read_csv(whole, infer_schema=False)
    whole.unlink()
    size = -(-len(frame) // parts)
    for kind in ("csv", "parquet"):
        (folder / kind).mkdir()
    for which in range(parts):
        part = frame[which * size : (which + 1) * size]
        part.write_csv(folder / "csv" / f"part{which:03d}.csv")
        part.write_parquet(folder / "parquet" / f"part{which:03d}.parquet")


def measured(work: str, folder: Path) -> tuple[float, float, float]:
    """Seconds by the clock and of all processors, and bytes of memory beyond start-up."""
    command = [sys.executable, "-c", RUN.format(work=work), str(folder)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    elapsed, used, peak = json.loads(answer.splitlines()[-1])
    return elapsed, used, peak


def size_of(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def main(reviews: int = 2_000_000, parts: int = 8) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        making = f"write_parts(Path({name!r}), {reviews}, {parts})"
        command = f"from pathlib import Path; from benchmarks.packing import write_parts; {making}"
        subprocess.run(
            [sys.executable, "-c", command], check=True
        )  # a child's peak includes its parent's size
        print(f"{reviews:,} reviews in {parts} parts: {size_of(folder / 'csv'):,.0f} MiB of CSV")
        print(f"{'':<28}{'seconds':>9}{'of CPU':>9}{'peak GiB':>10}{'bytes a review':>16}")
        for title, work in WORK.items():
            elapsed, used, peak = measured(work, folder)
            print(f"{title:<28}{elapsed:>9.1f}{used:>9.1f}{peak / 2**30:>10.2f}{peak / reviews:>16.0f}")
        print(f"the packed folder: {size_of(folder / 'packed-csv'):,.0f} MiB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
