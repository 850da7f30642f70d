"""How an opinion is written in a cell: ranks, scores, grades and words, in both directions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.reading.battery.case import number
from tests.reading.battery.truth import Truth

Mark = Callable[[Truth, str, str], str]


ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")
SPELLED = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth")


def rank(truth: Truth, grader: str, item: str) -> str:
    return str(truth.rank(grader, item))


def dense_rank(truth: Truth, grader: str, item: str) -> str:
    return str(truth.tier(grader, item))


def mid_rank(truth: Truth, grader: str, item: str) -> str:
    tied = len(truth.only(grader)[truth.tier(grader, item) - 1])
    return number(truth.rank(grader, item) + (tied - 1) / 2)


def last_is_best(truth: Truth, grader: str, item: str) -> str:
    """Ranks upside down: the best of k has k."""
    return str(len(truth.flat(grader)) + 1 - truth.rank(grader, item))


def borda(truth: Truth, grader: str, item: str) -> str:
    return str(len(truth.flat(grader)) - truth.rank(grader, item))


def three_two_one(truth: Truth, grader: str, item: str) -> str:
    """Points for the best three, none for the others."""
    return str(max(0, 4 - truth.rank(grader, item)))


def ordinal(truth: Truth, grader: str, item: str) -> str:
    place = truth.rank(grader, item)
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")


def place(form: str, words: Sequence[str] = ()) -> Mark:
    """Places as people write them: `{}º`, `{} choice`; by words where there are some."""

    def mark(truth: Truth, grader: str, item: str) -> str:
        rank = truth.rank(grader, item)
        return form.format(words[rank - 1] if words else rank)

    return mark


def score(truth: Truth, grader: str, item: str) -> str:
    return number(truth.score(grader, item))


def comma_score(truth: Truth, grader: str, item: str) -> str:
    return number(truth.score(grader, item), comma=True)


def written(form: str) -> Mark:
    return lambda truth, grader, item: form.format(number(truth.score(grader, item)))


def stars(truth: Truth, grader: str, item: str) -> str:
    given = int(truth.score(grader, item))
    return "★" * given + "☆" * (5 - given)


@dataclass(frozen=True)
class Ladder:
    """Steps from the best to the worst, an order without distances; scores count from 0, the worst."""

    steps: Sequence[str]

    def __call__(self, truth: Truth, grader: str, item: str) -> str:
        return self.steps[len(self.steps) - 1 - int(truth.score(grader, item))]


def cells(truth: Truth, mark: Mark, grader: str, empty: str = "") -> list[str]:
    """A cell for every item, whether the grader saw it or not."""
    seen = truth.saw(grader)
    return [mark(truth, grader, item) if item in seen else empty for item in truth.items]


def with_scores(truth: Truth, mark: Mark) -> Truth:
    """The same orders, with the numbers that this mark writes as scores."""
    scores = {who: {item: float(mark(truth, who, item)) for item in truth.flat(who)} for who in truth.orders}
    return truth.but(scores=scores)


def meant(truth: Truth, mark: Mark) -> Truth:
    """Points are scores, grades and words are an order, ranks of which the last is best may be either."""
    if mark in (borda, three_two_one, last_is_best):
        return with_scores(truth, mark).but(scores_needed=mark is not last_is_best)
    return truth.but(scores=None) if isinstance(mark, Ladder) else truth


THIRDS = ("1.0", "1.3", "1.7", "2.0", "2.3", "2.7", "3.0", "3.3", "3.7", "4.0", "5.0")
COMMA_THIRDS = tuple(step.replace(".", ",") for step in THIRDS)
GRADE_POINTS = ("4.0", "3.7", "3.3", "3.0", "2.7", "2.3", "2.0", "1.7", "1.3", "1.0", "0.0")
LETTERS = ("A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+", "D", "F")
ENGLISH = ("Excellent", "Good", "Fair", "Poor", "Very poor")
GERMAN = ("sehr gut", "gut", "befriedigend", "ausreichend", "mangelhaft")
FRENCH = ("Excellent", "Bien", "Passable", "Insuffisant", "Très insuffisant")
LOW_BEST = ("1", "2", "3", "4", "5")
TEN, FIVE, TWENTY, HUNDRED, STEPS = (0, 10, 1), (1, 5, 1), (0, 20, 0.5), (0, 100, 1), (0, 4, 1)
