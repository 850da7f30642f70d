"""The page and the picture of the models' speed, from the results alone: python -m benchmarks.model_report"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import end_to_end
from peerage.palette import CROSSING

ROOT = Path(__file__).parents[1]
NAMES = {
    "evalica:bradley_terry": "evalica, Bradley-Terry",
    "evalica:newman": "evalica, Newman",
    "choix:ilsr_pairwise": "choix, I-LSR on pairs",
    "choix:ilsr_rankings": "choix, I-LSR on lists",
    "choix:opt_pairwise": "choix, Bradley-Terry with our prior",
    "choix:opt_rankings": "choix, Plackett-Luce with our prior",
    "crowd-kit:BradleyTerry": "crowd-kit, Bradley-Terry",
    "crowd-kit:NoisyBradleyTerry": "crowd-kit, noisy Bradley-Terry",
}
COLOURS = dict(zip(("BT", "PL", "THUR", "MALS", "MAL", "NCS"), CROSSING, strict=True))
STYLES = {"evalica": ".--", "choix": ".-", "crowd-kit": ".:"}

INTRODUCTION = """\
# Performance

For those who compare libraries. Written by `make bench` from the files in `benchmarks/results`; change the
benchmark, not this page.

Machine: {machine}.

![Seconds against reviews, both on logarithmic scales](../images/performance.png)

## One fit

All contenders got the same strict lists and scores of invented classes, one after the other, each in a
process of its own. Times are medians of repeated fits in a warm process: compiling, loading and
converting the data are not in them. The peers know no grader reliability and, except for the last two of
choix, no prior. A peer that failed at one size was not tried at larger ones. Columns are items × graders
and the length of their lists.
"""
MARKS = {"every item gets the same score": "†", "stops after two steps": "‡"}
MEMORY_NOTE = """\
Peak memory of the whole process, libraries and data included. Other methods of Peerage need less, or as much:
"""
SHOWN = {
    *NAMES,
    *(f"peerage:{code}" for code in ("PL+G", "BT+G", "THUR+G", "MALS+G", "MAL+G", "NCS+G")),
}  # in the table of memory
PASS_NOTE = """\
## One pass against the speed of light

A fit is a few dozen passes over the lists. Here is one pass, value and gradient of every list's likelihood,
beside `numpy.exp` over as many numbers as there are list entries, on one core. Large classes use all cores.
"""
GROWTH_NOTE = """\
## Growth

What ten times as many items, graders and reviews cost: 200,000 items and graders against 20,000, lists of 10.
Both classes are fitted in turns in one process, because the machine is not equally busy at all times; the
figure is the median over rounds, with the range in brackets. Ten would be in proportion. What is above comes
mostly from memory, whose cache holds the smaller class only, and from a turn more where methods take turns.
"""


def read(path: Path) -> list[dict[str, Any]]:
    numbers = dict.fromkeys(("items", "graders", "length", "runs", "rounds"), int)
    seconds = ("median_seconds", "least_seconds", "small_seconds", "large_seconds")
    numbers |= dict.fromkeys((*seconds, "peak_mib", "times", "least_times", "most_times"), float)
    with path.open(encoding="utf-8") as file:
        return [
            {name: numbers.get(name, str)(text) if text else None for name, text in row.items()}
            for row in csv.DictReader(file)
        ]


def write(results: Path, page: Path) -> None:
    rows, beside = read(results), results.with_name("growth.csv")
    picture = page.parents[1] / "images" / "performance.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    page.parent.mkdir(parents=True, exist_ok=True)
    draw(rows, picture)
    whole = text(rows, read(beside) if beside.exists() else []), end_to_end.section(results.parent)
    page.write_text("\n".join(filter(None, whole)), encoding="utf-8")


# -- words --------------------------------------------------------------------------------------------------


def duration(seconds: float) -> str:
    """Three digits and a unit that suits."""
    for unit, size in (("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)):
        if seconds < 999.5 * size or unit == "s":
            digits = max(0, 2 - len(str(int(seconds / size))) + 1) if seconds >= size else 2
            return f"{seconds / size:.{digits}f}\N{NO-BREAK SPACE}{unit}"
    raise AssertionError


def outcome(row: dict[str, Any]) -> str:
    """The time, or what came instead of one."""
    if row["median_seconds"] is None:
        return str(row["status"])
    note = "" if row["status"] == "ok" else MARKS.get(row["status"], f"({row['status']})")
    return f"{duration(row['median_seconds'])} {note}".rstrip()


def size_of(row: dict[str, Any]) -> tuple[int, int, int]:
    return row["items"], row["graders"], row["length"]


def named(size: tuple[int, int, int]) -> str:
    return "{:,} × {:,}, {}".format(*size)


def memory(mib: float | None) -> str:
    if mib is None:
        return ""
    return f"{mib:.0f} MiB" if mib < 1000 else f"{mib / 1024:.2f} GiB"


def by_size(rows: list[dict[str, Any]]) -> dict[tuple[int, int, int], list[dict[str, Any]]]:
    groups = defaultdict(list)
    for row in rows:
        groups[size_of(row)].append(row)
    return dict(groups)


def text(rows: list[dict[str, Any]], growth: list[dict[str, Any]]) -> str:
    marked = {row["status"] for row in rows}
    notes = [f"{mark} {status}" for status, mark in MARKS.items() if status in marked]
    parts = [
        INTRODUCTION.format(machine=rows[0]["machine"]),
        fit_table(rows, outcome, [faster(rows)]),
        ", ".join(notes) + "\n" if notes else "",
        MEMORY_NOTE,
        fit_table([row for row in rows if row["contender"] in SHOWN], lambda row: memory(row["peak_mib"])),
        pass_table(rows),
        growth_table(growth),
    ]
    return "\n".join(part for part in parts if part)


def fit_table(
    rows: list[dict[str, Any]], cell: Callable[[dict[str, Any]], str], last: Sequence[str] = ()
) -> str:
    """One line per contender, one column per size."""
    sizes = list(by_size(rows))
    found = {(row["contender"], size_of(row)): cell(row) for row in rows}
    lines = [f"| | {' | '.join(map(named, sizes))} |", "|---|" + "--:|" * len(sizes)]
    for contender in dict.fromkeys(row["contender"] for row in rows):
        kind, _, what = contender.partition(":")
        if kind == "peerage" or contender in NAMES:
            name = f"**{what}**" if kind == "peerage" else NAMES[contender]
            cells = (found.get((contender, size), "") for size in sizes)
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, *last]) + "\n"


def faster(rows: list[dict[str, Any]]) -> str:
    """The last line of the times: PL against the fastest peer with an answer."""
    ratios = []
    for group in by_size(rows).values():
        ended = {row["contender"]: row["median_seconds"] for row in group if row["status"] == "ok"}
        peers = [seconds for contender, seconds in ended.items() if contender in NAMES]
        own = ended.get("peerage:PL")
        ratios.append(times(min(peers) / own) if peers and own else "")
    return f"| the fastest peer, in times of PL | {' | '.join(ratios)} |"


def times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def pass_table(rows: list[dict[str, Any]]) -> str:
    found = {(size_of(row), row["contender"]): row["median_seconds"] for row in rows}
    sizes = [size for size in by_size(rows) if found.get((size, "numpy:exp"))]
    codes = [code for code in ("BT", "PL", "THUR", "MALS") if any(c == f"pass:{code}" for _, c in found)]
    if not sizes or not codes:
        return ""
    lines = [PASS_NOTE, f"| | numpy.exp | {' | '.join(codes)} |", "|---|--:|" + "--:|" * len(codes)]
    for size in sizes:
        light = found[size, "numpy:exp"]
        passes = [found.get((size, f"pass:{code}")) for code in codes]
        entries = [f"{duration(one)} ({times(one / light)}x)" if one else "" for one in passes]
        lines.append(f"| {named(size)} | {duration(light)} | {' | '.join(entries)} |")
    return "\n".join(lines) + "\n"


def growth_table(rows: list[dict[str, Any]]) -> str:
    lines = [GROWTH_NOTE, "| | small | large | times as long |", "|---|--:|--:|--:|"]
    for row in rows:
        found = row["status"]
        if row["times"]:
            spread = f"({row['least_times']:.1f} to {row['most_times']:.1f}, {row['rounds']} rounds)"
            found = f"{row['times']:.1f} {spread if row['rounds'] > 1 else '(one round)'}"
        seconds = [duration(row[name]) if row[name] else "" for name in ("small_seconds", "large_seconds")]
        lines.append(f"| **{row['method']}** | {' | '.join(seconds)} | {found} |")
    return "\n".join(lines) + "\n" if rows else ""


# -- the picture --------------------------------------------------------------------------------------------


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Seconds against reviews: Peerage in colour without and with reliability, peers in grey."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines = defaultdict(list)
    for row in rows:
        if row["status"] == "ok":
            lines[row["contender"]].append((row["graders"] * row["length"], row["median_seconds"]))
    figure, panels = pyplot.subplots(1, 2, figsize=(10, 4.5), sharey=True, layout="constrained")
    for panel, suffix, title in zip(
        panels, ("", "+G"), ("without reliability", "with reliability (+G)"), strict=True
    ):
        for library, style in STYLES.items():
            peers = [lines[one] for one in NAMES if one.startswith(library) and one in lines]
            for label, points in zip([library, *[None] * len(peers)], peers, strict=False):
                panel.plot(*zip(*points, strict=True), style, color="0.6", linewidth=1, zorder=1, label=label)
        for code, colour in COLOURS.items():
            if points := lines.get(f"peerage:{code}{suffix}"):
                panel.plot(
                    *zip(*points, strict=True), color=colour, marker="o", markersize=4, label=code + suffix
                )
        panel.set(xscale="log", yscale="log", xlabel="reviews", title=title)
        panel.grid(alpha=0.3)
        if panel.lines:
            panel.legend(fontsize=8, frameon=False)
    panels[0].set_ylabel("seconds")
    figure.savefig(path, dpi=150, metadata={"Software": None})
    pyplot.close(figure)


if __name__ == "__main__":
    write(ROOT / "benchmarks/results/models.csv", ROOT / "docs/reference/performance.md")
