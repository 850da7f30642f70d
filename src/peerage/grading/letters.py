"""Letter grades, by quota or by cut-points, and the probability of each."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Grade scales that have a name, as cut-points of points from 0 to 100; a new one is a line.
NAMED = {
    "uk": "I>=70,II.1>=60,II.2>=50,III>=40,Fail",
    "us": "A>=90,B>=80,C>=70,D>=60,F",
}
HELP = (
    'write quotas as "A:20%,B:30%,C:50%" or cut-points as "A>=85,B>=70,C" (best first),'
    f" or name a scale of 0:100: {', '.join(NAMED)}"
)
COMPLETE, INCOMPLETE = "complete", "incomplete"  # in place of letters
SHOWN = 0.05  # letters less likely than this are left out of a sentence

_QUOTA = re.compile(r"^(?P<name>[^:>=%,]+):(?P<number>[0-9.]+)%$")
_CUT = re.compile(r"^(?P<name>[^:>=%,]+)>=(?P<number>-?[0-9.]+)$")


@dataclass(frozen=True, slots=True)
class Letters:
    """The rule: letters, best first; either the share of the class that gets each, or where each begins."""

    names: tuple[str, ...]
    shares: tuple[float, ...] | None = None
    cuts: tuple[float, ...] | None = None  # of all letters but the last

    @property
    def text(self) -> str:
        """As it is written on the command line."""
        if self.shares is not None:
            return ",".join(f"{n}:{100 * s:g}%" for n, s in zip(self.names, self.shares, strict=True))
        cuts = self.cuts or ()
        return ",".join(
            [*(f"{n}>={c:g}" for n, c in zip(self.names[:-1], cuts, strict=True)), self.names[-1]]
        )

    @property
    def by(self) -> str:
        """What decides about a letter."""
        return "rank" if self.cuts is None else "points"

    @property
    def sentence(self) -> str:
        if self.shares is not None:
            parts = [f"{n} to {100 * s:g} %" for n, s in zip(self.names, self.shares, strict=True)]
            return f"Letters by rank: {', '.join(parts)} of each task, best first, to the nearest item."
        parts = [f"{n} from {c:g}" for n, c in zip(self.names[:-1], self.cuts or (), strict=True)]
        return f"Letters by points: {', '.join(parts)}, {self.names[-1]} below."

    def check_within(self, low: float, high: float) -> None:
        """Refuse cut-points that no grade of this scale can pass, or that every grade passes."""
        for name, cut in zip(self.names[:-1], self.cuts or (), strict=False):
            if not low < cut <= high:
                raise DataError(
                    f"the cut-point {name}>={cut:g} lies outside the scale {low:g}:{high:g}:"
                    " give letters and scale in the same points"
                )

    def by_position(self, size: int) -> NDArray[np.int64]:
        """Under quotas: the letter of each place of a class of `size`, best first.

        A place belongs to the letter that holds its middle, so that quotas round to the nearest item.
        """
        edges = np.cumsum(self.shares or ())
        middle = (np.arange(size) + 0.5) / max(size, 1)
        return np.minimum(np.searchsorted(edges, middle), len(self.names) - 1)

    def by_points(self, points: NDArray[np.floating]) -> NDArray[np.int64]:
        """Under cut-points: the letter of each number of points."""
        rising = np.asarray(self.cuts or (), dtype=float)[::-1]
        return len(self.names) - 1 - np.searchsorted(rising, points, side="right")


def _name(text: str) -> str:
    return text.strip().lower()


def is_named(text: str) -> bool:
    """Whether a scale is asked for by its name."""
    return _name(text) in NAMED


def parse_letters(text: str) -> Letters:
    """Letters from their text.

    >>> parse_letters("A:20%,B:80%").shares
    (0.2, 0.8)
    >>> parse_letters("pass>=50, fail").cuts
    (50.0,)
    >>> parse_letters("us").names
    ('A', 'B', 'C', 'D', 'F')
    """
    text = NAMED[_name(text)] if is_named(text) else text
    parts = [part.strip().replace("≥", ">=").replace(" ", "") for part in text.split(",")]
    quotas, cuts = [_QUOTA.match(part) for part in parts], [_CUT.match(part) for part in parts]
    if all(quotas):
        return _quotas([(m["name"], _number(m["number"], text)) for m in quotas if m])
    if len(parts) > 1 and all(cuts[:-1]) and parts[-1] and not re.search("[:>=%]", parts[-1]):
        return _cuts([(m["name"], _number(m["number"], text)) for m in cuts if m], parts[-1])
    if all(cuts):
        last = parts[-1].partition(">=")[0]
        raise DataError(
            f"letters {text!r} do not say what is below {last}: end with a letter alone,"
            f" as in {text + ',F'!r}"
        )
    raise DataError(f"letters {text!r} cannot be read: {HELP}")


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DataError(f"{text!r} in letters {whole!r} is not a number") from None


def _quotas(parts: list[tuple[str, float]]) -> Letters:
    total = sum(share for _, share in parts)
    if abs(total - 100) > 0.5:
        raise DataError(f"the quotas of the letters must add up to 100 %, not {total:g} %")
    names = _distinct([name for name, _ in parts])
    return Letters(names, shares=tuple(share / total for _, share in parts))


def _cuts(parts: list[tuple[str, float]], last: str) -> Letters:
    numbers = [number for _, number in parts]
    if any(high <= low for high, low in itertools.pairwise(numbers)):
        raise DataError(
            f"cut-points must fall from the best letter on, not {', '.join(map('{:g}'.format, numbers))}"
        )
    return Letters(_distinct([*(name for name, _ in parts), last]), cuts=tuple(numbers))


def _distinct(names: list[str]) -> tuple[str, ...]:
    again = next((name for name in names if names.count(name) > 1), None)
    if again is not None:
        raise DataError(f"letter {again!r} is there twice")
    return tuple(names)


@dataclass(frozen=True, slots=True, eq=False)
class LetterGrades:
    """The letter of every item, by its number, and the chance of every letter, n_items x n_letters."""

    rule: Letters
    numbers: NDArray[np.int64]
    chances: NDArray[np.float64]

    @property
    def probability(self) -> NDArray[np.float64]:
        """The chance of the letter that was given."""
        return np.asarray(self.chances[np.arange(len(self.numbers)), self.numbers])

    @property
    def near_probability(self) -> NDArray[np.float64]:
        """The chance of that letter or one next to it."""
        letters = np.arange(self.chances.shape[1])
        return np.asarray((self.chances * (np.abs(letters - self.numbers[:, None]) <= 1)).sum(axis=1))


def assign_letters(
    rule: Letters,
    points: NDArray[np.float64] | None,
    draws: NDArray[np.floating[Any]],
    ranks: NDArray[np.int64],
    task_starts: NDArray[np.int64],
) -> LetterGrades:
    """Give every item its letter."""
    numbers = letter_numbers(rule, points, ranks, task_starts)
    return LetterGrades(rule, numbers, letter_probabilities(rule, draws, task_starts))


def letter_numbers(
    letters: Letters,
    points: NDArray[np.float64] | None,
    ranks: NDArray[np.int64],
    task_starts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The letter of every item; `ranks` within its task, 1 the best, tied items sharing the smallest."""
    if letters.cuts is not None:
        if points is None:
            raise DataError(f"the cut-points {letters.text} need points to cut")
        return letters.by_points(points)
    numbers = np.empty(len(ranks), dtype=np.int64)
    for low, high in itertools.pairwise(task_starts):
        numbers[low:high] = letters.by_position(int(high - low))[ranks[low:high] - 1]
    return numbers


def letter_probabilities(
    letters: Letters, draws: NDArray[np.floating], task_starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How often each item gets each letter over draws of the class, n_items x n_letters.

    `draws` holds one class per row: points under cut-points, anything that orders items under quotas.
    """
    counts = np.zeros((draws.shape[1], len(letters.names)))
    for low, high in itertools.pairwise(task_starts):
        size = int(high - low)
        by_rank = letters.by_position(size) if letters.cuts is None else None
        for draw in draws[:, low:high]:
            if by_rank is None:
                numbers = letters.by_points(draw)
            else:
                numbers = np.empty(size, dtype=np.int64)
                numbers[np.argsort(-draw, kind="stable")] = by_rank
            counts[np.arange(low, high), numbers] += 1.0
    return counts / max(len(draws), 1)


def probabilities_in_words(rule: Letters, chances: NDArray[np.float64], number: int) -> str:
    """`B+ 71 %; A- 24 %`: the letter of this number first, then the others that are not far-fetched.

    `B 40 % by points; A 49 %` where another letter is likelier: it says what the letter goes by.
    """
    others = [k for k in np.argsort(-chances, kind="stable") if k != number and chances[k] >= SHOWN]
    reason = f" by {rule.by}" if chances.max() > chances[number] else ""
    first = f"{rule.names[number]} {as_percentage(float(chances[number]))}{reason}"
    return "; ".join([first, *(f"{rule.names[k]} {as_percentage(float(chances[k]))}" for k in others)])


def as_percentage(chance: float) -> str:
    """A probability as a percentage; never 0 or 100, which no number of draws can tell."""
    if chance < 0.01:
        return "< 1 %"
    return "> 99 %" if chance > 0.99 else f"{100 * chance:.0f} %"
