"""How a file was read, in words that cannot be misunderstood: real lines, real names, what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage.feedback.container import Feedback
from peerage.feedback.labels import LabelCodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.reading.reading import Reading
    from peerage.reading.table import ParsedReviews

LIST_KEYS = ("grader", "task", "list")
EXAMPLES = 2  # lists that are told
LOOKED_AT = 200  # lists among which examples are chosen
WHOLE = 6  # items of a list up to which all are named
MOST_LINES = 40  # that are listed one by one
NAMES = 3  # items and graders that are named
MOST_IGNORED = 12
_REPEATED = {"first": "the first", "last": "the last", "mean": "the mean of both"}


class ListExample(NamedTuple):
    """A list of some feedback, by its number there, and the lines it stands in where they are known."""

    feedback: Feedback
    which: int
    lines: tuple[int, ...] = ()

    @property
    def grader(self) -> str:
        return str(self.feedback.grader_labels[int(self.feedback.list_graders[self.which])])

    @property
    def is_telling(self) -> bool:
        low, high = self.feedback.list_starts[self.which : self.which + 2]
        return int(self.feedback.bucket_starts[low:high].sum()) > 1


def describe(
    feedback: Feedback, reviews: ParsedReviews | None, reading: Reading, sheets: Sequence[str] = ()
) -> tuple[str, ...]:
    """What was read, with lines where the rows are known that it came from."""
    if reviews is None:
        numbers = range(min(feedback.n_lists, LOOKED_AT))
        lists: Iterable[ListExample] = (ListExample(feedback, which) for which in numbers)
    else:
        lists = _lists_in_rows(feedback, reviews)
    return describe_lists(lists, feedback.item_labels, feedback.grader_labels, reading, sheets)


def describe_lists(
    lists: Iterable[ListExample],
    items: pl.Series,
    graders: pl.Series,
    reading: Reading,
    sheets: Sequence[str] = (),
) -> tuple[str, ...]:
    """Two lists as they stand in the file, the names, and what was ignored."""
    first: list[ListExample] = []
    chosen: list[ListExample] = []
    for example in lists:
        first = first or [example]
        if example.is_telling and all(example.grader != other.grader for other in chosen):
            chosen.append(example)
        if len(chosen) == EXAMPLES:
            break
    chosen = sorted(chosen or first, key=lambda example: example.lines[:1])
    return (*map(_list_sentence, chosen), _names(items, graders, reading, sheets))


def _lists_in_rows(feedback: Feedback, reviews: ParsedReviews) -> Iterator[ListExample]:
    """Lists in the order of the file, with the lines they stand in."""
    keys = {role: _codes(reviews.columns[role]) for role in LIST_KEYS if role in reviews.columns}
    stacked = np.stack([codes for codes, _ in keys.values()])
    rows = 0
    seen: set[tuple[int, ...]] = set()
    while rows < stacked.shape[1] and len(seen) < LOOKED_AT:
        key = tuple(stacked[:, rows].tolist())
        if key not in seen and min(key) >= 0:
            seen.add(key)
            mine = np.flatnonzero((stacked == np.array(key)[:, None]).all(axis=0))
            labels = {role: labels[code] for (role, (_, labels)), code in zip(keys.items(), key, strict=True)}
            which = find_list(feedback, labels)
            if which is not None:
                lines = np.unique(reviews.origin.lines(mine[:50]))
                yield ListExample(feedback, which, tuple(lines.tolist()))
        rows += 1


def _codes(column: Any) -> tuple[NDArray[np.int64], Sequence[str]]:
    if isinstance(column, LabelCodes):
        return column.codes.astype(np.int64), column.labels  # type: ignore[return-value]
    texts = column if isinstance(column, pl.Series) else pl.Series(column)
    text = texts.cast(pl.String).str.strip_chars()
    labels = text.drop_nulls().unique(maintain_order=True)
    codes = text.cast(pl.Enum(labels)).to_physical().cast(pl.Int64).fill_null(-1)
    return codes.to_numpy(), labels.to_list()


def find_list(feedback: Feedback, labels: dict[str, str]) -> int | None:
    """The number of a list by the labels of its rows; None where it went another way."""
    grader = feedback.grader_labels.index_of(labels["grader"])
    if grader is None:
        return None
    mine = feedback.list_graders == grader
    if "task" in labels:
        task = feedback.task_labels.index_of(labels["task"])
        mine &= feedback.list_tasks == (-1 if task is None else task)
    if feedback.list_labels is not None and "list" in labels:
        mine &= (feedback.list_labels == labels["list"]).fill_null(False).to_numpy()
    found = np.flatnonzero(mine)
    return int(found[0]) if len(found) == 1 else None


def _line_words(shown: tuple[int, ...]) -> str:
    """`Lines 2 to 5: `."""
    if len(shown) <= 1:
        return f"Line {shown[0]}: " if shown else ""
    if shown[-1] - shown[0] == len(shown) - 1:
        return f"Lines {shown[0]} to {shown[-1]}: "
    if len(shown) > MOST_LINES:
        return f"Lines {', '.join(map(str, shown[:NAMES]))}, …: "
    return f"Lines {', '.join(map(str, shown[:-1]))} and {shown[-1]}: "


def _list_sentence(example: ListExample) -> str:
    """`Line 2: s01 ranks P3 first, then P1 and P4 (tied), then P2.`"""
    feedback, which, lines = example
    where = _line_words(lines)
    low, high = (int(edge) for edge in feedback.list_starts[which : which + 2])
    grader = example.grader
    scored = feedback.scores is not None and feedback.ordered_by == "score"
    buckets: list[tuple[list[str], float | None]] = []
    for entry in range(low, high):
        if feedback.bucket_starts[entry]:
            score = float(feedback.scores[entry]) if scored and feedback.scores is not None else None
            buckets.append(([], score))
        buckets[-1][0].append(feedback.item_labels[int(feedback.items[entry])])
    if feedback.kind == "pairs":
        first, last = (
            feedback.item_labels[int(feedback.items[low])],
            feedback.item_labels[int(feedback.items[high - 1])],
        )
        if len(buckets) == 1:
            return f"{where}{grader} calls {first} and {last} equal."
        return f"{where}{grader} prefers {first} to {last}."
    parts = [
        _bucket(items, score, place="" if place else " first") for place, (items, score) in enumerate(buckets)
    ]
    if high - low > WHOLE and len(parts) > NAMES + 1:
        items, score = buckets[-1]
        parts = [*parts[:NAMES], f"… and {_bucket(items, score, place=' last')}"]
        return f"{where}{grader} ranks {', then '.join(parts[:NAMES])}, {parts[-1]}."
    return f"{where}{grader} ranks {', then '.join(parts)}."


def _bucket(items: Sequence[str], score: float | None, *, place: str) -> str:
    named = " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else items[0]
    facts = [*(["tied"] if len(items) > 1 else []), *([] if score is None else [f"{score:g}"])]
    told = f" ({', '.join(facts)})" if facts else ""
    return f"{named}{place}{told}"


def _names(items: pl.Series, graders: pl.Series, reading: Reading, sheets: Sequence[str]) -> str:
    ignored = [name for name in reading.ignore if name != "none"]
    ignored += [f"the row {label!r}" for label in reading.totals if label != "none"]
    ignored += [f"the value {value!r}" for value in reading.empty if value != "none"]
    ignored += [f"the sheet {name!r}" for name in sheets]
    text = f"Items ({len(items):,}): {_few(items)} Graders ({len(graders):,}): {_few(graders)}"
    if shown := reading.columns.get("shown"):
        text += f" {shown!r} says when each item was shown; it is not a rank."
    if ignored:
        more = ["…"] if len(ignored) > MOST_IGNORED else []
        text += f" Ignored: {', '.join([*ignored[:MOST_IGNORED], *more])}."
    if "none" in reading.empty:
        text += " Every number counts, 0 as well."
    if repeated := _REPEATED.get(reading.duplicates):
        text += f" Of a review that is there twice, {repeated} counts."
    return text


def _few(labels: pl.Series) -> str:
    shown = labels.head(NAMES).to_list()
    return f"{', '.join(shown)}, …" if len(labels) > NAMES else f"{', '.join(shown)}."
