"""The class on one plot, as SVG in the page: it takes the page's colours and answers to pointer and keys.

Positions along the axis are per cent of the width, so that the plot fits any screen while its text keeps
its size. A small class has a row per item; a large one is a line with its band of intervals.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from peerage.grading.items import EDGE_WORDS
from peerage.grading.points import decimals
from peerage.report.page import Links, interval, links_of, number, prose, text

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from peerage.grading.result import GradingResult

    Floats = NDArray[np.float64]

EDGE = 2.0  # per cent of the width kept free on either side
MOST_ROWS = 150  # items of a task that get a row each
MOST_TASKS = 6  # tasks that are drawn
ROW, HEAD, FOOT = 20, 8, 24  # pixels
NAME_LENGTH = 16
STEPS = 400  # points of the line of a large class
WIDE = 320  # pixels of its height


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """What is drawn: a value and an interval for every row of ``items``, and where the axis ends.

    Ranks run the other way, so that better is always to the right.
    """

    name: str
    value: Floats
    low: Floats
    high: Floats
    start: float
    end: float
    digits: int
    at_end: NDArray[np.bool_]  # whether the value lies at the end of its interval

    def place(self, values: Floats | float) -> Floats:
        """Where values fall, in per cent of the width."""
        share = (np.asarray(values, dtype=float) - self.start) / (self.end - self.start)
        return np.asarray(EDGE + (100 - 2 * EDGE) * np.clip(share, 0.0, 1.0))

    def ticks(self) -> Floats:
        return round_numbers(self.start, self.end)


def class_axis(result: GradingResult) -> Axis:
    """Points where there are any; ranks for a method that gives nothing else; else scores."""
    items = result.items
    if "points" in items.columns:
        points = _axis("Points", *(items[n].to_numpy() for n in ("points", "points_low", "points_high")))
        return replace(points, at_end=items["points_edge"].is_not_null().to_numpy())
    if result.fitted.score_scale == "rank":
        values = (items[n].to_numpy().astype(float) for n in ("rank", "rank_low", "rank_high"))
        return _axis("Rank", *values, falling=True)
    return _axis("Score", *(items[n].to_numpy() for n in ("score", "score_low", "score_high")))


def _axis(name: str, value: Floats, low: Floats, high: Floats, *, falling: bool = False) -> Axis:
    low, high = np.where(np.isfinite(low), low, value), np.where(np.isfinite(high), high, value)
    least, most = (float(low.min()), float(high.max())) if len(value) else (0.0, 1.0)
    if most <= least:
        least, most = least - 1.0, most + 1.0
    start, end = (most, least) if falling else (least, most)
    digits = 0 if falling else decimals(most - least)
    return Axis(name, value, low, high, start, end, digits, np.zeros(len(value), dtype=bool))


def round_numbers(start: float, end: float, most: int = 8) -> Floats:
    """At most `most` + 1 multiples of 1, 2 or 5 times a power of ten between two numbers."""
    low, high = min(start, end), max(start, end)
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(k for k in (1, 2, 5, 10) if k * power >= raw * (1 - 1e-9))
    return np.asarray(
        np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1) * step, dtype=float
    )


def tick_text(value: float, ticks: Floats) -> str:
    """A tick with no more decimals than the step between ticks needs."""
    step = float(ticks[1] - ticks[0]) if len(ticks) > 1 else 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value + 0.0:.{digits}f}".replace("-", "\N{MINUS SIGN}")


# -- one figure per task --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Band:
    """Rows in a run that share a letter, or that the data cannot tell apart."""

    name: str
    first: int
    last: int  # one past the end


def class_plots(result: GradingResult, links: Links | None = None) -> str:
    """One figure per task, up to a handful."""
    axis = class_axis(result)
    figures = [
        _figure(result, axis, rows, k, links)
        for k, rows in enumerate(task_rows(result)[:MOST_TASKS], start=1)
    ]
    left = result.feedback.n_tasks - MOST_TASKS
    more = f"<p>{left:,} more tasks are in the table of grades below.</p>" if left > 0 else ""
    return "\n".join([*figures, more])


def task_rows(result: GradingResult) -> list[slice]:
    """The rows of each task; rows of a task lie together."""
    sizes = np.diff(result.feedback.task_starts)
    ends = np.cumsum(sizes)
    return [slice(int(end - size), int(end)) for size, end in zip(sizes, ends, strict=True) if size]


def bands_of(result: GradingResult, rows: slice) -> list[Band]:
    """Letters where there are any, else the steps of the order."""
    column = "letter" if "letter" in result.items.columns else "step"
    names = result.items[column][rows]
    changes = (names != names.shift()).fill_null(value=True).to_numpy()
    starts = np.flatnonzero(changes).tolist()
    return [Band(str(names[a]), a, b) for a, b in itertools.pairwise([*starts, len(names)])]


def _figure(result: GradingResult, axis: Axis, rows: slice, which: int, links: Links | None) -> str:
    size = rows.stop - rows.start
    large = size > MOST_ROWS
    draw = _large(result, axis, rows, which) if large else _small(result, axis, rows, which, links)
    task = f"Task {result.items['task'][rows.start]}: " if result.feedback.n_tasks > 1 else ""
    caption = (
        f"{task}{size:,} items in order of rank, best first. A dot is the {axis.name.lower()}, its line the"
        f" {100 * result.interval:.0f} % interval. {_band_words(result, 'at the side')}"
    )
    if axis.at_end[rows].any():
        caption += " An open dot lies at the end of its interval; the text above says why."
    if large:
        caption = (
            f"{task}{size:,} items in order of rank, best on the left. The line is the estimate, the shaded"
            f" band the {100 * result.interval:.0f} % intervals. {_band_words(result, 'at the top')}"
        )
    return (
        f'<figure class="plot" id="class-plot-{which}"><figcaption id="class-plot-{which}-caption">'
        f"{prose(caption)}</figcaption>\n{draw}\n</figure>"
    )


def _band_words(result: GradingResult, where: str) -> str:
    if result.letters is not None:
        return f"Shaded stripes are letter grades, named {where}."
    return f"Shaded stripes are the steps of the order, numbered {where}."


# -- a row per item -------------------------------------------------------------------------------------


def _small(result: GradingResult, axis: Axis, rows: slice, which: int, links: Links | None) -> str:
    items = result.items[rows]
    height = HEAD + ROW * len(items) + FOOT
    names = [str(name) for name in items["item"]]
    width = 14 + 7 * min(max(map(len, names)), NAME_LENGTH)
    stripes = bands_of(result, rows)
    side = 18 + 8 * min(max(len(band.name) for band in stripes), 12)
    leads = links_of(items, links) or [""] * len(items)
    marks = "\n".join(
        _mark(axis, rows.start + k, row_words(result, rows.start + k), first_row=rows.start, link=link)
        for k, link in enumerate(leads)
    )
    return "\n".join(
        [
            '<div class="rows">',
            f'<svg class="names" width="{width}" height="{height}" aria-hidden="true">',
            *(f'<text x="{width - 8}" y="{_y(k)}">{text(_short(n))}</text>' for k, n in enumerate(names)),
            "</svg>",
            f'<svg class="marks" width="100%" height="{height}" role="group"'
            f' aria-labelledby="class-plot-{which}-caption" data-rove>',
            *(_stripe(band, k) for k, band in enumerate(stripes)),
            _grid(axis, height),
            marks,
            "</svg>",
            f'<svg class="sides" width="{side}" height="{height}" aria-hidden="true">',
            *(_side(band, k, side) for k, band in enumerate(stripes)),
            "</svg></div>",
            '<p class="readout" aria-live="polite">Point at a row, or move through them with the arrow'
            " keys, to read it here.</p>",
        ]
    )


def _y(row: int) -> int:
    return HEAD + ROW * row + ROW // 2


def _short(name: str) -> str:
    return name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + "…"


def _stripe(band: Band, k: int) -> str:
    top, tall = HEAD + ROW * band.first, ROW * (band.last - band.first)
    return f'<rect class="band b{k % 2}" x="0" y="{top}" width="100%" height="{tall}"/>'


def _side(band: Band, k: int, width: int) -> str:
    top, tall = HEAD + ROW * band.first, ROW * (band.last - band.first)
    return (
        f'<rect class="band b{k % 2}" x="0" y="{top}" width="{width}" height="{tall}"/>'
        f'<text x="{width // 2}" y="{top + tall // 2}">{text(band.name)}</text>'
    )


def _grid(axis: Axis, height: int) -> str:
    ticks = axis.ticks()
    foot = height - FOOT
    lines = [
        f'<line class="grid" x1="{x:.2f}%" x2="{x:.2f}%" y1="{HEAD}" y2="{foot}"/>'
        f'<text class="tick" x="{x:.2f}%" y="{height - 6}">{tick_text(value, ticks)}</text>'
        for value, x in zip(ticks.tolist(), axis.place(ticks).tolist(), strict=True)
    ]
    return "\n".join(lines)


def _mark(axis: Axis, row: int, words: str, *, first_row: int, link: str) -> str:
    at, low, high = (float(axis.place(v[row])) for v in (axis.value, axis.low, axis.high))
    label, y = text(words), _y(row - first_row)
    tab = 0 if row == first_row else -1
    opening, title = 'g class="mark" role="img"', f"<title>{label}</title>"
    if link:  # whoever follows links has a page around this one that shows the words itself
        opening, title = f'a class="mark" href="{text(link)}"', ""
    return (
        f'<{opening} aria-label="{label}" tabindex="{tab}">'
        f'{title}<rect class="hit" x="0" y="{y - ROW // 2}" width="100%" height="{ROW}"/>'
        f'<line class="whisker" x1="{min(low, high):.2f}%" x2="{max(low, high):.2f}%" y1="{y}" y2="{y}"/>'
        f'<circle{open_dot(axis, row)} cx="{at:.2f}%" cy="{y}" r="4.5"/></{opening[0]}>'
    )


def open_dot(axis: Axis, row: int) -> str:
    """The class of a dot at the end of its interval: no dot lies there without a word."""
    return ' class="at-end"' if axis.at_end[row] else ""


def row_words(result: GradingResult, row: int) -> str:
    """An item's standing in a few words."""
    item = result.items.row(row, named=True)
    parts = [f"rank {item['rank']} (likely {interval(item['rank_low'], item['rank_high'])})"]
    if item.get("points") is not None:
        parts.append(_spoken("points", item["points"], item["points_low"], item["points_high"]))
        if edge := item.get("points_edge"):
            parts.append(EDGE_WORDS[edge])
    elif result.fitted.score_scale != "rank":
        parts.append(_spoken("score", item["score"], item["score_low"], item["score_high"]))
    if "letter" in item:
        parts.append(f"letter {item['letter_probabilities']}")
    return f"{item['item']}: {', '.join(parts)}"


def _spoken(name: str, value: float, low: float, high: float) -> str:
    return f"{name} {number(value, 2)} (likely {interval(low, high, 2)})"


# -- a large class --------------------------------------------------------------------------------------


def _large(result: GradingResult, axis: Axis, rows: slice, which: int) -> str:
    size = rows.stop - rows.start
    at = np.unique(np.linspace(0, size - 1, STEPS).round().astype(np.int64))
    x = 1000 * at / max(size - 1, 1)
    value = 100 - axis.place(axis.value[rows])[at]
    low, high = (100 - _smooth(axis.place(v[rows]), at) for v in (axis.low, axis.high))
    ribbon = _path(np.append(x, x[::-1]), np.append(high, low[::-1])) + "Z"
    ticks = axis.ticks()
    spoken = text(_large_words(result.items[rows], axis))
    return "\n".join(
        [
            f'<svg class="wide" width="100%" height="{WIDE + FOOT}" role="img" aria-label="{spoken}">',
            *_columns(bands_of(result, rows), size),
            f'<svg width="100%" height="{WIDE}" viewBox="0 0 1000 100" preserveAspectRatio="none">',
            *(f'<line class="grid" x1="0" x2="1000" y1="{100 - y:.2f}" y2="{100 - y:.2f}"/>'
              for y in axis.place(ticks).tolist()),
            f'<path class="ribbon" d="{ribbon}"/><path class="line" d="{_path(x, value)}"/>',
            "</svg>",
            *(f'<text class="tick left" x="2" y="{_tick_y(y):.1f}">{tick_text(v, ticks)}</text>'
              for v, y in zip(ticks.tolist(), axis.place(ticks).tolist(), strict=True)),
            *_ranks(size),
            "</svg>",
        ]
    )  # fmt: skip


def _tick_y(place: float) -> float:
    """Above its line, or below it where the picture ends."""
    y = WIDE * (1 - place / 100)
    return y - 3 if y > 14 else y + 13


def _smooth(values: Floats, at: NDArray[np.int64]) -> Floats:
    """The middle of the ends around each point: single intervals jump, the band should show the usual one."""
    edges = [0, *((at[:-1] + at[1:] + 1) // 2).tolist(), len(values)]
    return np.array([np.median(values[a : max(b, a + 1)]) for a, b in itertools.pairwise(edges)])


def _path(x: Floats, y: Floats) -> str:
    return "M" + "L".join(f"{a:.1f} {b:.2f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))


def _columns(bands: list[Band], size: int) -> list[str]:
    """The bands of a large class as upright stripes; names only where there is room."""
    if len(bands) > 20:
        return []
    marks = []
    for k, band in enumerate(bands):
        left, wide = 100 * band.first / size, 100 * (band.last - band.first) / size
        marks.append(
            f'<rect class="band b{k % 2}" x="{left:.2f}%" y="0" width="{wide:.2f}%" height="{WIDE}"/>'
        )
        if wide >= 4:
            marks.append(
                f'<text class="band-name" x="{left + wide / 2:.2f}%" y="16">{text(band.name)}</text>'
            )
    return marks


def _ranks(size: int) -> list[str]:
    places = [(0, 1, "start"), (25, size // 4, "middle"), (50, size // 2, "middle"),
              (75, 3 * size // 4, "middle"), (100, size, "end")]  # fmt: skip
    return [
        f'<text class="tick {anchor}" x="{x}%" y="{WIDE + FOOT - 6}">{"rank " * (x == 0)}{rank:,}</text>'
        for x, rank, anchor in places
    ]


def _large_words(items: pl.DataFrame, axis: Axis) -> str:
    return (
        f"{axis.name} of {len(items):,} items by rank, falling from {number(float(axis.value.max()), 2)}"
        f" to {number(float(axis.value.min()), 2)}; the table of grades has every item."
    )
