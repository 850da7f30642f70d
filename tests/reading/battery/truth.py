"""What a small class really said: the makers write it down in every form, the checker compares."""

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

Tiers = list[list[str]]
People = Mapping[str, Any]  # arguments of `small_class`
Scale = tuple[float, float, float]  # lowest, highest, step
NOBODY: People = {}
Key = tuple[str, int]  # a grader, and which of the grader's lists

NAMES = (
    "Ada Lovelace", "Alan Turing", "Emmy Noether", "Grace Hopper", "Kurt Gödel", "Sofia Kovalevskaya",
    "Maryam Mirzakhani", "Leonhard Euler", "Évariste Galois", "Rózsa Péter", "Sophie Germain", "Niels Abel",
)  # fmt: skip


def full_name(number: int) -> str:
    return NAMES[number - 1]


def last_name_first(number: int) -> str:
    first, last = NAMES[number - 1].split()
    return f"{last}, {first}"


def email(number: int) -> str:
    return f"s{number:02d}@uni.edu"


def letter(number: int) -> str:
    return f"Poster {'ABCDEFGHIJKL'[number - 1]}"


def team(number: int) -> str:
    words = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Theta", "Kappa", "Lambda")
    return f"Team {words[number - 1]}"


@dataclass(frozen=True)
class Truth:
    """What graders said, best first, and what a reader may make of the rest of the file.

    `scores` are there where the numbers are scores of which larger is better; `ignored` must be named as
    ignored, `silent` may be. `listed` are items that nobody reviewed and that must not vanish.
    `aliases` are other names of graders in the same file, `names` of items: taking those is right as well.
    Items of a file without a header are `unnamed`: any labels do that sort as the columns stand.
    """

    orders: dict[str, list[Tiers]]
    items: list[str]
    graders: list[str]
    scores: dict[str, dict[str, float]] | None = None
    scores_needed: bool = True
    ignored: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    aliases: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    unnamed: bool = False
    anonymous: bool = False
    fold: bool = False

    def but(self, **changes: Any) -> "Truth":
        return replace(self, **changes)

    def only(self, grader: str) -> Tiers:
        (tiers,) = self.orders[grader]
        return tiers

    def flat(self, grader: str) -> list[str]:
        return [item for tier in self.only(grader) for item in tier]

    def rank(self, grader: str, item: str) -> int:
        """1 is best; tied items share the better rank, and the next one is skipped."""
        above = 0
        for tier in self.only(grader):
            if item in tier:
                return above + 1
            above += len(tier)
        raise KeyError(item)

    def tier(self, grader: str, item: str) -> int:
        return next(number for number, tier in enumerate(self.only(grader), 1) if item in tier)

    def score(self, grader: str, item: str) -> float:
        assert self.scores is not None
        return self.scores[grader][item]

    def saw(self, grader: str) -> list[str]:
        """Items of the grader in the order of the file: not in the order of the ranking."""
        return [item for item in self.items if grader in self.orders and item in self.flat(grader)]

    def unseen(self, grader: str) -> list[str]:
        return [item for item in self.items if item not in self.saw(grader)]

    def for_labels(self, labels: Sequence[str]) -> "Truth":
        """Knows what a reader called the items of a file that names none."""
        if not self.unnamed or len(labels) != len(self.items):
            return self
        natural = sorted(labels, key=lambda label: (int("0" + re.sub(r"\D", "", label)), label))
        return self.but(names=dict(zip(natural, self.items, strict=True)))

    def label(self, text: str) -> str:
        """How labels are compared where the file spells them in several ways."""
        text = self.names.get(text, text)
        return " ".join(text.casefold().replace("-", " ").lstrip("#").split()) if self.fold else text


def small_class(
    seed: str,
    *,
    graders: int = 0,
    items: int = 0,
    reviews: int = 0,
    ties: bool = False,
    absent: int = 0,
    scale: Scale | None = None,
    floor: float = 0.3,
    item: Callable[[int], str] = "P{}".format,
    grader: Callable[[int], str] = "s{:02d}".format,
) -> Truth:
    """A class of 6 to 12 graders who saw 3 to 5 of 5 to 8 items; `reviews=-1` is all of them.

    With a `scale` (lowest, highest, step) they gave scores, most of them above `floor` of it.
    """
    rng = random.Random(seed)
    n_items = items or rng.randint(5, 8)
    n_graders = graders or rng.randint(max(6, n_items), 12)
    n_reviews = n_items if reviews == -1 else reviews or rng.randint(3, 5)
    labels = [item(number) for number in range(1, n_items + 1)]
    people = [grader(number) for number in range(1, n_graders + 1)]
    quality = {label: place / (n_items - 1) for place, label in enumerate(rng.sample(labels, n_items))}
    around = rng.sample(labels, n_items)
    orders: dict[str, list[Tiers]] = {}
    scores: dict[str, dict[str, float]] = {}
    for number, who in enumerate(people[: n_graders - absent]):
        seen = [around[(number + step) % n_items] for step in range(n_reviews)]
        opinion = {label: quality[label] + rng.gauss(0, 0.2) for label in seen}
        if scale is None:
            orders[who] = [_order(opinion, rng if ties else None)]
        else:
            scores[who] = {label: _on(scale, floor, value) for label, value in opinion.items()}
            orders[who] = [tiers_of(scores[who])]
    return Truth(orders, labels, people, scores if scale else None)


def _on(scale: Scale, floor: float, value: float) -> float:
    low, high, step = scale
    raw = low + (high - low) * (floor + (1 - floor) * min(max(value, 0.0), 1.0))
    return round(low + round((raw - low) / step) * step, 6)


def _order(opinion: dict[str, float], ties: random.Random | None) -> Tiers:
    tiers: Tiers = []
    for label in sorted(opinion, key=lambda label: -opinion[label]):
        if tiers and ties is not None and ties.random() < 0.35:
            tiers[-1].append(label)
        else:
            tiers.append([label])
    return tiers


def tiers_of(scores: dict[str, float], *, lower: bool = False) -> Tiers:
    values = sorted(set(scores.values()), reverse=not lower)
    return [[label for label, score in scores.items() if score == value] for value in values]


def pairs_of(truth: Truth, seed: str, *, ties: bool = False) -> Truth:
    """The same class asked for pairs: each list of two, the worse or the better one shown first."""
    rng = random.Random(seed)
    orders: dict[str, list[Tiers]] = {}
    for who in truth.orders:
        seen = truth.flat(who)
        pairs = [[[a], [b]] for a, b in pairwise(seen)]
        orders[who] = [[sorted(pair[0] + pair[1])] if ties and rng.random() < 0.3 else pair for pair in pairs]
    return truth.but(orders=orders, scores=None)


# -- comparing ------------------------------------------------------------------------------------------


def difference(feedback: Any, truth: Truth) -> str:
    """What is wrong with what was read; nothing where it is the truth."""
    labels = feedback.item_labels.to_list()
    truth = truth.for_labels(labels)
    said, true = _lists_read(feedback, truth), _lists_true(truth)
    if said != true:
        extra, lost = list((said - true).items())[:1], list((true - said).items())[:1]
        return f"lists differ: read {_show(extra)}, true {_show(lost)}"
    if all(label.isdigit() for label in labels) and labels != sorted(labels, key=int):
        return f"items out of order: {labels}"  # scores_[2] belongs to item 3, not to item 11
    items = {truth.label(item) for item in labels}
    allowed = {truth.label(item) for item in truth.items}
    needed = {item for (_, tiers), _ in true.items() for tier in tiers for item in tier}
    needed |= {truth.label(item) for item in truth.listed}
    if not needed <= items <= allowed:
        return f"items differ: {sorted(items - allowed) + sorted(needed - items)}"
    graders = {truth.aliases.get(grader, grader) for grader in feedback.grader_labels}
    if not truth.anonymous and not set(truth.orders) <= graders <= set(truth.graders):
        return f"graders differ: {sorted(graders ^ set(truth.graders))}"
    return _score_difference(feedback, truth)


def _show(lists: Sequence[tuple[Any, int]]) -> str:
    return "; ".join(f"{who}: {[sorted(tier) for tier in tiers]}" for (who, tiers), _ in lists) or "nothing"


def _lists_read(feedback: Any, truth: Truth) -> Counter[Any]:
    counts: Counter[Any] = Counter()
    for (grader, tiers), weight in zip(feedback.orders(), feedback.list_weights, strict=True):
        who = "" if truth.anonymous else truth.aliases.get(grader, grader)
        counts[who, tuple(frozenset(map(truth.label, tier)) for tier in tiers)] += int(weight)
    return counts


def _lists_true(truth: Truth) -> Counter[Any]:
    return Counter(
        ("" if truth.anonymous else who, tuple(frozenset(map(truth.label, tier)) for tier in tiers))
        for who, lists in truth.orders.items()
        for tiers in lists
    )


def _score_difference(feedback: Any, truth: Truth) -> str:
    if truth.scores is None:
        return "" if feedback.scores is None else "scores read, where only the order was given"
    if feedback.scores is None:
        return "order read, where scores were given" if truth.scores_needed else ""
    names, graders = feedback.item_labels.to_list(), feedback.grader_labels.to_list()
    for item, grader, score in zip(feedback.items, feedback.entry_graders, feedback.scores, strict=True):
        who, what = truth.aliases.get(graders[grader], graders[grader]), truth.label(names[item])
        if not abs(truth.scores[who][what] - score) < 1e-9:
            return f"score of {what} by {who} is {truth.scores[who][what]:g}, read {score:g}"
    return ""
