"""`peerage grade` from file to files, against others, and a million battles: python -m benchmarks.end_to_end

Every run is a process of its own. Figures are processor seconds, user and system over all threads: wall time
depends on what else the machine does. Writes results/end_to_end.csv, intervals.csv and battles.csv; the page
docs/reference/performance.md is made from these (benchmarks/model_report.py).
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import intervals

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks/results"
SIZES = (20_000, 200_000, 1_000_000)
KINDS = {"orders": {"model": "pl", "sd": 1.0}, "scores": {}}
PER_GRADER = 10
BATTLES, MODELS, JUDGES = 1_000_000, 120, 200_000
GROUPS = {  # a stage of the table, and how its steps begin
    "reading": ("reading",),
    "pre-flight": ("checking", "looking for", "counting"),
    "fit": ("estimating",),
    "intervals": ("working out",),
    "graders": ("looking at graders",),
    "other methods": ("comparing",),
    "class figures, staff lists": ("finding",),
    "files": ("writing",),
}
GRADE = """
import json, re, sys, time
def used():
    return time.process_time()
marks = [("start-up", 0.0)]
step = lambda name: marks.append((name, used()))
from peerage.grading.options import GradingOptions
from peerage.grading.run import grade_with
from peerage.reading.reading import Reading
from peerage.results import Run, are_large, result_files, write_files
from peerage.roster.input import read_input
import peerage.models.normal, peerage.models.smooth, peerage.reading.long
import peerage.report.page, peerage.uncertainty.laplace
step("reading")
given = read_input(sys.argv[1], reading=Reading(empty=["none"]))  # a score of 0 counts
result = grade_with(given.feedback, GradingOptions(), on_step=step, source=given.source)
beside = are_large(result)
files = result_files("always", "report", *(["tables"] if beside else []))
write_files(Run(result=result, beside=beside), sys.argv[2], files, on_step=step)
step("end")
status = open("/proc/self/status").read()  # getrusage would count the process that started this one, too
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) / 2**20
print(json.dumps([marks, peak]))
"""


def write_class(size: int, kind: str, path: Path) -> None:
    """A class of this many students who review ten works each."""
    from peerage import simulate

    made = simulate(items=size, graders=size, per_grader=PER_GRADER, length_sd=0.0, seed=1, **KINDS[kind])
    made.rows.write_csv(path)


def graded(path: Path, out: Path) -> dict[str, Any]:
    """Processor seconds by stage, all together, and the peak of memory in GiB."""
    command = [sys.executable, "-c", GRADE, str(path), str(out)]
    started = time.perf_counter()
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    marks, peak = json.loads(answer.splitlines()[-1])
    stages: dict[str, float] = {}
    for (name, begun), (_, ended) in itertools.pairwise(marks):
        stages[stage_of(name)] = stages.get(stage_of(name), 0.0) + ended - begun
    start_up = stages.pop("start-up")
    report = (out / "report.html").stat().st_size / 2**20
    return {
        "seconds": sum(stages.values()),
        "start_up": start_up,
        "wall": time.perf_counter() - started,
        "peak_gib": peak,
        "report_mib": report,
        "stages": json.dumps({name: round(value, 2) for name, value in stages.items()}),
    }


def stage_of(step: str) -> str:
    """The stage that a step belongs to."""
    found = (name for name, starts in GROUPS.items() if step.startswith(starts))
    return "start-up" if step == "start-up" else next(found, "pre-flight")


def classes(sizes: list[int], kinds: list[str]) -> list[dict[str, Any]]:
    """All sizes, smaller ones first; each class is graded twice if it is small, and the better run counts."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        for kind in kinds:
            for size in sizes:
                path = Path(folder) / "class.csv"
                write_class(size, kind, path)
                runs = [graded(path, out) for _ in range(2 if size <= 50_000 else 1)]
                best = min(runs, key=lambda run: run["seconds"])
                rows.append({"kind": kind, "students": size, **best})
                print(f"{kind:8}{size:>11,}{best['seconds']:>9.1f} s{best['peak_gib']:>7.2f} GiB", flush=True)
                print(f"        {best['stages']}", flush=True)
    return rows


# -- battles ----------------------------------------------------------------------------------------------


def battles(count: int, models: int, judges: int) -> pl.DataFrame:
    """Battles of models whose strength is known, one in seven a tie."""
    rng = np.random.default_rng(0)
    strength = rng.normal(size=models)
    one = rng.integers(0, models, count)
    other = (one + rng.integers(1, models, count)) % models
    wins = rng.random(count) < 1.0 / (1.0 + np.exp(strength[other] - strength[one]))
    tied = rng.random(count) < 1 / 7
    frame = pl.DataFrame(
        {
            "judge": rng.integers(0, judges, count),
            "model_a": one,
            "model_b": other,
            "winner": np.where(tied, "tie", np.where(wins, "model_a", "model_b")),
        }
    )
    prefixes = {"judge": "judge ", "model_a": "m", "model_b": "m"}
    return frame.with_columns(pl.format(prefix + "{}", name).alias(name) for name, prefix in prefixes.items())


def used(work: Any, repeats: int = 3) -> tuple[float, float]:
    """The least processor and wall seconds of some calls."""
    found = []
    for _ in range(repeats):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        found.append((time.process_time() - processor, time.perf_counter() - wall))
    return min(one for one, _ in found), min(one for _, one in found)


def compare_battles(count: int) -> list[dict[str, Any]]:
    """Peerage, evalica and pandas on the same battles, in one process, in turn."""
    import evalica
    import pandas

    from peerage import fit, read

    rows = []

    def add(name: str, work: Any, repeats: int = 3) -> None:
        processor, wall = used(work, repeats)
        rows.append({"what": name, "battles": count, "processor": processor, "wall": wall})
        print(f"{name:44}{processor:>8.3f}{wall:>9.3f}")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "battles.csv"
        battles(count, MODELS, max(JUDGES * count // BATTLES, 2)).write_csv(path)
        feedback = read(path, grader="judge")
        frame = pandas.read_csv(path, dtype=str)
        add("reading, Peerage: checked and numbered", lambda: read(path, grader="judge"))
        add("reading, pandas: parsed, labels as text", lambda: pandas.read_csv(path, dtype=str))
    winner = evalica.Winner
    known = {"model_a": winner.X, "model_b": winner.Y, "tie": winner.Draw}
    one, one_names = pandas.factorize(pandas.concat([frame.model_a, frame.model_b]))
    left, right = one[:count].tolist(), one[count:].tolist()
    winners = frame.winner.map(known).tolist()
    for code in ("bt", "bt+g"):
        fit(feedback, code)  # compiles
    add("Bradley-Terry, Peerage (BT)", lambda: fit(feedback, "bt"))
    add("Bradley-Terry, evalica", lambda: evalica.bradley_terry(left, right, winners))
    add("with reliability of judges, Peerage (BT+G)", lambda: fit(feedback, "bt+g"), 2)
    theirs = evalica.bradley_terry(left, right, winners).scores
    half_wins = fit(read(with_half_wins(pl.from_pandas(frame)), grader="judge"), "bt", score_variance=1e6)
    off = largest_difference(half_wins, theirs, one_names)
    rows.append({"what": "largest difference of scores", "battles": count, "processor": off, "wall": None})
    return rows


def with_half_wins(frame: pl.DataFrame) -> pl.DataFrame:
    """A tie as evalica counts it: half a win for both."""
    tie, sides = pl.col("winner") == "tie", ("model_a", "model_b")
    halves = [frame.filter(tie).with_columns(winner=pl.lit(side), weight=pl.lit(0.5)) for side in sides]
    return pl.concat([frame.filter(~tie).with_columns(weight=pl.lit(1.0)), *halves])


def largest_difference(fitted: Any, scores: Any, names: Any) -> float:
    """Between Peerage's scores and the logarithms of evalica's, both around their mean."""
    theirs = dict(zip(names, np.log(scores.sort_index()), strict=True))
    mine, other = fitted.scores_, np.array([theirs[label] for label in fitted.feedback_.item_labels])
    return float(np.abs((mine - mine.mean()) - (other - other.mean())).max())


# -- files and page -----------------------------------------------------------------------------------------


def save(rows: list[dict[str, Any]], path: Path) -> None:
    """As CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def section(folder: Path = RESULTS) -> str:
    """What docs/reference/performance.md says of these, from the files alone; nothing without any."""
    parts = []
    if (folder / "end_to_end.csv").exists():
        parts.append(_classes_table(pl.read_csv(folder / "end_to_end.csv").to_dicts()))
    if (folder / "intervals.csv").exists():
        parts.append(intervals.table(pl.read_csv(folder / "intervals.csv").to_dicts()))
    if (folder / "battles.csv").exists():
        parts.append(_battles_table(pl.read_csv(folder / "battles.csv").to_dicts()))
    return "\n".join(parts)


def _classes_table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "## From file to files",
        "",
        "`peerage grade` of a CSV file, with all that it writes and the report: ten reviews a student.",
        "Processor seconds, user and system over all threads, beyond start-up; wall time with start-up, on",
        "2 cores (`python -m benchmarks.end_to_end`).",
        "",
        "| | processor time | wall time | peak memory | report | stages, in processor seconds |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        took = json.loads(row["stages"]).items()
        stages = ", ".join(f"{name} {value:.1f}" for name, value in took if value >= 0.05)
        lines.append(
            f"| {row['students']:,} students, {row['kind']} | {row['seconds']:.1f} s"
            f" | {row['wall']:.0f} s | {row['peak_gib']:.2f} GiB | {row['report_mib']:.1f} MiB | {stages} |"
        )
    for kind in dict.fromkeys(row["kind"] for row in rows):
        known = {row["students"]: row["seconds"] for row in rows if row["kind"] == kind}
        if {20_000, 200_000} <= set(known):
            times = known[200_000] / known[20_000]
            lines += ["", f"200,000 students take {times:.1f} times as long as 20,000 ({kind})."]
    return "\n".join(lines) + "\n"


def _battles_table(rows: list[dict[str, Any]]) -> str:
    count = rows[0]["battles"]
    lines = [
        f"## {count:,} battles among {MODELS} models",
        "",
        "The shape of those who [compare language models](../how-to/compare-models.md), one battle in",
        "seven a tie.",
        "All in one process, the least of a few calls; evalica got numbers and its own winners, ready made.",
        "",
        "| | processor time | wall time |",
        "|---|--:|--:|",
    ]
    timed = [row for row in rows if row["wall"] is not None]
    lines += [f"| {row['what']} | {row['processor']:.2f} s | {row['wall']:.2f} s |" for row in timed]
    known = {row["what"]: row["processor"] for row in rows}
    faster = known["Bradley-Terry, evalica"] / known["Bradley-Terry, Peerage (BT)"]
    lines += [
        "",
        f"BT is {faster:.1f} times faster than evalica's. Where a tie counts as half a win, as there,",
        f"the scores of both differ by at most {known['largest difference of scores']:.1g}.",
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Measure, save, and write the page anew."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--battles", type=int, default=BATTLES, help="0 for none")
    parser.add_argument(
        "--peers", nargs="+", type=int, default=list(intervals.SIZES), help="sizes; 0 for none"
    )
    parser.add_argument("--quick", action="store_true", help="small, and nothing is kept")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    if given.quick:
        classes([300], given.kinds)
        intervals.compare([30])
        compare_battles(2_000)
        return
    if given.sizes != [0]:
        save(classes(given.sizes, given.kinds), given.results / "end_to_end.csv")
    if given.peers != [0]:
        save(intervals.compare(given.peers), given.results / "intervals.csv")
    if given.battles:
        save(compare_battles(given.battles), given.results / "battles.csv")


if __name__ == "__main__":
    main()
