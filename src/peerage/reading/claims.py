"""What the names of columns say about the numbers below them: ranks or scores, and which end is best."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

_RANKS = (
    "rank", "ranks", "ranking", "rankings", "ranked", "rang", "place", "placement", "placing", "position",
    "order", "ordering", "standing", "preference",
)  # fmt: skip
_SCORES = (
    "score", "scores", "scoring", "rating", "ratings", "rate", "rated", "point", "points", "mark", "marks",
    "grade", "grades", "star", "stars", "percent", "percentage", "gpa",
)  # fmt: skip
_GOOD = (
    r"(?:very\s+good|most\s+preferred|most\s+liked|best|better|top|highest|excellent|outstanding|strongest|"
    r"favou?rite|great|superb|perfect|winner|first\s+place)"
)
_BAD = (
    r"(?:very\s+(?:poor|bad|weak)|least\s+preferred|least\s+liked|worst|lowest|poor|weakest|terrible|awful|bad|"
    r"inadequate|unacceptable|last\s+place|fail)"
)
_IS = r"\s*(?:=|:|\(|-|–|—|->|→|\bis\b|\bbeing\b|\bmeans\b|\bfor\b|\bas\b)?\s*(?:the\s+)?"
_NUMBER_FIRST = re.compile(rf"(?<![\w.])(\d+)(?:st\b)?{_IS}({_GOOD}|{_BAD})\b")
_WORD_FIRST = re.compile(rf"\b({_GOOD}|{_BAD}){_IS}(\d+)(?![\w.])")
_LOW = re.compile(
    r"\b(?:lower|smaller|less|low|fewer)\b[^.;]{0,12}\b(?:better|best|good)\b|\blowest\b[^.;]{0,8}\bbest\b|"
    r"\bhigh(?:er)?\b[^.;]{0,8}\b(?:worse|worst|bad)\b|\bbest\s+(?:comes\s+)?first\b"
)
_HIGH = re.compile(
    r"\b(?:higher|larger|bigger|greater|more|high)\b[^.;]{0,12}\b(?:better|best|good)\b|"
    r"\bhighest\b[^.;]{0,8}\bbest\b|\blow(?:er)?\b[^.;]{0,8}\b(?:worse|worst|bad)\b"
)
# a scale of scores, but for ranks out of so many; it says nothing on the end that is best
_SCALE = re.compile(r"\bout\s+of\s+\d+|/\s*\d+\b|%|(?<![\w.])0\s*(?:-|–|—|to|\.\.)\s*\d+")


@dataclass(frozen=True, slots=True)
class Claim:
    """What names say.

    Attributes
    ----------
    measure : ranks or scores, or letters and other marks with an order; None where they say nothing, or both.
    best : which end is best, where that is written out ("1 = best", "out of 10").
    name : the name that says so, for messages.
    contradicts : whether both ends are called best.
    cells : whether it is the cells that say so, by the way they are written.
    """

    measure: Literal["ranks", "scores", "letters"] | None = None
    best: Literal["low", "high"] | None = None
    name: str = ""
    contradicts: bool = False
    cells: bool = False

    def also(self, other: Claim) -> Claim:
        """With what others say; those who disagree say nothing, or contradict each other."""
        best = self.best or other.best
        clash = bool(self.best and other.best and self.best != other.best)
        measure = self.measure or other.measure
        if self.measure and other.measure and self.measure != other.measure:
            measure = None
        mine = bool(self.best or (self.measure and not other.best))
        name, cells = (self.name, self.cells) if mine else (other.name, other.cells)
        clash |= self.contradicts or other.contradicts
        return Claim(measure, best, name or self.name or other.name, contradicts=clash, cells=cells)

    def written_as(self, cells: Claim) -> Claim:
        """With what the way the cells are written says; letters have their own order."""
        return cells if cells.measure == "letters" else self.also(cells)


def claim_of(name: str, measure: Literal["ranks", "scores"] | None = None) -> Claim:
    """What one name says; ``measure`` where its role is known."""
    text = " ".join(name.lower().replace("_", " ").split())
    words = set(re.findall(r"[^\W\d_]+", text))
    ranks = bool(words & set(_RANKS))
    scores = bool(words & set(_SCORES)) or (not ranks and bool(_SCALE.search(text)))
    said: Literal["ranks", "scores"] | None = None
    if ranks != scores:
        said = "ranks" if ranks else "scores"
    ends = _ends(text)
    best = ends.pop() if len(ends) == 1 else None
    return Claim(measure or said, best, name, contradicts=len(ends) > 1)


def _ends(text: str) -> set[Literal["low", "high"]]:
    """Which ends are called best. 1 (or 0) as the best and 5 as the worst are the same saying."""
    found: set[Literal["low", "high"]] = set()
    sayings = [(number, word) for number, word in _NUMBER_FIRST.findall(text)]
    sayings += [(number, word) for word, number in _WORD_FIRST.findall(text)]
    for number, word in sayings:
        good, small = bool(re.fullmatch(_GOOD, word)), int(number) <= 1
        found.add("low" if good == small else "high")
    if sayings:
        return found
    if _LOW.search(text):
        found.add("low")
    if _HIGH.search(text):
        found.add("high")
    return found


def claims_of(names: Iterable[str], measure: Literal["ranks", "scores"] | None = None) -> Claim:
    """What several names say together, such as the columns of places or the lines above a header."""
    found = Claim()
    for name in names:
        found = found.also(claim_of(name, measure))
    return found


def naming(claim: Claim, name: str) -> Claim:
    """The same, said by something else."""
    return replace(claim, name=name)
