"""Feedback as the bytes of a file: one row per review (CSV, TSV, Parquet), PGF, PrefLib.

Every format is a function from feedback to :class:`RenderedFile`, which says what the format cannot hold.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from peerage._options import named
from peerage._words import plural
from peerage.errors import DataError, Problem
from peerage.feedback.arrays import ONLY_TASK
from peerage.feedback.container import Feedback

_NOT_A_WORD = r"[\s\x00\x1c-\x1f\x{feff}]|^#"
_NOT_AN_ITEM = r"[\s\x00\x1c-\x1f\x{feff}()>?=]"
_NOT_IN_A_LINE = r"[\x00\n\r\x{feff}]"


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """The bytes of a file, what did not fit into them, and the ending that suits them if it matters."""

    data: bytes
    losses: tuple[str, ...] = ()
    ending: str | None = None


# -- one row per review: CSV, TSV and Parquet -----------------------------------------------------------


def long_frame(feedback: Feedback) -> pl.DataFrame:
    """The reviews, without what reading adds by itself: an unnamed only task, ranks that scores imply."""
    frame = feedback.to_frame().drop("list", strict=False)
    names = _list_names(feedback)
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
    several = lengths > 1
    if not several.any():
        return False
    together = levels[several].sum() / lengths[several].sum()
    return bool(min(together, (levels[several] / lengths[several]).mean()) < 2 / 3)


def _score_name(feedback: Feedback) -> str:
    """`score`; where the scores could be taken for ranks, or for grades of which 1 is best, a plainer one."""
    scores = feedback.scores
    assert scores is not None
    whole = bool((scores == np.round(scores)).all())
    most = feedback.list_lengths.max(initial=0) if whole else 6
    mistakable = bool(scores.min(initial=1) >= 1 and scores.max(initial=1) <= most)
    return "score (larger is better)" if mistakable else "score"


def csv_bytes(feedback: Feedback) -> RenderedFile:
    """Comma-separated, UTF-8."""
    return _delimited(feedback, ",")


def tsv_bytes(feedback: Feedback) -> RenderedFile:
    """Tab-separated, UTF-8."""
    return _delimited(feedback, "\t")


def parquet_bytes(feedback: Feedback) -> RenderedFile:
    """Parquet with the same columns as the long CSV."""
    stream = io.BytesIO()
    long_frame(feedback).write_parquet(stream)
    return RenderedFile(stream.getvalue(), _unreviewed_items(feedback) + _silent_graders(feedback))


def _delimited(feedback: Feedback, separator: str) -> RenderedFile:
    losses = _unreviewed_items(feedback) + _silent_graders(feedback)
    for name, labels in (
        ("task", feedback.task_labels),
        ("grader", feedback.grader_labels),
        ("item", feedback.item_labels),
    ):
        losses += _odd_labels(labels, name, "NUL characters", "\0")
    text = long_frame(feedback).write_csv(separator=separator)
    return RenderedFile(text.replace("\0", "").encode("utf-8"), losses)


# -- PGF: one line per list, items best first with their scores -----------------------------------------


def pgf_bytes(feedback: Feedback) -> RenderedFile:
    """The lists as lines `task grader a (8.0) > b (7.0) ? c (7.0)`."""
    losses = _unreviewed_items(feedback) + _silent_graders(feedback) + _shown_order(feedback)
    if feedback.weights is not None and not bool((feedback.weights == 1).all()):
        losses += ("weights",)
    if _looks_ordered_by_score(feedback):
        losses += ("that ranks were given beside the scores, which agree with them",)
    why = "blanks or signs of the format"
    losses += _odd_labels(feedback.task_labels, "task", why, _NOT_A_WORD)
    losses += _odd_labels(feedback.grader_labels, "grader", why, _NOT_A_WORD)
    losses += _odd_labels(feedback.item_labels, "item", why, _NOT_AN_ITEM)
    return RenderedFile("".join(_pgf_lines(feedback)).encode("utf-8"), losses)


def _looks_ordered_by_score(feedback: Feedback) -> bool:
    """Whether ranks beside scores would be read as following from them, because they never differ."""
    scores = feedback.scores
    if feedback.ordered_by == "score" or scores is None or bool(np.isnan(scores).any()):
        return False
    lists = feedback.entry_lists
    same = lists[1:] == lists[:-1]
    falls, ties = scores[1:] < scores[:-1], scores[1:] == scores[:-1]
    return bool(np.where(feedback.bucket_starts[1:], falls, ties)[same].all())


def _pgf_lines(feedback: Feedback) -> list[str]:
    tasks, graders = (
        _fitting_names(feedback.task_labels, _NOT_A_WORD),
        _fitting_names(feedback.grader_labels, _NOT_A_WORD),
    )
    entries = _pgf_entries(feedback)
    starts = feedback.list_starts.tolist()
    heads = zip(feedback.list_tasks.tolist(), feedback.list_graders.tolist(), strict=True)
    return [
        f"{tasks[task]} {graders[grader]} " + "".join(entries[low:high]) + "\n"
        for (task, grader), low, high in zip(heads, starts[:-1], starts[1:], strict=True)
    ]


def _pgf_entries(feedback: Feedback) -> list[str]:
    """Every entry with the sign that connects it to the one before it."""
    names = _fitting_names(feedback.item_labels, _NOT_AN_ITEM, feedback.item_tasks)
    signs = np.where(feedback.bucket_starts, " > ", " ? ")
    signs[feedback.list_starts[:-1]] = ""
    texts = [names[item] for item in feedback.items.tolist()]
    if feedback.scores is not None:
        scores = feedback.scores.tolist()
        texts = [
            text if score != score else f"{text} ({score!r})"  # NaN: not scored
            for text, score in zip(texts, scores, strict=True)
        ]
    return [sign + text for sign, text in zip(signs.tolist(), texts, strict=True)]


# -- PrefLib: the items as numbered alternatives, every list as a vote with its count -------------------


def preflib_bytes(feedback: Feedback) -> RenderedFile:
    """One election: a header that names the alternatives, then `count: 1,{2,3}` for every list."""
    if feedback.n_tasks > 1:
        task = feedback.task_labels[0]
        fix = f"write one task at a time: {named('task', task, in_python=f'feedback.for_task({task!r})')}"
        raise DataError(Problem(f"preflib holds one task, and there are {feedback.n_tasks}", fix=fix))
    counts = np.maximum(1, np.rint(feedback.list_weights)).astype(np.int64)
    ending = _preflib_ending(feedback)
    names = _fitting_names(feedback.item_labels, _NOT_IN_A_LINE)
    header = [
        f"# DATA TYPE: {ending[1:]}",
        f"# NUMBER ALTERNATIVES: {feedback.n_items}",
        f"# NUMBER VOTERS: {counts.sum()}",
        f"# NUMBER UNIQUE ORDERS: {feedback.n_lists}",
        *(f"# ALTERNATIVE NAME {number}: {name}" for number, name in enumerate(names, 1)),
    ]
    votes = [f"{count}: {order}" for count, order in zip(counts.tolist(), _votes(feedback), strict=True)]
    text = "\n".join([*header, *votes]) + "\n"
    return RenderedFile(text.encode("utf-8"), _preflib_losses(feedback, counts), ending)


def _preflib_losses(feedback: Feedback, counts: np.ndarray) -> tuple[str, ...]:
    losses = _shown_order(feedback)
    if not _named_by_vote(feedback):
        losses += ("who submitted which list: the names of the graders",)
    if feedback.task_labels.to_list() != [ONLY_TASK]:
        losses += (f"the name of the task, {feedback.task_labels[0]!r}",)
    if feedback.scores is not None:
        losses += ("scores",)
    if bool((feedback.list_weights != counts).any()):
        losses += ("weights that are not whole numbers",)
    losses += _odd_labels(feedback.item_labels, "item", "line breaks", _NOT_IN_A_LINE)
    return losses + _silent_graders(feedback)


def _named_by_vote(feedback: Feedback) -> bool:
    """Whether the graders are called as the reader would call them."""
    width = len(str(feedback.n_lists))
    expected = [f"v{vote:0{width}d}" for vote in range(1, feedback.n_lists + 1)]
    return feedback.grader_labels.to_list() == expected and bool(
        (feedback.list_graders == np.arange(feedback.n_lists)).all()
    )


def _preflib_ending(feedback: Feedback) -> str:
    """.soc: complete and strict; .toc: ties; .soi: items left out; .toi: both."""
    tied = not bool(feedback.bucket_starts.all())
    partial = bool((feedback.list_lengths < feedback.n_items).any())
    return f".{'t' if tied else 's'}o{'i' if partial else 'c'}"


def _votes(feedback: Feedback) -> list[str]:
    numbers = (feedback.items + 1).astype(np.int64).tolist()
    bucket_starts, starts = feedback.bucket_starts.tolist(), feedback.list_starts.tolist()
    return [_vote(numbers[low:high], bucket_starts[low:high]) for low, high in pairwise(starts)]


def _vote(numbers: list[int], bucket_starts: list[bool]) -> str:
    buckets: list[list[str]] = []
    for number, opened in zip(numbers, bucket_starts, strict=True):
        if opened:
            buckets.append([])
        buckets[-1].append(str(number))
    return ",".join(bucket[0] if len(bucket) == 1 else "{" + ",".join(bucket) + "}" for bucket in buckets)


# -- what a format cannot hold, said before it is lost --------------------------------------------------


def _silent_graders(feedback: Feedback) -> tuple[str, ...]:
    """Graders that are known but handed nothing in."""
    idle = feedback.n_graders - len(np.unique(feedback.list_graders))
    return _some(idle, "grader", "who handed nothing in")


def _unreviewed_items(feedback: Feedback) -> tuple[str, ...]:
    """Items that are known but nobody reviewed, and tasks without any list."""
    items = _some(int((feedback.item_reviews == 0).sum()), "item", "that nobody reviewed")
    tasks = _some(feedback.n_tasks - len(np.unique(feedback.list_tasks)), "task", "without a list")
    return items + tasks


def _shown_order(feedback: Feedback) -> tuple[str, ...]:
    return () if feedback.positions is None else ("the order in which items were shown",)


def _odd_labels(labels: pl.Series, what: str, why: str, pattern: str) -> tuple[str, ...]:
    """Labels in which the pattern occurs."""
    odd = labels.filter(labels.str.contains(pattern))
    if len(odd) == 0:
        return ()
    shown = ", ".join(repr(label) for label in odd.head(3)) + (" …" if len(odd) > 3 else "")
    return (f"{plural(len(odd), f'{what} label')} with {why} ({shown})",)


def _fitting_names(labels: pl.Series, pattern: str, tasks: NDArray[np.int32] | None = None) -> list[str]:
    """The labels with `_` for what does not fit, still all different (items: within their task)."""
    groups = [0] * len(labels) if tasks is None else tasks.tolist()
    wanted = list(zip(groups, labels.to_list(), labels.str.replace_all(pattern, "_").to_list(), strict=True))
    taken = {(group, label) for group, label, name in wanted if label == name}
    names = []
    for group, label, plain in wanted:
        name, copy = plain, 2
        while name != label and (group, name) in taken:
            name, copy = f"{plain}_{copy}", copy + 1
        taken.add((group, name))
        names.append(name)
    return names


def _list_names(feedback: Feedback) -> pl.Series | None:
    """A name for every list where a grader has several in a task; numbers where the names repeat."""
    owners = feedback.list_tasks.astype(np.int64) * feedback.n_graders + feedback.list_graders
    if len(np.unique(owners)) == len(owners):
        return None
    if feedback.list_labels is not None:
        keys = pl.DataFrame({"owner": owners, "list": feedback.list_labels})
        if keys.n_unique() == len(keys):
            return feedback.list_labels
    return pl.Series(np.arange(1, feedback.n_lists + 1)).cast(pl.String).str.zfill(len(str(feedback.n_lists)))


def _some(count: int, what: str, which: str) -> tuple[str, ...]:
    if count == 0:
        return ()
    return (f"{plural(count, what)} {which}",)
