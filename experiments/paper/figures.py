"""Figures of the experiments, drawn from their result tables alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from experiments.paper.methods import is_ours, needs_scores
from experiments.paper.runner import EXPERIMENTS, read_results
from experiments.paper.summary import means
from peerage import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ORDERS, SCORES, OURS, OTHERS = palette.BLUE, palette.ORANGE, palette.GREEN, palette.GREY
MARKS = ("o", "s", "^", "v", "D", "P", "X", "*", "<", ">")
WIDTH = 4.2  # inches of a panel
NAMES = {"tau_error": "tau error (%)", "change": "change of tau error (points)", "seconds": "CPU seconds"}


def draw(csv: str | Path) -> Path:
    """Draw the figure of a result table beside it: `accuracy.csv` gives `accuracy.png`."""
    csv = Path(csv)
    figure = DRAWINGS[csv.stem](read_results(csv))
    out = csv.with_suffix(".png")
    figure.savefig(out, dpi=120, metadata={"Software": None})
    return out


def colour(method: str) -> str:
    """By what a method works on: orders, scores, or what suits (our default); other libraries are grey."""
    if method.startswith("default"):
        return OURS
    if not is_ours(method):
        return OTHERS
    return SCORES if needs_scores(method) else ORDERS


def _panels(number: int, height: float) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    columns = min(2 if number <= 6 else 4, number)
    rows = -(-number // columns)
    figure = Figure(figsize=(WIDTH * columns + 0.4, height * rows + 0.4), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    axes: list[Axes] = list(grid.ravel())
    for spare in axes[number:]:
        spare.set_axis_off()
    return figure, axes[:number]


def _dots(
    axes: Axes, table: pl.DataFrame, order: list[str], *, shift: float = 0.0, hollow: bool = False
) -> None:
    """One method per line: its mean and error."""
    place = {name: -line for line, name in enumerate(order)}
    for row in table.iter_rows(named=True):
        shade = colour(row["method"])
        axes.errorbar(
            row["mean"],
            place[row["method"]] + shift,
            xerr=row["se"],
            fmt="o",
            ms=5,
            color=shade,
            mfc="white" if hollow else shade,
            elinewidth=1.2,
        )
    axes.set_yticks([-line for line in range(len(order))], order, fontsize=8)
    axes.grid(axis="x", alpha=0.3)
    axes.tick_params(axis="x", labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


def _title(figure: Figure, name: str, more: str = "") -> None:
    figure.suptitle(EXPERIMENTS[name].question + (f"\n{more}" if more else ""), fontsize=10)


def _by_method(name: str, metric: str = "tau_error", more: str = "") -> Callable[[pl.DataFrame], Figure]:
    def drawing(frame: pl.DataFrame) -> Figure:
        table = means(frame, metric, EXPERIMENTS[name])
        data = table["data"].unique(maintain_order=True).to_list()
        figure, axes = _panels(len(data), 0.8 + 0.17 * table["method"].n_unique())
        for panel, which in zip(axes, data, strict=True):
            mine = table.filter(pl.col("data") == which)
            _dots(panel, mine, mine.sort("mean")["method"].to_list())
            panel.set_title(which, fontsize=9)
            panel.set_xlabel(NAMES.get(metric, metric), fontsize=8)
            if metric == "seconds":
                panel.set_xscale("log")
        _title(figure, name, more)
        return figure

    return drawing


def _ta_baseline(frame: pl.DataFrame) -> Figure:
    data = frame["data"].unique(maintain_order=True).to_list()
    figure, axes = _panels(len(data), 2.6)
    for panel, which in zip(axes, data, strict=True):
        bins: Any = np.arange(0, 101, 4)
        mine = frame.filter(pl.col("data") == which)
        for (method,), rows in mine.group_by("method", maintain_order=True):
            values = rows["tau_error"].drop_nulls().to_numpy()
            label = f"{method}: {values.mean():.1f} ± {values.std():.1f}"
            panel.hist(values, bins, density=True, alpha=0.6, label=label)
        panel.set_title(which, fontsize=9)
        panel.set_xlabel("tau error (%)", fontsize=8)
        panel.set_yticks([])
        panel.set_ylim(0, panel.get_ylim()[1] * 1.25)
        panel.legend(fontsize=7, frameon=False, loc="upper right")
        panel.spines[["top", "right", "left"]].set_visible(False)
    _title(figure, "ta-baseline")
    return figure


# Lines of one colour cross too often to be followed: here every method has its own.
SHOWN = {
    "SCAVG": palette.ORANGE,
    "NCS+G": palette.YELLOW,
    "MAL": palette.PURPLE,
    "MALBC": palette.CYAN,
    "BT+G": palette.BLUE,
    "PL+G": palette.INDIGO,
    "default-orders": palette.LEAF,
    "default": OURS,
}


def _lines(axes: Axes, table: pl.DataFrame, x: str, *, error: bool = False) -> None:
    """Mean against `x`, one line per method; only some methods, or nothing can be seen."""
    from matplotlib.ticker import MaxNLocator

    present = table["method"].unique().to_list()
    methods = [name for name in SHOWN if name in present] or sorted(present)
    for name in methods:
        number = list(SHOWN).index(name) if name in SHOWN else 0
        rows = table.filter(pl.col("method") == name).sort(x)
        # markers tell methods of one colour apart
        axes.errorbar(
            rows[x].to_numpy(),
            rows["mean"].to_numpy(),
            yerr=rows["se"].to_numpy() if error else None,
            marker=MARKS[number % len(MARKS)],
            ms=4,
            lw=1.2,
            color=SHOWN.get(name, OTHERS),
            alpha=0.85,
            label=name,
        )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(panels: list[Axes]) -> None:
    """In the panel that shows the most methods: not every data set has scores."""
    most = max(panels, key=lambda panel: len(panel.get_legend_handles_labels()[0]))
    most.legend(fontsize=7, frameon=False, ncols=2)


def _scale(frame: pl.DataFrame) -> Figure:
    table = means(frame, "tau_error", EXPERIMENTS["scale"])
    panels = table.select("data", "axis").unique(maintain_order=True).sort("axis", "data")
    figure, axes = _panels(len(panels), 2.9)
    for panel, (data, axis) in zip(axes, panels.iter_rows(), strict=True):
        _lines(panel, table.filter((pl.col("data") == data) & (pl.col("axis") == axis)), "amount")
        panel.set_title(data, fontsize=9)
        panel.set_xlabel(axis, fontsize=8)
        panel.set_ylabel("tau error (%)", fontsize=8)
    _legend(axes)
    _title(figure, "scale")
    return figure


def _robustness(frame: pl.DataFrame) -> Figure:
    table = means(frame, "change", EXPERIMENTS["robustness"])
    data = table["data"].unique(maintain_order=True).to_list()
    figure, axes = _panels(len(data), 2.9)
    for panel, which in zip(axes, data, strict=True):
        _lines(panel, table.filter(pl.col("data") == which), "added", error=True)
        panel.axhline(0, color="black", lw=0.8)
        panel.set_title(which, fontsize=9)
        panel.set_xlabel("lazy graders added", fontsize=8)
        panel.set_ylabel("change of tau error (points)", fontsize=8)
    _legend(axes)
    _title(figure, "robustness")
    return figure


def _lazy(frame: pl.DataFrame) -> Figure:
    table = means(frame, "found", EXPERIMENTS["lazy"])
    table = table.with_columns(pl.col("mean", "se") * 100)
    table = table.filter(pl.col("lazy") == "normal")  # as in the paper; the table has the others
    data = table["data"].unique(maintain_order=True).to_list()
    figure, axes = _panels(len(data), 0.8 + 0.2 * table["method"].n_unique())
    for panel, which in zip(axes, data, strict=True):
        mine = table.filter(pl.col("data") == which)
        fitted = mine.filter(pl.col("by") == "reliability")
        order = fitted.sort("mean", descending=True)["method"].to_list()
        _dots(panel, fitted, order, shift=0.12)
        _dots(panel, mine.filter(pl.col("by") == "heuristic"), order, shift=-0.15, hollow=True)
        panel.set_xlim(0, 103)
        panel.set_title(which, fontsize=9)
        panel.set_xlabel("lazy graders found (%)", fontsize=8)
    _title(figure, "lazy", "filled: by estimated reliability; hollow: by agreement with the plain estimate")
    return figure


DRAWINGS: dict[str, Callable[[pl.DataFrame], Figure]] = {
    "accuracy": _by_method("accuracy"),
    "ta-agreement": _by_method("ta-agreement"),
    "ta-baseline": _ta_baseline,
    "self-consistency": _by_method("self-consistency"),
    "scale": _scale,
    "lazy": _lazy,
    "robustness": _robustness,
    "runtime": _by_method("runtime", "seconds"),
}
