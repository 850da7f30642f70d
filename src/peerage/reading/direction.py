"""Which way the numbers of a file run: the one place where that is decided.

What an option says comes first, then what a name writes out ("1 = best"), then a name whose numbers do not
speak against it. Everything else is asked: a class graded upside down is worse than a question.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from peerage._options import named
from peerage._words import plural
from peerage.errors import DataError, OpenQuestion, Problem
from peerage.feedback.choices import Direction, DirectionFinder, Numbers
from peerage.reading.reading import NONE, Reading
from peerage.reading.vocabulary import HeaderHint, is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOW_SCALE = 10  # of grades of which the lower is better
GRADES = (1, 6)  # within these, grades are best low in some countries and best high in others
RANKS, WORST_FIRST = {"direction": "ranks"}, {"direction": "worst-first"}
SCORES, LOWER = {"direction": "scores"}, {"direction": "lower-is-better"}
_OPTIONS: dict[str, Direction] = {
    "ranks": Direction("ranks", "low", "you said so", "you"),
    "worst-first": Direction("ranks", "high", "you said so", "you"),
    "scores": Direction("scores", "high", "you said so", "you"),
    "lower-is-better": Direction("scores", "low", "you said so", "you"),
}
_MEANINGS = {
    "ranks": "if 1 is best",
    "worst-first": "if 1 is the worst",
    "scores": "if larger is better",
    "lower-is-better": "for grades such as 1.0 to 5.0",
}


def direction_finder(
    hint: HeaderHint,
    reading: Reading,
    *,
    source: str | None = None,
    line: int | None = None,
    items: int = 0,
) -> DirectionFinder:
    """How to decide once the numbers are known; ``items`` is how many items there are at least."""

    def decide(numbers: Numbers) -> Direction:
        numbers = replace(numbers, items=np.maximum(numbers.items, items))
        return decide_direction(hint, reading, lambda: summarise_numbers(numbers), source, line)

    return decide


_Ask = Callable[[str, Sequence[Mapping[str, Any]]], OpenQuestion]


def decide_direction(
    hint: HeaderHint,
    reading: Reading,
    summarise: Callable[[], NumberSummary],
    source: str | None = None,
    line: int | None = None,
) -> Direction:
    """The direction of numbers, or OpenQuestion; they are only looked at where nothing else decides."""

    def ask(rule: str, choices: Sequence[Mapping[str, Any]]) -> OpenQuestion:
        fix = f"say {' or '.join(map(_choice_text, choices))}"
        problem = Problem(rule, line=line, column=hint.name or None, fix=fix)
        return OpenQuestion(problem, choices=choices, source=source)

    if hint.measure == "letters":
        return _decide_marks(hint, reading)
    answered = any(text == NONE or is_number(text) for text in reading.empty)
    if reading.direction != "auto" and answered:
        return _OPTIONS[reading.direction]
    summary = summarise()
    if not answered:
        _ask_about_codes(hint, reading, summary, ask)
    if reading.direction != "auto":
        return _OPTIONS[reading.direction]
    return _decide_by_names(hint, find_rank_evidence(summary), ask)


def _decide_by_names(hint: HeaderHint, evidence: RankEvidence, ask: _Ask) -> Direction:
    """What the names say, where the numbers do not speak against it."""
    if hint.contradicts:
        raise ask("the names call both ends best", [RANKS, SCORES])
    if hint.best is not None:
        return _decide_by_statement(hint, evidence, ask)
    if hint.remark and hint.measure:
        rule = f"{hint.remark} may say which end is best, and is not understood"
        if hint.measure == "scores":
            raise ask(rule, [SCORES, LOWER])
        raise ask(rule, [SCORES, RANKS] if _against_ranks(evidence) else [RANKS, WORST_FIRST])
    if hint.measure == "ranks":
        if against := _against_ranks(evidence):
            raise ask(f"is called a rank, but {against}", [SCORES, RANKS])
        return _by_name(hint, "ranks")
    if hint.measure == "scores":
        _ask_about_scores(hint, evidence, ask)
        return _by_name(hint, "scores")
    scale = f"from {evidence.summary.least:g} to {evidence.summary.most:g}"
    rule = f"the numbers run {scale}, and nothing says whether large or small ones are better"
    raise ask(rule, [RANKS, SCORES] if evidence.may_be_ranks else [SCORES, LOWER])


def _choice_text(choice: Mapping[str, Any]) -> str:
    name, value = next(iter(choice.items()))
    if name == "direction":
        return f"{named(name, value)} {_MEANINGS[value]}"
    return f"{named(name, value if isinstance(value, str) else ', '.join(value))}"


def _decide_marks(hint: HeaderHint, reading: Reading) -> Direction:
    """Letters and words have an order of their own, which no option turns round."""
    if reading.direction not in ("auto", "scores"):
        rule = f"marks such as {hint.name!r} are no numbers of which the lower is better"
        raise DataError(Problem(rule, fix="leave the direction out"))
    if scale := reading.scale:
        return Direction("letters", "first", f"you gave the scale, {scale[0]!r} the best", "you")
    return Direction("letters", "first", f"{hint.name!r} is a letter grade, and A is best", "values")


def _ask_about_codes(hint: HeaderHint, reading: Reading, summary: NumberSummary, ask: _Ask) -> None:
    """Zeros, 99 and -1 may stand for "not reviewed"; only the person who made the file knows."""
    codes, declared = summary.codes, hint.range
    within = (declared and declared[0] <= 0) or codes.least < 0 or (codes.most <= 1 and not summary.whole)
    zero = codes.zeros > 0 and not within
    apart = {
        code for code in codes.present if (code > 0 and 1.5 * codes.most < code) or code < 0 <= codes.least
    }
    if declared:
        ends = {value for value in (summary.least, summary.most) if not declared[0] <= value <= declared[1]}
        apart |= ends | {code for code in codes.present if not declared[0] <= code <= declared[1]}
    odd = sorted(apart - {0.0})
    if not zero and not odd:
        return
    texts = tuple(f"{code:g}" for code in ([0.0] if zero else []) + odd)
    rule = (
        f"{plural(codes.zeros, 'number')} {'is' if codes.zeros == 1 else 'are'} 0, which"
        if zero and not odd
        else f"{' and '.join(texts)} {'lies' if len(texts) == 1 else 'lie'} apart from the other numbers and"
    )
    words = tuple(reading.empty)
    meant: list[dict[str, Any]] = [{"empty": (*words, *texts)}, {"empty": (*words, NONE)}]
    if zero and odd:
        meant.insert(1, {"empty": (*words, *texts[1:])})
    ranks = reading.direction == "ranks" or (reading.direction == "auto" and hint.measure == "ranks")
    if ranks and zero:
        meant[1] = {"empty": (*words, NONE), "direction": "lower-is-better"}  # ranks that count from 0
    elif (
        zero
        and not odd
        and 4 * codes.zeros < codes.count
        and not (codes.least == 1 and codes.most <= LOW_SCALE)
    ):
        meant.reverse()  # a few zeros among points; a scale that begins at 1 has none
    raise ask(f"{rule} may stand for an item that was not reviewed, or count", meant)


def _decide_by_statement(hint: HeaderHint, evidence: RankEvidence, ask: _Ask) -> Direction:
    least, most, beyond = evidence.summary.least, evidence.summary.most, evidence.summary.beyond
    if hint.best == "low" and beyond and least > 1 and most > LOW_SCALE:
        raise ask(f"says that low is best, but its numbers run from {least:g} to {most:g}", [SCORES, LOWER])
    ranks = hint.measure == "ranks" or (hint.measure is None and evidence.possible >= 0.9)
    ranks = ranks and least >= 1 and not beyond and not evidence.fractions
    return Direction("ranks" if ranks else "scores", hint.best or "low", f"{hint.name!r} says so", "names")


def _against_ranks(evidence: RankEvidence) -> str:
    """Why these should be no ranks; nothing where they may be."""
    if evidence.fractions:
        return "it holds fractions, which ranks do not have"
    if evidence.summary.beyond:
        return f"it goes up to {evidence.summary.most:g}, more than there are items"
    if evidence.lists and evidence.possible < 0.9:
        do = "repeat and skip" if evidence.lists > 1 else "repeats and skips"
        return f"{_share(1 - evidence.possible, evidence.lists)} {do} numbers as no ranking does"
    if evidence.lists and evidence.levels < 0.5:
        return "most items share their number with another, as ratings do"
    if evidence.lists and evidence.rankings < 0.5:
        return f"not even half of the {plural(evidence.lists, 'list')} count from 1"
    return ""


def _ask_about_scores(hint: HeaderHint, evidence: RankEvidence, ask: _Ask) -> None:
    """Numbers that are called scores may be ranks, or grades that are best low."""
    if evidence.like_rankings:
        count = "count" if evidence.lists > 1 else "counts"
        share = _share(evidence.rankings, evidence.lists)
        rule = f"is called a score, but {share} {count} from 1 to the number of items, as ranks do"
        raise ask(rule, [RANKS, SCORES])
    summary = evidence.summary
    grades = (hint.grades or summary.letter_thirds) and hint.range is None and "gpa" not in hint.name.lower()
    if grades and GRADES[0] <= summary.least and summary.most <= GRADES[1]:
        rule = "grades of 1 to 6 are best low in some countries and best high in others"
        raise ask(rule, [LOWER, SCORES] if summary.letter_thirds else [SCORES, LOWER])


def _by_name(hint: HeaderHint, measure: Literal["ranks", "scores"]) -> Direction:
    best: Literal["low", "high"] = "low" if measure == "ranks" else "high"
    if hint.cells:
        return Direction(measure, best, f"cells such as {hint.name!r} are {measure}", "values")
    return Direction(measure, best, f"{hint.name!r} is the name of {measure}", "names")


def _share(share: float, lists: int) -> str:
    if share == 1:
        return "all lists" if lists > 1 else "the one list there is"
    return f"{round(100 * share)} % of the {plural(lists, 'list')}"


# -- what the numbers look like, list by list ---------------------------------------------------------------

MOST_LISTS = 5_000  # looked at one by one; of more, these spread evenly
CODES = (77, 88, 99, 777, 888, 999, 9999, -1, -9, -99, -999)  # what people enter for "no answer"


@dataclass(frozen=True, slots=True)
class CodeSummary:
    """Numbers that may stand for "not reviewed", and the ends of all others."""

    count: int = 0
    zeros: int = 0
    present: frozenset[float] = frozenset()
    least: float = math.inf
    most: float = -math.inf

    def with_others(self, other: CodeSummary) -> CodeSummary:
        """Of both together."""
        return CodeSummary(
            self.count + other.count,
            self.zeros + other.zeros,
            self.present | other.present,
            min(self.least, other.least),
            max(self.most, other.most),
        )


def summarise_codes(values: NDArray[np.float64]) -> CodeSummary:
    """Look at the numbers; those that cannot be codes cost no more than their ends."""
    zeros = int(np.count_nonzero(values == 0))
    present: frozenset[float] = frozenset()
    usual = values
    if values.max() >= min(code for code in CODES if code > 0) or values.min() < 0:
        is_code = np.isin(values, CODES)
        present, usual = frozenset(np.unique(values[is_code]).tolist()), values[~is_code]
    usual = usual[usual != 0] if zeros else usual
    ends = (float(usual.min()), float(usual.max())) if len(usual) else (math.inf, -math.inf)
    return CodeSummary(len(values), zeros, present, *ends)


@dataclass(frozen=True, slots=True)
class NumberSummary:
    """Facts about all numbers, and the lists of two or more, or a sample of them."""

    least: float
    most: float
    beyond: bool
    whole: bool  # whether all are whole numbers
    odd_singles: bool  # whether a list of one item has a fraction, which no tie explains
    letter_thirds: bool
    sample: Numbers
    codes: CodeSummary


def summarise_numbers(numbers: Numbers) -> NumberSummary:
    """Look at the numbers; none of them is missing."""
    values = numbers.values
    whole = values == np.round(values)
    counts = np.bincount(numbers.lists)
    marked = np.zeros(len(counts), dtype=bool)
    several = np.flatnonzero(counts >= 2)
    marked[several[sample_evenly(len(several))]] = True
    return NumberSummary(
        least=float(values.min()),
        most=float(values.max()),
        beyond=bool((values > numbers.items).any()),
        whole=bool(whole.all()),
        odd_singles=bool((counts[numbers.lists[~whole]] == 1).any()),
        letter_thirds=looks_like_letter_thirds(values),
        sample=numbers.only(marked[numbers.lists]),
        codes=summarise_codes(values),
    )


def sample_evenly(lists: int) -> NDArray[np.int64]:
    """Which of so many lists are looked at one by one: all, or some that are spread evenly."""
    if lists <= MOST_LISTS:
        return np.arange(lists)
    return np.linspace(0, lists - 1, MOST_LISTS).astype(np.int64)


@dataclass(frozen=True, slots=True)
class RankEvidence:
    """Facts about numbers, over the lists of two items or more.

    Attributes
    ----------
    lists : how many there are.
    rankings : share that are whole rankings, 1 to k, ties counted in any of the usual ways.
    possible : share that may be rankings with gaps: those, and different whole numbers from 1 on.
    levels : mean of different numbers per item; 1 where nothing is tied.
    fractions : whether there are any that do not come from tied ranks.
    """

    summary: NumberSummary
    lists: int
    rankings: float = 0.0
    possible: float = 1.0
    levels: float = 1.0
    fractions: bool = False

    @property
    def may_be_ranks(self) -> bool:
        return self.possible >= 0.9 and not self.summary.beyond and not self.fractions

    @property
    def like_rankings(self) -> bool:
        """Whether most lists are rankings, perhaps with gaps."""
        return self.may_be_ranks and self.lists > 0 and self.rankings >= 0.5 and self.levels >= 2 / 3


def find_rank_evidence(summary: NumberSummary) -> RankEvidence:
    """What the numbers look like."""
    ordered, starts, sizes, most = _sort_lists(summary.sample)
    if len(starts) == 0:
        return RankEvidence(summary, 0, fractions=not summary.whole)
    valid, levels = _find_rankings(ordered, starts, sizes)
    whole = np.logical_and.reduceat(ordered == np.round(ordered), starts)
    gaps = whole & (levels == sizes) & (ordered[starts] >= 1) & (ordered[starts + sizes - 1] <= most)
    return RankEvidence(
        summary,
        lists=len(starts),
        rankings=float(valid.mean()),
        possible=float((valid | gaps).mean()),
        levels=float((levels / sizes).mean()),
        fractions=not summary.whole and bool((~whole & ~valid).any() or summary.odd_singles),
    )


def _sort_lists(
    part: Numbers,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Numbers in order within their lists, where each begins, its size and its number of possible items."""
    order = np.lexsort((part.values, part.lists))
    lists = part.lists[order]
    starts = (
        np.flatnonzero(np.append(True, lists[1:] != lists[:-1]))
        if len(lists)
        else np.empty(0, dtype=np.int64)
    )
    sizes = np.diff(np.append(starts, len(lists)))
    return part.values[order], starts, sizes, part.items[order][starts]


def _find_rankings(
    ordered: NDArray[np.float64], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which lists are whole rankings in any of the ways to count ties, and how many places each has."""
    bucket_starts = np.zeros(len(ordered), dtype=bool)
    bucket_starts[starts] = True
    bucket_starts[1:] |= ordered[1:] != ordered[:-1]
    place = np.arange(len(ordered)) - np.repeat(starts, sizes) + 1
    bucket = np.cumsum(bucket_starts) - 1
    first = np.flatnonzero(bucket_starts)
    tied = np.diff(np.append(first, len(ordered)))
    low = place[first][bucket]
    high = low + (tied - 1)[bucket]
    dense = bucket - np.repeat(bucket[starts], sizes) + 1
    valid = np.zeros(len(starts), dtype=bool)
    for counted in (low, high, dense, (low + high) / 2):
        valid |= np.logical_and.reduceat(ordered == counted, starts)
    return valid, dense[starts + sizes - 1]


def looks_like_letter_thirds(values: NDArray[np.float64]) -> bool:
    """Whether all end in .0, .3 or .7 between 1 and 6, and not all in .0."""
    if not (values.min() >= 1 and values.max() <= 6):
        return False
    tenths = np.round(values * 10)
    end = tenths % 10
    fine = np.isin(end, (0, 3, 7)) & (np.abs(values * 10 - tenths) < 1e-6)
    return bool(fine.all() and (end != 0).any())
