"""One class for all contenders: strict lists and scores by graders of unequal care, the same every time."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np


class Size(NamedTuple):
    """How large a class is."""

    items: int
    graders: int
    length: int

    def __str__(self) -> str:
        return f"{self.items}x{self.graders}x{self.length}"

    @property
    def reviews(self) -> int:
        return self.graders * self.length

    @classmethod
    def parse(cls, text: str) -> Size:
        return cls(*(int(part.replace(",", "").replace("_", "")) for part in text.split("x")))


def write_class(size: Size, path: Path) -> None:
    """Row g of `items` is what grader g saw, best first; `scores` goes with it."""
    rng = np.random.default_rng(0)
    quality = rng.normal(0.0, 1.5, size.items)
    seen = _distinct(size, rng)
    care = rng.gamma(4.0, 0.25, size.graders) + 0.1
    perceived = quality[seen] + rng.gumbel(0.0, 1.0, seen.shape) / care[:, None]
    order = np.argsort(-perceived, axis=1)
    items = np.take_along_axis(seen, order, axis=1).astype(np.int32)
    scores = 6.0 + np.take_along_axis(perceived, order, axis=1)
    np.savez(path, items=items, scores=scores, n_items=size.items)


def _distinct(size: Size, rng: np.random.Generator) -> np.ndarray:
    """Items of every grader, none twice in a row: rows with repeats are drawn again."""
    seen = rng.integers(0, size.items, (size.graders, size.length))
    todo = np.arange(size.graders)
    while len(todo):
        ordered = np.sort(seen[todo], axis=1)
        todo = todo[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
        seen[todo] = rng.integers(0, size.items, (len(todo), size.length))
    return seen


def read_class(path: Path) -> tuple[np.ndarray, np.ndarray, int]:
    with np.load(path) as saved:
        return saved["items"], saved["scores"], int(saved["n_items"])
