"""The report's figures as files: SVG and PNG, the same bytes on every run."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.palette import LIGHT
from peerage.plots import require_matplotlib
from peerage.report.class_plot import MOST_ROWS, bands_of, class_axis, task_rows
from peerage.report.data_section import MOST_PAIRS, pair_matrix
from peerage.report.page import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from peerage.grading.result import GradingResult

INK, MUTED, MARK, WHISKER, BAND, WARN = (
    LIGHT[name] for name in ("ink", "muted", "mark", "whisker", "band-a", "warn-ink")
)
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "peerage",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar sign in a label starts no formula
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
MARKS = {"consistent": ("o", MARK), "unknown": ("o", "none"), "chance": ("x", WARN), "reversed": ("v", WARN)}


def write_figures(result: GradingResult, folder: str | Path) -> list[Path]:
    """class, graders and comparisons, each as SVG and PNG; one of each per task where tasks differ."""
    require_matplotlib()
    import matplotlib as mpl

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # PNGs show a box; SVGs keep the text
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        for name, draw in _drawings(result):
            figure = draw()
            paths += [_save(figure, folder / f"{name}.{kind}") for kind in ("svg", "png")]
    return paths


def _drawings(result: GradingResult) -> list[tuple[str, Callable[[], Figure]]]:
    several = result.feedback.n_tasks > 1
    drawings: list[tuple[str, Callable[[], Figure]]] = []
    for k, rows in enumerate(task_rows(result)[:6]):
        number = f"-{k + 1}" if several else ""
        drawings.append((f"class{number}", lambda rows=rows: class_figure(result, rows)))  # type: ignore[misc]
        if result.preflight.counts.pairs <= MOST_PAIRS:
            drawings.append((f"comparisons{number}", lambda k=k: comparison_figure(result, k)))  # type: ignore[misc]
    drawings.append(("graders", lambda: grader_figure(result)))
    return drawings


def _save(figure: Figure, path: Path) -> Path:
    """Without a date or a version, which would make every run's bytes its own."""
    blank: dict[str, Any] = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
    figure.savefig(path, dpi=150, metadata=blank)
    return path


def _figure(width: float, height: float) -> tuple[Figure, Any]:
    """A figure of its own, outside pyplot: nothing is shown and nothing has to be closed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots()


def class_figure(result: GradingResult, rows: slice) -> Figure:
    """Items by score or points with intervals, over the bands of letters or steps."""
    size = rows.stop - rows.start
    return _rows_figure(result, rows) if size <= MOST_ROWS else _line_figure(result, rows)


def _rows_figure(result: GradingResult, rows: slice) -> Figure:
    axis, names = class_axis(result), [_label(name) for name in result.items["item"][rows]]
    figure, axes = _figure(7.0, 0.9 + 0.17 * len(names))
    for k, band in enumerate(bands_of(result, rows)):
        if k % 2 == 0:
            axes.axhspan(band.first - 0.5, band.last - 0.5, color=BAND, zorder=0)
        middle = (band.first + band.last - 1) / 2
        axes.annotate(_label(band.name), (1.01, middle), xycoords=("axes fraction", "data"), va="center")
    y = np.arange(len(names))
    axes.hlines(y, axis.low[rows], axis.high[rows], color=WHISKER, linewidth=1.8)
    axes.plot(axis.value[rows], y, "o", color=MARK, markersize=4)
    if (ends := axis.at_end[rows]).any():  # open dots
        axes.plot(axis.value[rows][ends], y[ends], "o", color=MARK, markerfacecolor="white", markersize=4)
    axes.set_yticks(y, names, fontsize=7.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    if axis.start > axis.end:
        axes.invert_xaxis()
    axes.tick_params(axis="y", length=0)
    ends_words = "; open dots lie at the end of theirs" if ends.any() else ""
    axes.set_xlabel(f"{axis.name}, with {100 * result.interval:.0f} % intervals{ends_words}")
    return figure


def _label(name: object) -> str:
    return " ".join(printable(str(name)).split())[:24]


def _line_figure(result: GradingResult, rows: slice) -> Figure:
    axis = class_axis(result)
    figure, axes = _figure(7.0, 3.6)
    n = rows.stop - rows.start
    at = np.unique(np.linspace(0, n - 1, 1000).round().astype(np.int64))
    axes.fill_between(at + 1, axis.low[rows][at], axis.high[rows][at], color=WHISKER, alpha=0.4, linewidth=0)
    axes.plot(at + 1, axis.value[rows][at], color=MARK, linewidth=1.8)
    axes.set_xlabel("Rank")
    axes.set_ylabel(f"{axis.name}, with {100 * result.interval:.0f} % intervals")
    return figure


def grader_figure(result: GradingResult) -> Figure:
    """Agreement of every grader with the others, and what it rests on; a shape per finding, no names."""
    frame = result.graders.filter(pl.col("check_agreement").is_not_null())
    figure, axes = _figure(7.0, 3.6)
    axes.axhline(50, color=MUTED, linewidth=1, linestyle=(0, (5, 4)))
    for flag, (shape, fill) in MARKS.items():
        part = frame.filter(pl.col("flag") == flag)
        if part.is_empty():
            continue
        label = f"{flag} ({len(part):,})"
        edge = {} if shape == "x" else {"edgecolors": MARK if fill == "none" else fill}
        axes.scatter(
            part["strict_pairs"],
            100 * part["check_agreement"],
            s=22,
            marker=shape,
            c=fill,
            label=label,
            **edge,
        )
    axes.set_xlabel("Pairs that the grader put in order: the evidence")
    axes.set_ylabel("Agreement with the others, %")
    axes.set_ylim(-3, 103)
    if not frame.is_empty():
        axes.legend(frameon=False, loc="lower right", fontsize=8)
    return figure


def comparison_figure(result: GradingResult, task: int) -> Figure:
    """Who was compared with whom, in order of rank."""
    matrix = pair_matrix(result, task)
    figure, axes = _figure(4.6, 4.6)
    size = int(np.diff(result.feedback.task_starts)[task])
    rows, columns = np.nonzero(matrix)
    top = float(matrix.max()) or 1.0
    step = size / len(matrix)
    area = (260 / len(matrix)) ** 2 * matrix[rows, columns] / top
    axes.scatter((columns + 0.5) * step, (rows + 0.5) * step, s=area, marker="s", color=MARK, linewidths=0)
    axes.set(xlim=(0, size), ylim=(size, 0), aspect="equal")
    axes.set_xlabel("Rank; larger squares were compared more often")
    axes.set_ylabel("Rank")
    return figure
