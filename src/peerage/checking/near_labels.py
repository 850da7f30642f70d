"""Labels that are nearly the same, one of them rare: 'Gama' with one review beside 'Gamma' with seven.

A slip leaves most of a label as it is. So two labels are near only where they have the same numbers, and the
same words but for blanks, hyphens and accents, or for one letter inside one longer word. 'P1' and 'P2',
'team 3' and 'team 13', 'Team A' and 'Team B', 'Part II' and 'Part III' are meant to differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peerage.feedback.labels import fold_key

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

MOST = 5_000  # labels with words that are compared: among more of them, near ones are different people
LONGEST = 60  # characters of a label that is compared: what is longer is a text
WORD = 4  # letters of a word in which a slip can be told from another word
TIMES = 3  # as many reviews as the rare one has the other one, at least

_SEPARATORS = r"[\s\-‐‑–—_./,;:'’`()]+"
_TOKENS = re.compile(rf"\d+|[^\W\d_]+|(?!{_SEPARATORS}).")
_ROMAN = re.compile(r"[ivxlcdm]+")


class NearLabels(NamedTuple):
    """The numbers of two labels, the rare one first."""

    rare: int
    usual: int


def find_near_labels(labels: pl.Series, reviews: NDArray[np.int64]) -> list[NearLabels]:
    """Every rare label that is nearly the same as one with many more reviews, of several the most frequent.

    Rare is what has at most half of the usual number of reviews. The cost is linear in the labels.
    """
    if len(labels) < 2 or not (rare := 2 * reviews <= np.median(reviews)).any():
        return []
    has_word = labels.str.contains(rf"\p{{L}}{{{WORD}}}") & (labels.str.len_chars() <= LONGEST)
    with_words = np.flatnonzero(has_word.to_numpy())
    if len(with_words) > MOST or not rare[with_words].any():
        return []
    names = {int(which): _Name.of(labels[int(which)]) for which in with_words}
    if len({name.length for name in names.values()}) == 1 and len(names) > 2:
        return []  # codes of one length, not words
    holders: dict[tuple[str, ...], list[int]] = {}
    for which, name in names.items():
        for key in name.shared_keys():
            holders.setdefault(key, []).append(which)
    found = []
    for which in with_words[rare[with_words]].tolist():
        name, least = names[which], TIMES * max(int(reviews[which]), 1)
        others = {other for key in name.shared_keys() for other in holders[key] if reviews[other] >= least}
        near = [other for other in sorted(others) if name.is_near(names[other])]
        if near:
            found.append(NearLabels(which, max(near, key=lambda other: int(reviews[other]))))
    return found


class _Name(NamedTuple):
    """A label as words and numbers, all small letters and without accents."""

    tokens: tuple[str, ...]
    spelling: str  # labels of one spelling are `labels-alike` already

    @classmethod
    def of(cls, label: str) -> _Name:
        spelling = fold_key(label)
        plain = "".join(
            sign for sign in unicodedata.normalize("NFKD", spelling) if not unicodedata.combining(sign)
        )
        tokens = (token.lstrip("0") or "0" if token.isdigit() else token for token in _TOKENS.findall(plain))
        return cls(tuple(tokens), spelling)

    @property
    def length(self) -> int:
        return sum(map(len, self.tokens))

    @property
    def numbers(self) -> list[str]:
        return [token for token in self.tokens if token.isdigit()]

    def shared_keys(self) -> Iterator[tuple[str, ...]]:
        """Near labels share one of these: all in one, or with one word that lacks a letter."""
        yield ("".join(self.tokens),)
        for place, word in enumerate(self.tokens):
            if not _may_be_misspelt(word):
                continue
            for shorter in {word, *(word[:k] + word[k + 1 :] for k in range(1, len(word) - 1))}:
                yield (*self.tokens[:place], f"{shorter}?", *self.tokens[place + 1 :])

    def is_near(self, other: _Name) -> bool:
        if self.spelling == other.spelling or self.numbers != other.numbers:
            return False
        if "".join(self.tokens) == "".join(other.tokens):
            return True
        if len(self.tokens) != len(other.tokens):
            return False
        differing = [pair for pair in zip(self.tokens, other.tokens, strict=True) if pair[0] != pair[1]]
        return len(differing) == 1 and _differ_in_one_letter(*differing[0])


def _may_be_misspelt(word: str) -> bool:
    return len(word) >= WORD and word.isalpha() and not _ROMAN.fullmatch(word)


def _differ_in_one_letter(word: str, other: str) -> bool:
    """One letter more, less, another or two exchanged, inside: ends tell 'teamA' from 'teamB'."""
    if not (_may_be_misspelt(word) and _may_be_misspelt(other)):
        return False
    if word[0] != other[0] or word[-1] != other[-1] or abs(len(word) - len(other)) > 1:
        return False
    if len(word) == len(other):
        places = [k for k, pair in enumerate(zip(word, other, strict=True)) if pair[0] != pair[1]]
        exchanged = (
            len(places) == 2 and word[places[0]] == other[places[1]] and word[places[1]] == other[places[0]]
        )
        return len(places) == 1 or (exchanged and places[1] == places[0] + 1)
    shorter, longer = sorted((word, other), key=len)
    return any(shorter == longer[:k] + longer[k + 1 :] for k in range(1, len(longer) - 1))
