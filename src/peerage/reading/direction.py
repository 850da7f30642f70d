"""Which way the numbers of a file run: the one place where that is decided.

The evidence is what the names of columns claim (`claims.py`) and what the numbers look like (`shapes.py`).
What was said by an option comes first, then what a name writes out ("1 = best"), then a name whose numbers do
not speak against it, then numbers that speak for themselves. Everything else is refused: a class graded
upside down is worse than a question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from peerage._options import named
from peerage._words import plural
from peerage.errors import DataError, DirectionError, Problem
from peerage.feedback.direction import DecidedBy, Decision, Direction, Numbers, Orient
from peerage.reading.claims import Claim
from peerage.reading.rules import Rules
from peerage.reading.shapes import Seen, Shape, seen_in, shape_of

LOW_SCALE = 10  # of grades of which the lower is better


def _ranks() -> str:
    return f"{named('direction', 'ranks')} if 1 is best"


def _scores() -> str:
    return f"{named('direction', 'scores')} if larger is better"


def _lower() -> str:
    return f"{named('lower_is_better', True)} for grades such as 1.0 to 5.0"


def _say(one: str, other: str) -> str:
    return f"say {one}, or {other}"


def orient(
    claim: Claim,
    rules: Rules,
    *,
    source: str | None = None,
    line: int | None = None,
    zeros_possible: bool = False,
    blanks: bool = False,
    items: int = 0,
) -> Orient:
    """How to decide once the numbers are known.

    ``zeros_possible``: a zero may stand for an item not reviewed, as in a matrix; ``blanks``: empty cells do.
    ``items``: how many items there are at least, also those that nobody reviewed.
    """

    refuse = refusing(claim, source, line)

    def decide(numbers: Numbers) -> Decision:
        numbers = replace(numbers, items=np.maximum(numbers.items, items))
        zeros = numbers.values == 0
        some = bool(zeros_possible and zeros.any())
        looked_at = numbers.only(~zeros) if some and not zeros.all() else numbers
        direction = decided(claim, rules, lambda: seen_in(looked_at), refuse)
        if not some:
            return Decision(direction)
        if zeros.all():
            return Decision(direction, zeros_are_empty=rules.zeros != "scores")
        return _with_zeros(direction, rules, int(zeros.sum()), refuse, blanks=blanks)

    return decide


Refuse = Callable[[str, str], DirectionError]


def refusing(claim: Claim, source: str | None, line: int | None) -> Refuse:
    """How to say, of these columns, that it is not plain."""

    def refuse(rule: str, fix: str) -> DirectionError:
        return DirectionError(Problem(rule, line=line, column=claim.name or None, fix=fix), source=source)

    return refuse


def decided(claim: Claim, rules: Rules, look: Callable[[], Seen], refuse: Refuse) -> Direction:
    """The direction of numbers, or DirectionError; they are only looked at where nothing else decides."""
    if claim.measure == "letters":
        return _of_marks(claim, rules, refuse)
    if rules.lower_is_better:
        return Direction("scores", "low", "you said so", "you")
    if rules.direction != "auto":
        return Direction(*_ends(rules.direction), "you said so", "you")
    shape = shape_of(look())
    if claim.contradicts:
        raise refuse("the names call both ends best", _say(_ranks(), _scores()))
    if claim.best is not None:
        return _written_out(claim, shape, refuse)
    if claim.measure == "ranks":
        return _called_ranks(claim, shape, refuse)
    if claim.measure == "scores":
        return _called_scores(claim, shape, refuse)
    return _by_values(shape, refuse)


def _of_marks(claim: Claim, rules: Rules, refuse: Refuse) -> Direction:
    """Letters and words have an order of their own, which no option turns round."""
    if rules.lower_is_better or rules.direction == "ranks":
        raise refuse(
            f"marks such as {claim.name!r} are no numbers of which the lower is better", "leave it out"
        )
    if rules.words:
        return Direction("letters", "first", f"you gave the scale, {rules.words[0]!r} the best", "you")
    return Direction("letters", "first", f"{claim.name!r} is a letter grade, and A is best", "values")


def _ends(measure: Literal["ranks", "scores"]) -> tuple[Literal["ranks", "scores"], Literal["low", "high"]]:
    return (measure, "low") if measure == "ranks" else (measure, "high")


def _written_out(claim: Claim, shape: Shape, refuse: Refuse) -> Direction:
    why = f"{claim.name!r} says so"
    if claim.best == "low" and shape.beyond and shape.least > 1 and shape.most > LOW_SCALE:
        rule = f"says that low is best, but its numbers run from {shape.least:g} to {shape.most:g}"
        raise refuse(rule, _say(_scores(), _lower()))
    if claim.best == "high":
        return Direction("scores", "high", why, "names")
    ranks = not shape.fractions and shape.least >= 1 and (shape.possible >= 0.9 or claim.measure == "ranks")
    return Direction("ranks" if ranks else "scores", "low", why, "names")


def _called_ranks(claim: Claim, shape: Shape, refuse: Refuse) -> Direction:
    against = _against_ranks(shape)
    if against:
        raise refuse(f"is called a rank, but {against}", _say(_scores(), _ranks()))
    return Direction("ranks", "low", *_named(claim, "ranks"))


def _against_ranks(shape: Shape) -> str:
    """Why these should be no ranks; nothing where they may be."""
    if shape.fractions:
        return "it holds fractions, which ranks do not have"
    if shape.beyond:
        return f"it goes up to {shape.most:g}, more than there are items"
    if shape.lists and shape.impossible > 0.1:
        return _as_no_rankings(shape)
    if shape.lists and shape.levels < 0.5:
        return "most items share their number with another, as ratings do"
    if shape.lists and shape.rankings < 0.5:
        return f"not even half of the {plural(shape.lists, 'list')} count from 1"
    return ""


def _called_scores(claim: Claim, shape: Shape, refuse: Refuse) -> Direction:
    if shape.like_rankings:
        rule = f"is called a score, but {_as_rankings(shape)}, as ranks do"
        raise refuse(rule, _say(_ranks(), _scores()))
    if shape.thirds and "gpa" not in claim.name.lower():
        raise refuse(_opposite_scales(), _say(_lower(), _scores()))
    return Direction("scores", "high", *_named(claim, "scores"))


def _named(claim: Claim, measure: str) -> tuple[str, DecidedBy]:
    if claim.cells:
        return f"cells such as {claim.name!r} are {measure}", "values"
    return f"{claim.name!r} is the name of {measure}", "names"


def _by_values(shape: Shape, refuse: Refuse) -> Direction:
    if shape.thirds:
        raise refuse(_opposite_scales(), _say(_lower(), _scores()))
    if shape.surely_rankings:
        return Direction("ranks", "low", _as_rankings(shape), "values")
    if shape.like_scores:
        return Direction("scores", "high", _as_scores(shape), "values")
    scale = f"from {shape.least:g} to {shape.most:g}"
    rule = f"the numbers run {scale}, and nothing tells whether 1 is the best or the worst"
    raise refuse(rule, _say(_ranks(), _scores()))


def _opposite_scales() -> str:
    return "grades that end in .0, .3 and .7 are best low in some countries and best high in others"


def _as_rankings(shape: Shape) -> str:
    """`each of the 12 lists counts from 1 to the number of its items`."""
    tie = "" if shape.strict == 1 else ", ties apart"
    count = "count" if shape.lists > 1 else "counts"
    return f"{_share(shape.rankings, shape.lists)} {count} from 1 to the number of items{tie}"


def _as_scores(shape: Shape) -> str:
    if shape.fractions:
        return "there are fractions, which ranks do not have"
    if shape.beyond:
        return f"numbers go up to {shape.most:g}, beyond any rank of so few items"
    if shape.least <= 0:
        return f"numbers go down to {shape.least:g}, and ranks begin at 1"
    return _as_no_rankings(shape)


def _as_no_rankings(shape: Shape) -> str:
    do = "repeat and skip" if shape.lists > 1 else "repeats and skips"
    return f"{_share(shape.impossible, shape.lists)} {do} numbers as no ranking does"


def _share(share: float, lists: int) -> str:
    if share == 1:
        return "all lists" if lists > 1 else "the one list there is"
    return f"{round(100 * share)} % of the {plural(lists, 'list')}"


def _with_zeros(direction: Direction, rules: Rules, zeros: int, refuse: Refuse, *, blanks: bool) -> Decision:
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
