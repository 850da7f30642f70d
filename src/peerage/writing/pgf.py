"""PGF: one line per list, items best first with their scores."""

from __future__ import annotations

import numpy as np

from peerage.feedback.container import Feedback
from peerage.writing.losses import Rendered, odd_labels, renamed, silent_graders, unreviewed_items

_NOT_A_WORD = r"[\s\x00\x1c-\x1f\x{feff}]|^#"
_NOT_AN_ITEM = r"[\s\x00\x1c-\x1f\x{feff}()>?=]"


def pgf_bytes(feedback: Feedback) -> Rendered:
    """The lists as lines `task grader a (8.0) > b (7.0) ? c (7.0)`."""
    losses = unreviewed_items(feedback) + silent_graders(feedback)
    if feedback.weights is not None and not bool((feedback.weights == 1).all()):
        losses += ("weights",)
    if _looks_ordered_by_score(feedback):
        losses += ("that ranks were given beside the scores, which agree with them",)
    why = "blanks or signs of the format"
    losses += odd_labels(feedback.task_labels, "task", why, _NOT_A_WORD)
    losses += odd_labels(feedback.grader_labels, "grader", why, _NOT_A_WORD)
    losses += odd_labels(feedback.item_labels, "item", why, _NOT_AN_ITEM)
    return Rendered("".join(_lines(feedback)).encode("utf-8"), losses)


def _looks_ordered_by_score(feedback: Feedback) -> bool:
    """Whether ranks beside scores would be read as following from them, because they never differ."""
    scores = feedback.scores
    if feedback.ordered_by == "score" or scores is None or bool(np.isnan(scores).any()):
        return False
    lists = feedback.entry_lists
    same = lists[1:] == lists[:-1]
    falls, ties = scores[1:] < scores[:-1], scores[1:] == scores[:-1]
    return bool(np.where(feedback.bucket_starts[1:], falls, ties)[same].all())


def _lines(feedback: Feedback) -> list[str]:
    tasks, graders = renamed(feedback.task_labels, _NOT_A_WORD), renamed(feedback.grader_labels, _NOT_A_WORD)
    entries = _entries(feedback)
    starts = feedback.list_starts.tolist()
    heads = zip(feedback.list_tasks.tolist(), feedback.list_graders.tolist(), strict=True)
    return [
        f"{tasks[task]} {graders[grader]} " + "".join(entries[low:high]) + "\n"
        for (task, grader), low, high in zip(heads, starts[:-1], starts[1:], strict=True)
    ]


def _entries(feedback: Feedback) -> list[str]:
    """Every entry with the sign that connects it to the one before it."""
    names = renamed(feedback.item_labels, _NOT_AN_ITEM, feedback.item_tasks)
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
