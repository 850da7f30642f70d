"""The graders: what they are called in the report, their table and plot, and how well the class agrees."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.report.page import number, paragraphs, percent, prose, text
from peerage.report.tables import Column, HtmlTable, column, ends_of, fit_columns, interval_cells

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.grading.result import GradingResult

MOST_GRADERS = 400  # graders that get a mark each
HEIGHT, HEAD = 230, 18

FLAGS = {  # the mark in the table and in the plot, and the words
    "reversed": ("▼", "against the class"),
    "chance": ("✕", "no better than chance"),
    "ties": ("=", "only ties"),
    "unknown": ("○", "too little to tell"),
    "consistent": ("●", "consistent"),
}


def grader_names(feedback: Feedback, *, anonymous: bool) -> list[str]:
    """The name of every grader in the report."""
    if not anonymous:
        return feedback.grader_labels.to_list()
    places = np.random.default_rng(_secret(feedback)).permutation(feedback.n_graders)
    width = len(str(feedback.n_graders))
    return [f"Grader {place + 1:0{width}d}" for place in places.tolist()]


def _secret(feedback: Feedback) -> int:
    """A seed that only the reviews themselves give.

    A seed printed in the report, or a fixed one, would let anybody who has the list of names work out who
    is who: they would shuffle the same names the same way.
    """
    digest = hashlib.sha256(b"graders of the report")
    for array in (feedback.items, feedback.bucket_starts, feedback.list_starts, feedback.list_graders):
        digest.update(np.ascontiguousarray(array).tobytes())
    if feedback.scores is not None:
        digest.update(feedback.scores.tobytes())
    return int.from_bytes(digest.digest(), "big")


def grader_table(result: GradingResult, names: list[str]) -> HtmlTable:
    """Graders, those to talk to first: what is known of each and on how much evidence."""
    rank = pl.col("flag").replace_strict({flag: k for k, flag in enumerate(FLAGS)}, default=len(FLAGS))
    graders = result.graders.with_columns(name=pl.Series(names)).sort(
        rank, "guess_probability", "check_agreement", "name",
        descending=[False, True, False, False], nulls_last=True,
    )  # fmt: skip
    rated, listed = graders["reliability"].n_unique() > 1, graders["lists"].n_unique() > 1
    graders, total = ends_of(graders)
    columns = [
        column("Grader", graders["name"], "label"),
        column("Finding", map(_flag_words, graders["flag"])),
        column("May have guessed", map(percent, graders["guess_probability"]), "number"),
        column("Mark", (number(v) for v in graders["quality_mark"]), "number"),
        *(_reliability(graders) if rated else []),
        column("Agrees", map(percent, graders["check_agreement"]), "number"),
        column(
            "Likely",
            (
                _shares(low, high)
                for low, high in zip(graders["check_low"], graders["check_high"], strict=True)
            ),
            "number",
        ),
        column("Pairs", map(str, graders["strict_pairs"]), "number"),
        column("Reviews", map(str, graders["reviews"]), "number"),
        *([column("Lists", map(str, graders["lists"]), "number")] if listed else []),
        *(_cardinal(graders) or fit_columns(graders)),  # of scores, the spread says as much
    ]
    caption = "Graders: those to talk to first, then by how likely they guessed."
    return HtmlTable("graders", caption, columns, full="graders.csv", cut_in_print=True, total=total)


def _reliability(graders: pl.DataFrame) -> list[Column]:
    return [
        column("Reliability", (number(v, 2) for v in graders["reliability"]), "number"),
        column("Likely reliability", interval_cells(graders, "reliability", 2), "number"),
    ]


def _shares(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{100 * low:.0f} to {100 * high:.0f} %"


def _cardinal(graders: pl.DataFrame) -> list[Column]:
    if "bias" not in graders.columns:
        return []
    return [
        column("Bias", (number(v, 2) for v in graders["bias"]), "number"),
        column("Spread", (number(v, 2) for v in graders["spread"]), "number"),
    ]


def _flag_words(flag: str) -> str:
    """A flag with its mark."""
    return " ".join(FLAGS.get(flag, ("", flag)))


# -- the plot -------------------------------------------------------------------------------------------


def grader_plot(result: GradingResult, names: list[str]) -> str:
    """A figure, or nothing where no grader ordered anything."""
    frame = result.graders.with_columns(name=pl.Series(names))
    frame = frame.filter(pl.col("check_agreement").is_not_null()).sort("check_agreement", "name")
    if frame.is_empty():
        return ""
    shown = frame.gather(np.unique(np.linspace(0, len(frame) - 1, MOST_GRADERS).round().astype(np.int64)))
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
    entries = "".join(f"<li>{_flag_words(flag)}</li>" for flag in FLAGS if flag in present)
    return f'<ul class="legend" aria-label="Marks">{entries}</ul>'


# -- how well the class agrees, in figures that people of other trades know -----------------------------


def class_figures(result: GradingResult) -> str:
    """One sentence per figure."""
    sentences = result.class_figures["sentence"].to_list()
    if not sentences:
        return paragraphs("Too little was reviewed by several graders to say how well they agree.")
    rows = "\n".join(f"<li>{text(sentence)}</li>" for sentence in sentences)
    level = f"{100 * result.interval:.0f} %"
    return f'<ul class="figures-in-words">\n{rows}\n</ul>\n<p>In brackets: {level} intervals.</p>'
