"""Graders on one plot: how often each agrees with the others, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.report.markup import percent, prose, text

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

MOST = 400  # graders that get a mark each
HEIGHT, HEAD = 230, 18

FLAGS = {  # the mark in the table and in the plot, and the words
    "reversed": ("▼", "against the class"),
    "chance": ("✕", "no better than chance"),
    "ties": ("=", "only ties"),
    "unknown": ("○", "too little to tell"),
    "consistent": ("●", "consistent"),
}


def flag_words(flag: str) -> str:
    """A flag with its mark."""
    return " ".join(FLAGS.get(flag, ("", flag)))


def grader_plot(result: GradingResult, names: list[str]) -> str:
    """A figure, or nothing where no grader ordered anything."""
    frame = result.graders.with_columns(name=pl.Series(names))
    frame = frame.filter(pl.col("check_agreement").is_not_null()).sort("check_agreement", "name")
    if frame.is_empty():
        return ""
    shown = frame.gather(np.unique(np.linspace(0, len(frame) - 1, MOST).round().astype(np.int64)))
    left = "" if len(shown) == len(frame) else f" Of {len(frame):,} graders, {len(shown)} are drawn."
    caption = (
        "How often each grader's order agrees with the estimate made without them, fewest on the left; lines"
        f" are 90 % intervals. At 50 % (dashed) a grader does no better than chance.{left}"
    )
    marks = [_mark(row, k, len(shown)) for k, row in enumerate(shown.iter_rows(named=True))]
    return "\n".join(
        [
            f'<figure class="plot" id="grader-plot"><figcaption id="grader-plot-caption">{prose(caption)}'
            "</figcaption>",
            f'<svg class="graders" width="100%" height="{HEIGHT + 6}" role="group"'
            ' aria-labelledby="grader-plot-caption" data-rove>',
            *_lines(),
            *marks,
            "</svg>",
            f"{_legend(frame)}",
            '<p class="readout" aria-live="polite">Point at a mark, or move through them with the arrow'
            " keys, to read it here.</p></figure>",
        ]
    )


def _y(share: float) -> float:
    return HEAD + (HEIGHT - HEAD) * (1 - share)


def _lines() -> list[str]:
    return [
        f'<line class="{"even" if share == 0.5 else "grid"}" x1="0" x2="100%"'
        f' y1="{_y(share):.1f}" y2="{_y(share):.1f}"/>'
        f'<text class="tick left" x="0" y="{_y(share) - 3:.1f}">{percent(share)}</text>'
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]


def _mark(row: dict[str, Any], k: int, n: int) -> str:
    x = 7 + 92 * (k + 0.5) / n
    y, low, high = (_y(row[name]) for name in ("check_agreement", "check_low", "check_high"))
    words = text(f"{row['name']}: {row['flag_text']}")
    return (
        f'<g class="mark {row["flag"]}" role="img" aria-label="{words}" tabindex="{0 if k == 0 else -1}">'
        f"<title>{words}</title>"
        f'<line class="whisker" x1="{x:.2f}%" x2="{x:.2f}%" y1="{low:.1f}" y2="{high:.1f}"/>'
        f"{_shape(row['flag'], x, y)}</g>"
    )


def _shape(flag: str, x: float, y: float) -> str:
    """Every flag has a shape of its own, so that no colour is needed to tell."""
    if flag in ("reversed", "chance"):
        return f'<text class="sign" x="{x:.2f}%" y="{y:.1f}">{FLAGS[flag][0]}</text>'
    return f'<circle cx="{x:.2f}%" cy="{y:.1f}" r="3.5"/>'


def _legend(frame: pl.DataFrame) -> str:
    present = set(frame["flag"].unique())
    entries = "".join(f"<li>{flag_words(flag)}</li>" for flag in FLAGS if flag in present)
    return f'<ul class="legend" aria-label="Marks">{entries}</ul>'
