"""Cutting a large data set to the size of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, or a multiple of the number of items in the task (written `1x`)."""

    value: float
    per_item: bool = False

    def of(self, items: int) -> int:
        """The number for a task of so many items."""
        return max(1, round(self.value * items if self.per_item else self.value))


@dataclass(frozen=True, slots=True)
class Shape:
    """How much to keep, at most: graders and lists of every task, items of every list."""

    graders: Amount | None = None
    lists: Amount | None = None
    items: Amount | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is cut."""
        return self.graders is None and self.lists is None and self.items is None

    @classmethod
    def parse(cls, text: str) -> Shape:
        """From `graders=1x,items=4`; empty keeps everything."""
        amounts = dict(_amount(part) for part in text.split(",") if part)
        return cls(**amounts)


def _amount(text: str) -> tuple[str, Amount]:
    name, _, number = text.partition("=")
    if name not in Shape.__slots__:
        raise DataError(f"cannot cut by {name!r}; cut by {', '.join(Shape.__slots__)}, as in 'graders=1x'")
    try:
        value = float(number.removesuffix("x"))
    except ValueError:
        value = 0.0
    if not value > 0:
        raise DataError(
            f"{name} must be a positive number, or one followed by x (times items), not {number!r}"
        )
    return name, Amount(value, number.endswith("x"))


def cut(feedback: Feedback, shape: Shape, rng: np.random.Generator) -> tuple[Feedback, NDArray[np.int32]]:
    """A random part of the feedback, and which graders are left in it; items keep their numbers."""
    if shape.graders is not None:
        place = rng.permutation(feedback.n_graders)  # one order over all tasks: linked graders stay linked
        feedback = feedback.take_lists(_first_graders(feedback, shape.graders, place))
    if shape.lists is not None:
        feedback = feedback.take_lists(_some_lists(feedback, shape.lists, rng))
    if shape.items is not None:
        feedback = feedback.downsample(shape.items.of(feedback.n_items), seed=rng)
    left = np.unique(feedback.list_graders)
    return feedback.resample(left), left


def _first_graders(feedback: Feedback, most: Amount, place: NDArray[np.int64]) -> NDArray[np.int64]:
    sizes = np.diff(feedback.task_starts)
    kept = []
    for task in range(feedback.n_tasks):
        lists = np.flatnonzero(feedback.list_tasks == task)
        graders = np.unique(feedback.list_graders[lists])
        chosen = graders[np.argsort(place[graders])[: most.of(int(sizes[task]))]]
        kept.append(lists[np.isin(feedback.list_graders[lists], chosen)])
    return np.concatenate(kept)


def _some_lists(feedback: Feedback, most: Amount, rng: np.random.Generator) -> NDArray[np.int64]:
    sizes = np.diff(feedback.task_starts)
    kept = []
    for task in range(feedback.n_tasks):
        lists = np.flatnonzero(feedback.list_tasks == task)
        number = min(most.of(int(sizes[task])), len(lists))
        kept.append(np.sort(rng.choice(lists, number, replace=False)))
    return np.concatenate(kept)
