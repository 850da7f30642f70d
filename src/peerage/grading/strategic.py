"""Reasons to look for strategic grading: favours returned, and lists copied. For staff only, never a verdict.

Both are held against honest grading at a level for the whole class: `LEVEL` of honest classes have any name.

returned   Two students who reviewed each other's work both put it higher than the class would. Every review
           has a residual, how often it was put above others of its list less how often the class would;
           residuals are shuffled within lists, and a pair is named where the smaller of its two residuals is
           beyond the largest that most shuffles of the class have.
copied     Two graders put the items they share in nearly the same order, where two honest graders of these
           items hardly would: lists of both are drawn from the class's scores, with reliabilities that
           differ as those of honest graders do. Shuffles would not do: two who both agree with the class look
           alike too.

Shuffles and draws come from a stream of their own, so that no seed of a run changes who is named. What was
tried and is not here, because it finds too little, is in docs/strategic-grading.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage._numba import kernel
from peerage._words import plural
from peerage.grading.pair_counts import count_pair, count_repeated, empty_counts, may_repeat
from peerage.models.leave_out import scores_without
from peerage.roster.container import item_table, join_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.roster.container import Roster

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

LEVEL = 0.05  # of honest classes in which anybody is named, by each of the two
STREAM = 0x73747261
SHUFFLES, MOST_NUMBERS = 1999, 40_000_000
DRAWS = 20_000
COMMON = 5  # items that two lists must share
ALIKE = 0.9  # of the pairs of these: copies are nearly the same
MOST_PAIRS = 100_000_000  # of two reviews of one item, over the class
MOST_KEPT = 20_000_000  # of those that may be of graders who share enough
HONEST_SHAPE = 5.0  # reliabilities of honest graders are Gamma(shape, rate shape)
SCHEMA = {"kind": pl.String, "grader": pl.String, "other": pl.String, "chance": pl.Float64, "text": pl.String}


class Consensus(NamedTuple):
    """Of every review, what the others think of the item, in standard deviations of the scores."""

    feedback: Feedback
    scores: Floats
    slope: float  # of the chance that an item is put above another: 1 / (1 + exp(-slope gap))

    @classmethod
    def of(cls, fitted: Estimator, others: Floats | None = None) -> Consensus:
        feedback = fitted.feedback_
        others = scores_without(fitted) if others is None else others
        sd = float(np.std(others)) if len(others) else 0.0
        scores = others / sd if sd > 0 else np.zeros(len(others))
        return cls(feedback, scores, _slope((feedback.bucket_starts, feedback.list_starts), scores))

    def residuals(self) -> Floats:
        """By review: the share of its comparisons that it won, less what the class would have it win."""
        residuals = np.zeros(self.feedback.n_entries)
        lists = (self.feedback.bucket_starts, self.feedback.list_starts)
        _residuals(lists, self.scores, self.slope, residuals)
        return residuals


def strategic_findings(
    fitted: Estimator, roster: Roster | None, others: Floats | None = None
) -> pl.DataFrame:
    """Pairs of graders that staff may want to look at: kind, grader, other, chance, text; mostly none.

    `others` is what `scores_without` says, if that is known already.
    """
    consensus = Consensus.of(fitted, others)
    names = fitted.feedback_.grader_labels
    rows = [("copied", *pair) for pair in find_copied(consensus)]
    if roster is not None:
        rows += [
            ("returned", *pair) for pair in find_returned(consensus, author_table(fitted.feedback_, roster))
        ]
    return pl.DataFrame(
        [
            (kind, names[a], names[b], p, _text(kind, names[a], names[b], fact))
            for kind, a, b, p, fact in rows
        ],
        schema=SCHEMA,
        orient="row",
    )


def strategic_sentence(findings: pl.DataFrame) -> dict[str, str]:
    """How many pairs there are to look at, without a name; nothing where there are none."""
    parts = {
        "copied": "handed in nearly the same order of the items they share",
        "returned": "reviewed each other's work and both put it higher than the class would",
    }
    counts = [(plural(int((findings["kind"] == kind).sum()), "pair"), did) for kind, did in parts.items()]
    said = [f"{n} of graders {did}" for n, did in counts if not n.startswith("0 ")]
    if not said:
        return {}
    return {
        "strategic": f"{'; '.join(said)}. Where everybody is honest, {100 * LEVEL:.0f} of 100 classes have"
        " such a pair, for each of the two kinds: a reason to look, not a verdict. Who they are is in"
        " results.json, for staff alone."
    }


def _text(kind: str, grader: str, other: str, fact: str) -> str:
    end = "A reason to look, not a verdict."
    if kind == "copied":
        return f"{grader} and {other} handed in nearly the same order: {fact}. {end}"
    did = "reviewed each other's work, and both put it higher than the class would"
    return f"{grader} and {other} {did}: {fact}. {end}"


# -- favours returned -------------------------------------------------------------------------------


def author_table(feedback: Feedback, roster: Roster) -> pl.DataFrame:
    """Who of the graders made which item, by number: item, author."""
    numbers = pl.DataFrame({"student": feedback.grader_labels, "author": np.arange(feedback.n_graders)})
    authors = roster.makers.join(numbers, on="student")
    joined = join_items(authors, item_table(feedback)).select(item="number", author="author")
    return joined.unique().sort("item", "author")


def find_returned(consensus: Consensus, authors: pl.DataFrame) -> list[tuple[int, int, float, str]]:
    """Pairs of graders who favoured each other's work: both, the chance over the class, and the fact."""
    feedback, residuals = consensus.feedback, consensus.residuals()
    first, second, who = mutual_reviews(feedback, authors)
    if not len(who):
        return []
    lists = np.unique(feedback.entry_lists[np.concatenate([first, second])])
    entries = np.flatnonzero(np.isin(feedback.entry_lists, lists))
    n = int(np.clip(MOST_NUMBERS // max(len(entries), 1), 199, SHUFFLES))
    where = np.searchsorted(entries, np.stack([first, second]))
    largest = np.array(
        [
            row[where].min(axis=0).max()
            for row in shuffles(residuals[entries], feedback.entry_lists[entries], n)
        ]
    )
    smaller = np.minimum(residuals[first], residuals[second])
    chance = (1 + (largest[None, :] >= smaller[:, None]).sum(axis=1)) / (n + 1)
    return [
        (int(a), int(b), float(p), _more_often(residuals[e], residuals[f]))
        for (a, b), p, e, f in zip(who, chance, first, second, strict=True)
        if p <= LEVEL
    ]


def _more_often(share: float, other: float) -> str:
    return f"above {100 * share:.0f} % and {100 * other:.0f} % more of the other items of their lists"


def mutual_reviews(feedback: Feedback, authors: pl.DataFrame) -> tuple[Ints, Ints, Ints]:
    """Entries by which two graders judged each other's work, one each way, and the two graders."""
    entries = pl.DataFrame(
        {
            "entry": np.arange(feedback.n_entries),
            "grader": feedback.entry_graders.astype(np.int64),
            "item": feedback.items.astype(np.int64),
        }
    ).join(authors.cast(pl.Int64), on="item")
    back = entries.select(other="entry", grader="author", author="grader")
    pairs = entries.filter(pl.col("grader") < pl.col("author")).join(back, on=["grader", "author"])
    pairs = pairs.unique(["grader", "author"], keep="first", maintain_order=True).sort("grader", "author")
    return (
        pairs["entry"].to_numpy(),
        pairs["other"].to_numpy(),
        pairs.select("grader", "author").to_numpy(),
    )


def shuffles(values: Floats, lists: Ints, n: int) -> Any:
    """The values shuffled within their lists, n times."""
    rng = np.random.default_rng(STREAM)
    home = np.argsort(lists, kind="stable")
    for _ in range(n):
        row = np.empty(len(values))
        row[home] = values[np.lexsort((rng.random(len(values)), lists))]
        yield row


# -- lists copied -----------------------------------------------------------------------------------


def find_copied(consensus: Consensus) -> list[tuple[int, int, float, str]]:
    """Pairs of graders with nearly the same order: both, the chance over the class, and the fact."""
    pairs = sharing_pairs(consensus.feedback)
    if len(pairs) > LEVEL * DRAWS:  # so many that nobody could be named
        return []
    copies, feedback = [], consensus.feedback
    bucket: Ints = np.cumsum(feedback.bucket_starts, dtype=np.int64)
    by_grader = np.argsort(feedback.entry_graders, kind="stable")
    starts = np.searchsorted(feedback.entry_graders[by_grader], np.arange(feedback.n_graders + 1))
    for a, b in pairs:
        mine, theirs = (by_grader[starts[grader] : starts[grader + 1]] for grader in (a, b))
        chance, alike, strict = _concordance(consensus, bucket, mine, theirs, len(pairs))
        if chance <= LEVEL:
            copies.append((int(a), int(b), chance, f"{alike} of {strict} pairs of items alike"))
    return copies


def sharing_pairs(feedback: Feedback) -> Ints:
    """Graders who share at least `COMMON` items, two by two; none where there are too many to count."""
    reviews = feedback.item_reviews.astype(np.int64)
    n = int((reviews * (reviews - 1) // 2).sum())
    if not 0 < n <= MOST_PAIRS:
        return np.zeros((0, 2), dtype=np.int64)
    order = np.argsort(feedback.items, kind="stable")
    graders, starts = feedback.entry_graders[order], np.append(0, np.cumsum(reviews))
    counts, none = empty_counts(n), np.empty(0, dtype=np.int64)
    _grader_pairs(graders, starts, feedback.n_graders, counts, 0, none)
    room = count_repeated(counts, COMMON)
    if room < 0:
        room = _grader_pairs(graders, starts, feedback.n_graders, counts, COMMON, none)
    if room > MOST_KEPT:
        return np.zeros((0, 2), dtype=np.int64)
    keys = np.empty(room, dtype=np.int64)
    _grader_pairs(graders, starts, feedback.n_graders, counts, COMMON, keys)
    pairs, times = np.unique(keys, return_counts=True)
    return np.column_stack(np.divmod(pairs[times >= COMMON], max(feedback.n_graders, 1)))


def _concordance(
    consensus: Consensus, bucket: Ints, mine: Ints, theirs: Ints, tests: int
) -> tuple[float, int, int]:
    """How rare so many pairs put alike are among honest graders, times the number of tests; alike, all.

    `bucket` numbers the ties of all lists, `mine` and `theirs` are the entries of the two graders.
    """
    feedback = consensus.feedback
    _, x, y = np.intersect1d(feedback.items[mine], feedback.items[theirs], return_indices=True)
    left, right = bucket[mine[x]], bucket[theirs[y]]
    i, j = np.triu_indices(len(x), 1)
    strict = (left[i] != left[j]) & (right[i] != right[j])
    i, j = i[strict], j[strict]
    alike = int(((left[i] < left[j]) == (right[i] < right[j])).sum())
    if not len(i) or alike < ALIKE * len(i):
        return 1.0, alike, len(i)
    rng = np.random.default_rng(STREAM)
    looks = consensus.slope * np.stack([consensus.scores[mine[x]], consensus.scores[theirs[y]]])
    eta = rng.gamma(HONEST_SHAPE, 1 / HONEST_SHAPE, (DRAWS, 2, 1))
    worth = eta * looks + rng.gumbel(size=(DRAWS, *looks.shape))
    order = worth[:, :, i] > worth[:, :, j]
    drawn = (order[:, 0] == order[:, 1]).sum(axis=1)
    return min(1.0, tests * (1 + int((drawn >= alike).sum())) / (DRAWS + 1)), alike, len(i)


@kernel
def _grader_pairs(graders: Any, starts: Any, n: int, counts: Any, least: int, keys: Any) -> int:
    """Two graders of an item, as a number: counted; or those that may share `least` items.

    As many of these as there is room for; and how many there are.
    """
    at = 0
    for item in range(len(starts) - 1):
        for e in range(starts[item], starts[item + 1]):
            for f in range(e + 1, starts[item + 1]):
                low, high = min(graders[e], graders[f]), max(graders[e], graders[f])
                number = np.int64(low) * n + high
                if low == high:
                    continue
                if least == 0:
                    count_pair(counts, number)
                elif may_repeat(counts, number, least):
                    if at < len(keys):
                        keys[at] = number
                    at += 1
    return at


# -- what the class would say -------------------------------------------------------------------------


def _slope(lists: Any, scores: Floats) -> float:
    """The slope that makes the pairs of all lists most likely, by Newton's method; at least 0."""
    slope = 1.0
    for _ in range(30):
        first, second = _pair_sums(lists, scores, slope)
        if second <= 0:
            return slope
        new = max(0.0, slope + first / second)
        if abs(new - slope) < 1e-9:
            return new
        slope = min(new, 4.0 * slope + 1.0)
    return slope


@kernel
def _pair_sums(lists: Any, scores: Any, slope: float) -> tuple[float, float]:
    """First and minus second derivative of the log-likelihood in the slope, with a weak prior on it."""
    bucket_starts, starts = lists
    first, second = -slope / 100.0, 1.0 / 100.0
    for which in range(len(starts) - 1):
        start, last = starts[which], starts[which + 1]
        while start < last:
            end = start + 1
            while end < last and not bucket_starts[end]:
                end += 1
            for e in range(start, end):
                for f in range(end, last):
                    gap = scores[e] - scores[f]
                    upset = 1.0 / (1.0 + np.exp(slope * gap))
                    first += gap * upset
                    second += gap * gap * upset * (1.0 - upset)
            start = end
    return first, second


@kernel
def _residuals(lists: Any, scores: Any, slope: float, out: Any) -> None:
    bucket_starts, starts = lists
    for which in range(len(starts) - 1):
        low, last = starts[which], starts[which + 1]
        count = np.zeros(last - low)
        start = low
        while start < last:
            end = start + 1
            while end < last and not bucket_starts[end]:
                end += 1
            for e in range(start, end):
                for f in range(end, last):
                    upset = 1.0 / (1.0 + np.exp(slope * (scores[e] - scores[f])))
                    out[e] += upset
                    out[f] -= upset
                    count[e - low] += 1.0
                    count[f - low] += 1.0
            start = end
        for e in range(low, last):
            out[e] /= max(count[e - low], 1.0)
