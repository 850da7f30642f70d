"""The plan as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerage import palette

if TYPE_CHECKING:
    import polars as pl

    from peerage.planning.trial import Setting

LINES = (
    ("tau_error", "pairs in the wrong order (%)", "o", palette.BLUE),
    ("staff_tau_error", "the same, against staff grades (%)", "s", palette.ORANGE),
    ("boundary_error", "items in the wrong band (%)", "^", palette.PURPLE),
    ("interval", "place right within ± points (9 of 10)", "D", palette.GREEN),
)


def draw(setting: Setting, table: pl.DataFrame, path: Path) -> Path:
    """Every figure against the workload, the workload asked about marked."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    x = table["reviews_per_student"].to_numpy()
    for column, label, mark, shade in LINES:
        axes.plot(x, table[column].to_numpy(), marker=mark, ms=5, color=shade, label=label)
    axes.axvline(setting.per_student, color="black", lw=0.8, ls=":")
    axes.set_xticks(x)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("reviews per student")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False)
    axes.set_title(_title(setting), fontsize=10)
    figure.savefig(path, dpi=120)
    return path


def _title(setting: Setting) -> str:
    more = "" if setting.reliability == 1 else f", reliability {setting.reliability:g}"
    more += f", {setting.lazy:.0%} lazy" if setting.lazy > 0 else ""
    work = f"{setting.students} students, {setting.items} submissions"
    return f"{work}, {setting.feedback}{more} (simulated)"
