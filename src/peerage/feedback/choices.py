"""What has to be chosen where feedback does not say what is meant: by whoever reads it, or by its reader.

What to do with repeated and missing reviews and with spellings of one name; and which way numbers run: what
was decided, why and by whom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Duplicates = Literal["error", "first", "last", "mean", "keep"]
Missing = Literal["error", "drop"]
Ids = Literal["exact", "fold"]
Measure = Literal["ranks", "scores", "letters", "orders", "comparisons"]
Best = Literal["low", "high", "first", "last"]
DecidedBy = Literal["you", "names", "values", "format"]

_SENTENCES: dict[tuple[Measure, Best], str] = {
    ("ranks", "low"): "1 is read as best",
    ("ranks", "high"): "1 is read as worst",
    ("scores", "high"): "larger numbers are read as better",
    ("scores", "low"): "lower numbers are read as better",
    ("letters", "first"): "marks are read in their order, the best first",
    ("orders", "first"): "what stands first is read as best",
    ("orders", "last"): "what stands last is read as best",
    ("comparisons", "first"): "the winner of a comparison is read as better",
}


@dataclass(frozen=True, slots=True)
class Direction:
    """What is better in a file.

    Attributes
    ----------
    measure : what its numbers are: ranks or scores; letters and other marks; or orders or comparisons, which
        need no numbers.
    best : the end where the best is: low or high numbers, or what stands first.
    why : the evidence, in words.
    by : who decided: you (an option), the names of the columns, the values, or the format itself.
    """

    measure: Measure
    best: Best
    why: str
    by: DecidedBy

    @property
    def sentence(self) -> str:
        """What was decided: `1 is read as best`."""
        return _SENTENCES[self.measure, self.best]

    @property
    def text(self) -> str:
        return f"{self.sentence}: {self.why}"

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "sentence": self.sentence}


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers that order the items of every list, for whoever must say which way they run.

    ``lists`` is the list of each number, ``items`` how many items the task of that list has.
    """

    values: NDArray[np.float64]
    lists: NDArray[np.int64]
    items: NDArray[np.int64]

    def only(self, keep: NDArray[np.bool_]) -> Numbers:
        return Numbers(self.values[keep], self.lists[keep], self.items[keep])


DirectionFinder = Callable[[Numbers], Direction]
"""Says which way numbers run, or raises OpenQuestion where that is not plain."""
