"""One row per review: CSV, TSV and Parquet."""

from __future__ import annotations

import io

import numpy as np
import polars as pl

from peerage.feedback.arrays import ONLY_TASK
from peerage.feedback.container import Feedback
from peerage.writing.losses import Rendered, list_names, odd_labels, silent_graders, unreviewed_items


def long_frame(feedback: Feedback) -> pl.DataFrame:
    """The reviews, without what reading adds by itself: an unnamed only task, ranks that scores imply."""
    frame = feedback.to_frame().drop("list", strict=False)
    names = list_names(feedback)
    if names is not None:
        frame.insert_column(2, names.gather(feedback.entry_lists).alias("list"))
    if feedback.task_labels.to_list() == [ONLY_TASK]:
        frame = frame.drop("task")
    if feedback.ordered_by == "rank":
        return frame.rename({"rank": "rank (1 is best)"}) if _mostly_tied(feedback) else frame
    return frame.drop("rank").rename({"score": _score_name(feedback)})


def _mostly_tied(feedback: Feedback) -> bool:
    """Whether so many ranks are equal that the reader could take them for ratings; a list of one is none."""
    lengths = feedback.list_lengths
    levels = np.bincount(feedback.entry_lists, feedback.bucket_starts, feedback.n_lists)
    told = lengths > 1
    if not told.any():
        return False
    together = levels[told].sum() / lengths[told].sum()
    return bool(min(together, (levels[told] / lengths[told]).mean()) < 2 / 3)


def _score_name(feedback: Feedback) -> str:
    """`score`; where the scores could be taken for ranks, or for grades of which 1 is best, a plainer one."""
    scores = feedback.scores
    assert scores is not None
    whole = bool((scores == np.round(scores)).all())
    most = feedback.list_lengths.max(initial=0) if whole else 6
    mistakable = bool(scores.min(initial=1) >= 1 and scores.max(initial=1) <= most)
    return "score (larger is better)" if mistakable else "score"


def csv_bytes(feedback: Feedback) -> Rendered:
    """Comma-separated, UTF-8."""
    return _delimited(feedback, ",")


def tsv_bytes(feedback: Feedback) -> Rendered:
    """Tab-separated, UTF-8."""
    return _delimited(feedback, "\t")


def parquet_bytes(feedback: Feedback) -> Rendered:
    """Parquet with the same columns as the long CSV."""
    stream = io.BytesIO()
    long_frame(feedback).write_parquet(stream)
    return Rendered(stream.getvalue(), unreviewed_items(feedback) + silent_graders(feedback))


def _delimited(feedback: Feedback, separator: str) -> Rendered:
    losses = unreviewed_items(feedback) + silent_graders(feedback)
    for name, labels in (
        ("task", feedback.task_labels),
        ("grader", feedback.grader_labels),
        ("item", feedback.item_labels),
    ):
        losses += odd_labels(labels, name, "NUL characters", "\0")
    text = long_frame(feedback).write_csv(separator=separator)
    return Rendered(text.replace("\0", "").encode("utf-8"), losses)
