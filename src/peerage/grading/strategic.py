"""Reasons to look for strategic grading: favours, and lists copied. For staff only, never a verdict.

Both are held against honest grading at a level for the whole class: `LEVEL` of honest classes have any name.
What is held against it, how much two lists are alike or how often friends' work was put first, is worked out
for lists that honest graders of the same items might have submitted: the truth is drawn given everybody but
those in question (of whom nothing may be left, or friends would vouch for each other), reliabilities differ
as those of honest graders do, ties are as many as there were. A permutation would not do: two who both agree
with the class look alike too, and work that the others have underrated is put high by all who see it.

favours    Students who reviewed each other's work put it above other work of their lists more often than they
           would honestly: two, or a group in which many reviewed each other. Which groups are looked at is
           decided by who reviewed whom alone.
copied     Two graders put the items they share in nearly the same order.

Draws come from a stream of their own, so that no seed of a run changes who is named. What was tried and is
not here, because it finds too little, is in docs/explanation/strategic-grading.md.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from peerage import _options
from peerage._numba import kernel
from peerage._words import plural
from peerage.errors import ConvergenceWarning
from peerage.grading.items import item_ranks
from peerage.grading.pair_counts import count_pair, count_repeated, empty_counts, may_repeat
from peerage.models.base import clone
from peerage.models.leave_out import scores_without
from peerage.roster.container import item_table, join_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.grading.options import Favours
    from peerage.models.base import Estimator
    from peerage.roster.container import Roster

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

LEVEL = 0.05  # of honest classes in which anybody is named, by each of the two
STREAM = 0x73747261
DRAWS, BATCH, TRUTHS = 20_000, 250, 1_000  # of honest lists; at a time; of what the items are worth
MOST_TESTS = int(LEVEL * DRAWS / 2)  # beyond, nobody could be named
COMMON = 5  # items that two lists must share
ALIKE = 0.9  # of the pairs of these: copies are nearly the same
MOST_PAIRS = 100_000_000  # of two reviews of one item, over the class
MOST_KEPT = 20_000_000  # of those that may be of graders who share enough
LEARNED = 1_000  # items up to which the variance of the scores is learned
HONEST_SHAPE = 5.0  # reliabilities of honest graders are Gamma(shape, rate shape)
MOST_MEMBERS, MOST_SHARE = 12, 1 / 3  # of a group; of the class that it may be
DENSE = 0.5  # of all reviews that a group could give each other
MOST_GROUPS = 60  # the densest are looked at
SCHEMA: dict[str, Any] = {
    "kind": pl.String,
    "graders": pl.List(pl.String),
    "chance": pl.Float64,
    "places": pl.Float64,
    "text": pl.String,
}


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


class Suspicion(NamedTuple):
    """Graders to look at: who, the chance over the class that honest ones look like this, and the fact."""

    graders: tuple[int, ...]
    chance: float
    fact: str


class StrategicFindings(NamedTuple):
    """What staff may want to look at, mostly nothing, and the reviews by which groups favoured themselves.

    Attributes
    ----------
    table : kind ("copied", "favours"), graders, chance, places, text. Places is how many ranks the work of
        those who favoured each other would fall without these reviews, on average.
    inside : numbers of the reviews that two or more who favoured each other gave each other.
    """

    table: pl.DataFrame
    inside: Ints

    def sentence(self, favours: Favours) -> dict[str, str]:
        """How many there are to look at, without a name; nothing where there are none."""
        return strategic_sentence(self.table, dropped=favours == "drop")


def find_strategic(
    fitted: Estimator, roster: Roster | None, others: Floats | None = None
) -> StrategicFindings:
    """Graders that staff may want to look at; `others` is what `scores_without` says, if that is known."""
    consensus, feedback = Consensus.of(fitted, others), fitted.feedback_
    rows: list[tuple[str, Suspicion, float | None]]
    rows = [("copied", suspicion, None) for suspicion in find_copied(consensus)]
    inside = [np.zeros(0, dtype=np.int64)]
    if roster is not None:
        reviews = PeerReviews.of(feedback, roster)
        for group in find_favours(consensus, reviews):
            between = reviews.inside(group.graders)
            rows.append(("favours", group, _places_gained(fitted, between)))
            inside.append(between)
    table = _table(rows, feedback.grader_labels.to_list())
    return StrategicFindings(table, np.unique(np.concatenate(inside)))


def _table(rows: list[tuple[str, Suspicion, float | None]], names: list[str]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "kind": [kind for kind, *_ in rows],
            "graders": [[names[g] for g in who.graders] for _, who, _ in rows],
            "chance": [who.chance for _, who, _ in rows],
            "places": [places for *_, places in rows],
            "text": [_text(kind, names, who, places) for kind, who, places in rows],
        },
        schema=SCHEMA,
    )


def strategic_sentence(findings: pl.DataFrame, *, dropped: bool = False) -> dict[str, str]:
    """How many pairs and groups there are to look at, without a name; nothing where there are none."""
    copied = int((findings["kind"] == "copied").sum())
    favours = findings.filter(kind="favours")
    said = []
    if copied:
        said.append(
            f"{plural(copied, 'pair')} of graders submitted nearly the same order of the items they share"
        )
    if len(favours):
        students = plural(int(favours["graders"].list.len().sum()), "student")
        places = favours["places"].to_numpy().mean()
        said.append(
            f"{plural(len(favours), 'group')} ({students}) put each other's work higher than the class would:"
            f" without these reviews it stands {places:.1f} places lower on average, and"
            f" {'they were left out' if dropped else _options.named('favours', 'drop') + ' leaves them out'}"
        )
    if not said:
        return {}
    return {
        "strategic": f"{'; '.join(said)}. Where everybody is honest, {100 * LEVEL:.0f} of 100 classes have"
        " such a finding, for each of the two kinds: a reason to look, not a verdict. Who they are is in"
        " results.json, for staff alone."
    }


def _text(kind: str, names: list[str], who: Suspicion, places: float | None) -> str:
    people = [names[g] for g in who.graders]
    together = f"{', '.join(people[:-1])} and {people[-1]}"
    end = "A reason to look, not a verdict."
    if kind == "copied":
        return f"{together} submitted nearly the same order: {who.fact}. {end}"
    change = f"Without these reviews their work would stand {places:.1f} places lower on average."
    return f"{together} put each other's work {who.fact}. {change} {end}"


# -- honest lists -------------------------------------------------------------------------------------


class _Reviews(NamedTuple):
    """By review: item, grader, list, and a number by tie that rises along the list; reviews by grader."""

    items: NDArray[np.int32]
    graders: NDArray[np.int32]
    lists: Ints
    buckets: Ints
    by_grader: Ints
    starts: Ints

    @classmethod
    def of(cls, feedback: Feedback) -> _Reviews:
        graders, buckets = feedback.entry_graders, np.cumsum(feedback.bucket_starts, dtype=np.int64)
        order = np.argsort(graders, kind="stable")
        starts = np.searchsorted(graders[order], np.arange(feedback.n_graders + 1))
        return cls(feedback.items, graders, feedback.entry_lists, buckets, order, starts)

    def of_grader(self, grader: int) -> Ints:
        return self.by_grader[self.starts[grader] : self.starts[grader + 1]]


class _Lists(NamedTuple):
    """Reviews, perhaps not all of their lists, and how honest graders might have ordered them."""

    entries: Ints
    graders: Ints  # counted from 0
    lists: Ints
    buckets: Ints

    @classmethod
    def of(cls, reviews: _Reviews, entries: Ints) -> _Lists:
        graders, lists = (
            np.unique(of_entry[entries], return_inverse=True)[1]
            for of_entry in (reviews.graders, reviews.lists)
        )
        return cls(entries, graders, lists, reviews.buckets[entries])

    def draw(self, rng: np.random.Generator, looks: Floats) -> Ints:
        """Buckets of honest graders to whom the reviews' items look as good as these rows say.

        A drawn list has the ties of the one submitted: they are of items that look alike, and what is left is
        easier to agree on.
        """
        eta = rng.gamma(HONEST_SHAPE, 1 / HONEST_SHAPE, (len(looks), int(self.graders.max()) + 1))
        worth = eta[:, self.graders] * looks + rng.gumbel(size=looks.shape)
        order = np.argsort(1e6 * self.lists - worth, axis=1)  # lists stay apart
        drawn = np.empty(order.shape, dtype=np.int64)
        np.put_along_axis(drawn, order, np.sort(self.buckets)[None, :].repeat(len(order), axis=0), axis=1)
        return drawn


def _rarity(lists: _Lists, looks: Floats, statistic: Callable[[Ints], Ints], tests: int) -> float:
    """How often honest lists have a statistic as large as those submitted, times the number of tests.

    `looks` has one row by draw of the truth; a chance that is too large to matter is 1.
    """
    rng = np.random.default_rng(STREAM)
    seen = int(statistic(lists.buckets[None])[0])
    as_much, most = 0, LEVEL * (DRAWS + 1) / tests - 1
    for _ in range(DRAWS // BATCH):
        drawn = statistic(lists.draw(rng, looks[rng.integers(len(looks), size=BATCH)]))
        as_much += int((drawn >= seen).sum())
        if as_much > most:
            return 1.0
    return min(1.0, tests * (1 + as_much) / (DRAWS + 1))


class _Truth:
    """Draws of the items' true quality, by Plackett-Luce from the lists of all but some graders."""

    def __init__(self, feedback: Feedback) -> None:
        self.feedback = feedback
        self._model: Estimator | None = None

    def without(self, graders: Iterable[int]) -> Floats:
        from peerage.uncertainty.laplace import laplace

        lists = np.flatnonzero(~np.isin(self.feedback.list_graders, list(graders)))
        with warnings.catch_warnings():  # near the optimum is near enough for a yardstick
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = clone(self.model).fit(self.feedback.take_lists(lists))
            return np.asarray(laplace(fitted, draws=TRUTHS, average=False).draws, dtype=np.float64)

    @property
    def model(self) -> Estimator:
        """With the variance of the scores learned from the class, where that is quick."""
        if self._model is None:
            from peerage.models.registry import method
            from peerage.uncertainty.evidence import learn_priors

            plain = method("PL")
            small = self.feedback.n_items <= LEARNED
            self._model = learn_priors(self.feedback, plain) if small else plain
        return self._model


# -- favours ------------------------------------------------------------------------------------------


class PeerReviews(NamedTuple):
    """Who of the graders reviewed whose work: a row by review and author, own work left out."""

    entries: Ints
    graders: Ints
    authors: Ints

    @classmethod
    def of(cls, feedback: Feedback, roster: Roster) -> PeerReviews:
        numbers = pl.DataFrame({"student": feedback.grader_labels, "author": np.arange(feedback.n_graders)})
        authors = join_items(roster.makers.join(numbers, on="student"), item_table(feedback))
        reviews = pl.DataFrame(
            {
                "entry": np.arange(feedback.n_entries),
                "grader": feedback.entry_graders.astype(np.int64),
                "item": feedback.items.astype(np.int64),
            }
        ).join(authors.select(item=pl.col("number").cast(pl.Int64), author="author").unique(), on="item")
        own = (pl.col("grader") == pl.col("author")).any().over("entry")
        reviews = reviews.filter(~own).sort("entry", "author")
        return cls(*(reviews[name].to_numpy() for name in ("entry", "grader", "author")))

    def mutual(self, n_graders: int) -> tuple[list[tuple[int, int]], set[tuple[int, int]]]:
        """Pairs who reviewed each other, and all that such students reviewed: (grader, author)."""
        there = np.unique(self.graders * n_graders + self.authors)
        a, b = np.divmod(there[np.isin(there, self.authors * n_graders + self.graders)], max(n_graders, 1))
        pairs = list(zip(a[a < b].tolist(), b[a < b].tolist(), strict=True))
        grader, author = np.divmod(there, max(n_graders, 1))
        among = np.isin(grader, a) & np.isin(author, a)
        return pairs, set(zip(grader[among].tolist(), author[among].tolist(), strict=True))

    def inside(self, members: Iterable[int]) -> Ints:
        """Numbers of the reviews that these students gave each other's work."""
        who = list(members)
        return np.unique(self.entries[np.isin(self.graders, who) & np.isin(self.authors, who)])


def find_favours(consensus: Consensus, reviews: PeerReviews) -> list[Suspicion]:
    """Groups who put each other's work first, then pairs, nobody in two of them; half the level for each."""
    feedback, entries, truth = consensus.feedback, _Reviews.of(consensus.feedback), _Truth(consensus.feedback)
    pairs, gave = reviews.mutual(feedback.n_graders)
    named: list[Suspicion] = []
    for candidates in (groups_by_reviews(gave, pairs, feedback.n_graders), pairs):
        tests = 2 * len(candidates)
        for members in candidates if len(candidates) <= MOST_TESTS else ():
            favour = _Favour.of(entries, reviews.inside(members))
            taken = any(set(members) & set(other.graders) for other in named)
            if taken or favour.surplus(favour.lists.buckets[None])[0] <= 0:
                continue
            looks = consensus.slope * consensus.scores[favour.lists.entries][None]
            if len(members) == 2 and _rarity(favour.lists, looks, favour.surplus, tests) > LEVEL:
                continue  # of two, neither vouches for the other: quick, and too strict with honest pairs
            looks = truth.without(members)[:, feedback.items[favour.lists.entries]]
            chance = _rarity(favour.lists, looks, favour.surplus, tests)
            if chance <= LEVEL:
                named.append(Suspicion(members, chance, favour.fact))
    return named


def groups_by_reviews(
    gave: set[tuple[int, int]], pairs: list[tuple[int, int]], n_graders: int
) -> list[tuple[int, ...]]:
    """Groups of three or more in which many reviewed each other, the densest first.

    From every pair, as long as the group gives itself half of what it could, whoever has most reviews with it
    joins, if mutual ones with half of it; of the groups on the way the one that is dense for its size.
    """
    friends: dict[int, set[int]] = {}
    for a, b in pairs:
        friends.setdefault(a, set()).add(b)
        friends.setdefault(b, set()).add(a)
    most = min(MOST_MEMBERS, int(MOST_SHARE * n_graders))
    density: dict[tuple[int, ...], float] = {}
    for pair in pairs:
        group, inside = set(pair), 2
        best: tuple[float, tuple[int, ...]] = (0.0, pair)
        while len(group) < most:
            near = set().union(*(friends[member] for member in group)) - group
            links = {
                new: sum(((new, member) in gave) + ((member, new) in gave) for member in group)
                for new in near
                if 2 * len(friends[new] & group) >= len(group)
            }
            if not links:
                break
            new = min(links, key=lambda new: (-links[new], new))
            group, inside = group | {new}, inside + links[new]
            share = inside / (len(group) * (len(group) - 1))
            if share < DENSE:
                break
            best = max(best, (share * math.sqrt(len(group)), tuple(sorted(group))))
        if len(best[1]) > 2:
            density[best[1]] = best[0]
    return sorted(density, key=lambda group: (-density[group], group))[:MOST_GROUPS]


class _Favour(NamedTuple):
    """Lists with work of the grader's friends, and the pairs of such work and other work of the same list."""

    lists: _Lists
    theirs: Ints
    others: Ints

    @classmethod
    def of(cls, reviews: _Reviews, inside: Ints) -> _Favour:
        whole = np.concatenate([reviews.of_grader(g) for g in np.unique(reviews.graders[inside])])
        lists = _Lists.of(reviews, whole[np.isin(reviews.lists[whole], reviews.lists[inside])])
        theirs = np.isin(lists.entries, inside)
        same = lists.lists[:, None] == lists.lists
        return cls(lists, *np.nonzero(same & theirs[:, None] & ~theirs))

    def surplus(self, buckets: Ints) -> Ints:
        """How often friends' work is above other work, less how often below."""
        return np.asarray(np.sign(buckets[:, self.others] - buckets[:, self.theirs]).sum(axis=1))

    @property
    def fact(self) -> str:
        above = self.lists.buckets[self.theirs] < self.lists.buckets[self.others]
        return f"above {100 * above.mean():.0f} % of the other items of their lists"


def _places_gained(fitted: Estimator, inside: Ints) -> float:
    """By how many places the items of these reviews stand lower without them, on average."""
    feedback = fitted.feedback_
    keep = np.ones(feedback.n_entries, dtype=bool)
    keep[inside] = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        without = clone(fitted).fit(feedback.keep_entries(keep))
    items = np.unique(feedback.items[inside])
    return float(
        np.mean(item_ranks(feedback, without.scores_)[items] - item_ranks(feedback, fitted.scores_)[items])
    )


# -- lists copied -----------------------------------------------------------------------------------


def find_copied(consensus: Consensus) -> list[Suspicion]:
    """Pairs of graders with nearly the same order."""
    feedback = consensus.feedback
    pairs = sharing_pairs(feedback)
    if len(pairs) > 2 * MOST_TESTS:
        return []
    copies, truth, reviews = [], _Truth(feedback), _Reviews.of(feedback)
    for a, b in pairs.tolist():
        lists, statistic, alike, strict = _concordance(reviews, a, b)
        if alike < ALIKE * max(strict, 1):
            continue
        looks = consensus.slope * consensus.scores[lists.entries][None]
        if _rarity(lists, looks, statistic, len(pairs)) > LEVEL:
            continue  # quick, and too strict with honest pairs: they share more than the others know
        looks = truth.without((a, b))[:, feedback.items[lists.entries]]
        chance = _rarity(lists, looks, statistic, len(pairs))
        if chance <= LEVEL:
            copies.append(Suspicion((a, b), chance, f"{alike} of {strict} pairs of items alike"))
    return copies


def _concordance(reviews: _Reviews, a: int, b: int) -> tuple[_Lists, Callable[[Ints], Ints], int, int]:
    """Reviews of the items that two graders share, Kendall's S of these, pairs alike, and all strict ones."""
    mine, theirs = reviews.of_grader(a), reviews.of_grader(b)
    _, x, y = np.intersect1d(reviews.items[mine], reviews.items[theirs], return_indices=True)
    lists = _Lists.of(reviews, np.concatenate([mine[x], theirs[y]]))
    n = len(x)
    i, j = np.triu_indices(n, 1)
    # two lists of one grader compare nothing with each other
    together = (lists.lists[i] == lists.lists[j]) & (lists.lists[n + i] == lists.lists[n + j])
    i, j = i[together], j[together]

    def signs(buckets: Ints) -> Ints:
        left, right = (np.sign(buckets[:, k + i] - buckets[:, k + j]) for k in (0, n))
        return np.asarray(left * right)

    said = signs(lists.buckets[None])[0]
    return lists, lambda buckets: signs(buckets).sum(axis=1), int((said > 0).sum()), int((said != 0).sum())


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
