"""What a format cannot hold, said before it is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.feedback.container import Feedback

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Rendered:
    """The bytes of a file, what did not fit into them, and the ending that suits them if it matters."""

    data: bytes
    losses: tuple[str, ...] = ()
    ending: str | None = None


def silent_graders(feedback: Feedback) -> tuple[str, ...]:
    """Graders that are known but handed nothing in."""
    idle = feedback.n_graders - len(np.unique(feedback.list_graders))
    return _some(idle, "grader", "who handed nothing in")


def unreviewed_items(feedback: Feedback) -> tuple[str, ...]:
    """Items that are known but nobody reviewed, and tasks without any list."""
    items = _some(int((feedback.item_reviews == 0).sum()), "item", "that nobody reviewed")
    tasks = _some(feedback.n_tasks - len(np.unique(feedback.list_tasks)), "task", "without a list")
    return items + tasks


def odd_labels(labels: pl.Series, what: str, why: str, pattern: str) -> tuple[str, ...]:
    """Labels in which the pattern occurs."""
    odd = labels.filter(labels.str.contains(pattern))
    if len(odd) == 0:
        return ()
    shown = ", ".join(repr(label) for label in odd.head(3)) + (" …" if len(odd) > 3 else "")
    return (f"{plural(len(odd), f'{what} label')} with {why} ({shown})",)


def renamed(labels: pl.Series, pattern: str, tasks: NDArray[np.int32] | None = None) -> list[str]:
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


def list_names(feedback: Feedback) -> pl.Series | None:
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
