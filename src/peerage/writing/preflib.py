"""PrefLib: the items as numbered alternatives, every list as a vote with its count."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from peerage._naming import named
from peerage.errors import DataError, Problem
from peerage.feedback.arrays import ONLY_TASK
from peerage.feedback.container import Feedback
from peerage.writing.losses import Rendered, odd_labels, renamed, silent_graders

_NOT_IN_A_LINE = r"[\x00\n\r\x{feff}]"


def preflib_bytes(feedback: Feedback) -> Rendered:
    """One election: a header that names the alternatives, then `count: 1,{2,3}` for every list."""
    if feedback.n_tasks > 1:
        one = feedback.task_labels[0]
        fix = f"write one task at a time: {named('task', one, in_python=f'feedback.for_task({one!r})')}"
        raise DataError(Problem(f"preflib holds one task, and there are {feedback.n_tasks}", fix=fix))
    counts = np.maximum(1, np.rint(feedback.list_weights)).astype(np.int64)
    ending = _ending(feedback)
    names = renamed(feedback.item_labels, _NOT_IN_A_LINE)
    header = [
        f"# DATA TYPE: {ending[1:]}",
        f"# NUMBER ALTERNATIVES: {feedback.n_items}",
        f"# NUMBER VOTERS: {counts.sum()}",
        f"# NUMBER UNIQUE ORDERS: {feedback.n_lists}",
        *(f"# ALTERNATIVE NAME {number}: {name}" for number, name in enumerate(names, 1)),
    ]
    votes = [f"{count}: {order}" for count, order in zip(counts.tolist(), _orders(feedback), strict=True)]
    text = "\n".join([*header, *votes]) + "\n"
    return Rendered(text.encode("utf-8"), _losses(feedback, counts), ending)


def _losses(feedback: Feedback, counts: np.ndarray) -> tuple[str, ...]:
    losses: tuple[str, ...] = ()
    if not _named_by_vote(feedback):
        losses += ("who handed in which list: the names of the graders",)
    if feedback.task_labels.to_list() != [ONLY_TASK]:
        losses += (f"the name of the task, {feedback.task_labels[0]!r}",)
    if feedback.scores is not None:
        losses += ("scores",)
    if bool((feedback.list_weights != counts).any()):
        losses += ("weights that are not whole numbers",)
    losses += odd_labels(feedback.item_labels, "item", "line breaks", _NOT_IN_A_LINE)
    return losses + silent_graders(feedback)


def _named_by_vote(feedback: Feedback) -> bool:
    """Whether the graders are called as the reader would call them."""
    width = len(str(feedback.n_lists))
    expected = [f"v{vote:0{width}d}" for vote in range(1, feedback.n_lists + 1)]
    return feedback.grader_labels.to_list() == expected and bool(
        (feedback.list_graders == np.arange(feedback.n_lists)).all()
    )


def _ending(feedback: Feedback) -> str:
    """.soc: complete and strict; .toc: ties; .soi: items left out; .toi: both."""
    tied = not bool(feedback.bucket_starts.all())
    partial = bool((feedback.list_lengths < feedback.n_items).any())
    return f".{'t' if tied else 's'}o{'i' if partial else 'c'}"


def _orders(feedback: Feedback) -> list[str]:
    numbers = (feedback.items + 1).astype(np.int64).tolist()
    bucket_starts, starts = feedback.bucket_starts.tolist(), feedback.list_starts.tolist()
    return [_order(numbers[low:high], bucket_starts[low:high]) for low, high in pairwise(starts)]


def _order(numbers: list[int], bucket_starts: list[bool]) -> str:
    buckets: list[list[str]] = []
    for number, opened in zip(numbers, bucket_starts, strict=True):
        if opened:
            buckets.append([])
        buckets[-1].append(str(number))
    return ",".join(bucket[0] if len(bucket) == 1 else "{" + ",".join(bucket) + "}" for bucket in buckets)
