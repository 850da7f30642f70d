"""Which way the numbers of a file run: the one place where that is decided.

The evidence is what the names of columns say (a `HeaderHint`) and what the numbers look like
(`rank_evidence.py`). What was said by an option comes first, then what a name writes out ("1 = best"), then a
name whose numbers do not speak against it, then numbers that speak for themselves. Everything else is
refused: a class graded upside down is worse than a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from peerage._options import named
from peerage._words import plural
from peerage.errors import DataError, DirectionError, Problem
from peerage.feedback.choices import DecidedBy, Decision, Direction, DirectionFinder, Numbers
from peerage.reading.rank_evidence import NumberSummary, RankEvidence, find_rank_evidence, summarise_numbers
from peerage.reading.rules import Rules

LOW_SCALE = 10  # of grades of which the lower is better
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


# -- what the names of columns say ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HeaderHint:
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

    def combine(self, other: HeaderHint) -> HeaderHint:
        """With what others say; those who disagree say nothing, or contradict each other."""
        best = self.best or other.best
        clash = bool(self.best and other.best and self.best != other.best)
        measure = self.measure or other.measure
        if self.measure and other.measure and self.measure != other.measure:
            measure = None
        mine = bool(self.best or (self.measure and not other.best))
        name, cells = (self.name, self.cells) if mine else (other.name, other.cells)
        clash |= self.contradicts or other.contradicts
        return HeaderHint(measure, best, name or self.name or other.name, contradicts=clash, cells=cells)

    def combine_cells(self, cells: HeaderHint) -> HeaderHint:
        """With what the way the cells are written says; letters have their own order."""
        return cells if cells.measure == "letters" else self.combine(cells)


def hint_in_name(name: str, measure: Literal["ranks", "scores"] | None = None) -> HeaderHint:
    """What one name says; ``measure`` where its role is known."""
    text = " ".join(name.lower().replace("_", " ").split())
    words = set(re.findall(r"[^\W\d_]+", text))
    ranks = bool(words & set(_RANKS))
    scores = bool(words & set(_SCORES)) or (not ranks and bool(_SCALE.search(text)))
    word_measure: Literal["ranks", "scores"] | None = None
    if ranks != scores:
        word_measure = "ranks" if ranks else "scores"
    ends = _best_ends(text)
    best = ends.pop() if len(ends) == 1 else None
    return HeaderHint(measure or word_measure, best, name, contradicts=len(ends) > 1)


def _best_ends(text: str) -> set[Literal["low", "high"]]:
    """Which ends are called best. 1 (or 0) as the best and 5 as the worst are the same saying."""
    ends: set[Literal["low", "high"]] = set()
    sayings = [(number, word) for number, word in _NUMBER_FIRST.findall(text)]
    sayings += [(number, word) for word, number in _WORD_FIRST.findall(text)]
    for number, word in sayings:
        good, small = bool(re.fullmatch(_GOOD, word)), int(number) <= 1
        ends.add("low" if good == small else "high")
    if sayings:
        return ends
    if _LOW.search(text):
        ends.add("low")
    if _HIGH.search(text):
        ends.add("high")
    return ends


def hint_in_names(names: Iterable[str], measure: Literal["ranks", "scores"] | None = None) -> HeaderHint:
    """What several names say together, such as the columns of places or the lines above a header."""
    hint = HeaderHint()
    for name in names:
        hint = hint.combine(hint_in_name(name, measure))
    return hint


# -- the decision ---------------------------------------------------------------------------------------


def _ranks() -> str:
    return f"{named('direction', 'ranks')} if 1 is best"


def _scores() -> str:
    return f"{named('direction', 'scores')} if larger is better"


def _lower() -> str:
    return f"{named('lower_is_better', True)} for grades such as 1.0 to 5.0"


def _say(one: str, other: str) -> str:
    return f"say {one}, or {other}"


def direction_finder(
    hint: HeaderHint,
    rules: Rules,
    *,
    source: str | None = None,
    line: int | None = None,
    zeros_possible: bool = False,
    blanks: bool = False,
    items: int = 0,
) -> DirectionFinder:
    """How to decide once the numbers are known.

    ``zeros_possible``: a zero may stand for an item not reviewed, as in a matrix; ``blanks``: empty cells do.
    ``items``: how many items there are at least, combine those that nobody reviewed.
    """

    def decide(numbers: Numbers) -> Decision:
        numbers = replace(numbers, items=np.maximum(numbers.items, items))
        zeros = numbers.values == 0
        some = bool(zeros_possible and zeros.any())
        looked_at = numbers.only(~zeros) if some and not zeros.all() else numbers
        direction = decide_direction(hint, rules, lambda: summarise_numbers(looked_at), source, line)
        if not some:
            return Decision(direction)
        if zeros.all():
            return Decision(direction, zeros_are_empty=rules.zeros != "scores")
        refuse = _refusal(hint, source, line)
        return _decide_zeros(direction, rules, int(zeros.sum()), refuse, blanks=blanks)

    return decide


_Refuse = Callable[[str, str], DirectionError]


def _refusal(hint: HeaderHint, source: str | None, line: int | None) -> _Refuse:
    """How to say, of these columns, that it is not plain."""

    def refuse(rule: str, fix: str) -> DirectionError:
        return DirectionError(Problem(rule, line=line, column=hint.name or None, fix=fix), source=source)

    return refuse


def decide_direction(
    hint: HeaderHint,
    rules: Rules,
    summarise: Callable[[], NumberSummary],
    source: str | None = None,
    line: int | None = None,
) -> Direction:
    """The direction of numbers, or DirectionError; they are only looked at where nothing else decides."""
    refuse = _refusal(hint, source, line)
    if hint.measure == "letters":
        return _decide_marks(hint, rules, refuse)
    if rules.lower_is_better:
        return Direction("scores", "low", "you said so", "you")
    if rules.direction != "auto":
        return Direction(*_ends(rules.direction), "you said so", "you")
    evidence = find_rank_evidence(summarise())
    if hint.contradicts:
        raise refuse("the names call both ends best", _say(_ranks(), _scores()))
    if hint.best is not None:
        return _decide_by_statement(hint, evidence, refuse)
    if hint.measure == "ranks":
        return _decide_ranks(hint, evidence, refuse)
    if hint.measure == "scores":
        return _decide_scores(hint, evidence, refuse)
    return _decide_by_values(evidence, refuse)


def _decide_marks(hint: HeaderHint, rules: Rules, refuse: _Refuse) -> Direction:
    """Letters and words have an order of their own, which no option turns round."""
    if rules.lower_is_better or rules.direction == "ranks":
        raise refuse(
            f"marks such as {hint.name!r} are no numbers of which the lower is better", "leave it out"
        )
    if rules.words:
        return Direction("letters", "first", f"you gave the scale, {rules.words[0]!r} the best", "you")
    return Direction("letters", "first", f"{hint.name!r} is a letter grade, and A is best", "values")


def _ends(measure: Literal["ranks", "scores"]) -> tuple[Literal["ranks", "scores"], Literal["low", "high"]]:
    return (measure, "low") if measure == "ranks" else (measure, "high")


def _decide_by_statement(hint: HeaderHint, evidence: RankEvidence, refuse: _Refuse) -> Direction:
    why = f"{hint.name!r} says so"
    if hint.best == "low" and evidence.beyond and evidence.least > 1 and evidence.most > LOW_SCALE:
        rule = f"says that low is best, but its numbers run from {evidence.least:g} to {evidence.most:g}"
        raise refuse(rule, _say(_scores(), _lower()))
    if hint.best == "high":
        return Direction("scores", "high", why, "names")
    ranks = (
        not evidence.fractions
        and evidence.least >= 1
        and (evidence.possible >= 0.9 or hint.measure == "ranks")
    )
    return Direction("ranks" if ranks else "scores", "low", why, "names")


def _decide_ranks(hint: HeaderHint, evidence: RankEvidence, refuse: _Refuse) -> Direction:
    against = _against_ranks(evidence)
    if against:
        raise refuse(f"is called a rank, but {against}", _say(_scores(), _ranks()))
    return Direction("ranks", "low", *_reason_by_name(hint, "ranks"))


def _against_ranks(evidence: RankEvidence) -> str:
    """Why these should be no ranks; nothing where they may be."""
    if evidence.fractions:
        return "it holds fractions, which ranks do not have"
    if evidence.beyond:
        return f"it goes up to {evidence.most:g}, more than there are items"
    if evidence.lists and evidence.impossible > 0.1:
        return _as_no_rankings(evidence)
    if evidence.lists and evidence.levels < 0.5:
        return "most items share their number with another, as ratings do"
    if evidence.lists and evidence.rankings < 0.5:
        return f"not even half of the {plural(evidence.lists, 'list')} count from 1"
    return ""


def _decide_scores(hint: HeaderHint, evidence: RankEvidence, refuse: _Refuse) -> Direction:
    if evidence.like_rankings:
        rule = f"is called a score, but {_as_rankings(evidence)}, as ranks do"
        raise refuse(rule, _say(_ranks(), _scores()))
    if evidence.letter_thirds and "gpa" not in hint.name.lower():
        raise refuse(_opposite_scales(), _say(_lower(), _scores()))
    return Direction("scores", "high", *_reason_by_name(hint, "scores"))


def _reason_by_name(hint: HeaderHint, measure: str) -> tuple[str, DecidedBy]:
    if hint.cells:
        return f"cells such as {hint.name!r} are {measure}", "values"
    return f"{hint.name!r} is the name of {measure}", "names"


def _decide_by_values(evidence: RankEvidence, refuse: _Refuse) -> Direction:
    if evidence.letter_thirds:
        raise refuse(_opposite_scales(), _say(_lower(), _scores()))
    if evidence.surely_rankings:
        return Direction("ranks", "low", _as_rankings(evidence), "values")
    if evidence.like_scores:
        return Direction("scores", "high", _as_scores(evidence), "values")
    scale = f"from {evidence.least:g} to {evidence.most:g}"
    rule = f"the numbers run {scale}, and nothing tells whether 1 is the best or the worst"
    raise refuse(rule, _say(_ranks(), _scores()))


def _opposite_scales() -> str:
    return "grades that end in .0, .3 and .7 are best low in some countries and best high in others"


def _as_rankings(evidence: RankEvidence) -> str:
    """`each of the 12 lists counts from 1 to the number of its items`."""
    tie = "" if evidence.strict == 1 else ", ties apart"
    count = "count" if evidence.lists > 1 else "counts"
    return f"{_share(evidence.rankings, evidence.lists)} {count} from 1 to the number of items{tie}"


def _as_scores(evidence: RankEvidence) -> str:
    if evidence.fractions:
        return "there are fractions, which ranks do not have"
    if evidence.beyond:
        return f"numbers go up to {evidence.most:g}, beyond any rank of so few items"
    if evidence.least <= 0:
        return f"numbers go down to {evidence.least:g}, and ranks begin at 1"
    return _as_no_rankings(evidence)


def _as_no_rankings(evidence: RankEvidence) -> str:
    do = "repeat and skip" if evidence.lists > 1 else "repeats and skips"
    return f"{_share(evidence.impossible, evidence.lists)} {do} numbers as no ranking does"


def _share(share: float, lists: int) -> str:
    if share == 1:
        return "all lists" if lists > 1 else "the one list there is"
    return f"{round(100 * share)} % of the {plural(lists, 'list')}"


def _decide_zeros(
    direction: Direction, rules: Rules, zeros: int, refuse: _Refuse, *, blanks: bool
) -> Decision:
    """What a zero is: no review among ranks; a score where empty cells already say that there was none."""
    if rules.zeros != "auto":
        return Decision(direction, zeros_are_empty=rules.zeros == "empty")
    if direction.measure == "ranks":
        return Decision(direction, zeros_are_empty=True)
    if blanks:
        note = f"{plural(zeros, 'zero')} read as scores, since empty cells say what was not reviewed"
        return Decision(direction, notes=(note,))
    rule = f"{plural(zeros, 'cell')} hold 0, which may be a score or an item that was not reviewed"
    fix = (
        "empty the cells of items that were not reviewed, or say what they are with"
        f" {named('zeros', 'scores')} or {named('zeros', 'empty')}"
    )
    error = refuse(rule, fix)
    raise DataError(error.problems, source=error.source)
