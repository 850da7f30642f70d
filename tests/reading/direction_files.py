"""Small files of both directions, as they come from the world, and which item is the best in each.

Every maker writes the same class: what graders think of items P1 (the best) to P8 is written as ranks or as
scores, in a long table or a wide one, under all kinds of names. `best` is the item a reader must find on top;
a file that nobody could read without asking has `asks`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ITEMS = [f"P{which}" for which in range(1, 9)]


@dataclass(frozen=True)
class File:
    """A file, what to say when it is read, and what must come of it."""

    name: str
    text: str
    asks: bool = False
    given: dict[str, Any] = field(default_factory=dict)


def opinions(graders: int, seen: int) -> list[tuple[str, list[int]]]:
    """Who saw which items, best first in the grader's eyes; P1 is best with some noise."""
    rng = np.random.default_rng(1)
    found = []
    for grader in range(1, graders + 1):
        items = rng.choice(len(ITEMS), seen, replace=False)
        order = items[np.argsort(items + rng.normal(0, 0.8, seen))]
        found.append((f"s{grader:02d}", [int(item) for item in order]))
    return found


Marks = Callable[[Sequence[int], np.random.Generator], list[str]]


def places(*given: float, form: str = "{}") -> Marks:
    """Ranks from the best to the last; the first ones may be given, as where there are ties."""

    def marks(order: Sequence[int], rng: np.random.Generator) -> list[str]:
        ranks = [*given, *range(len(given) + 1, len(order) + 1)][: len(order)]
        return [form.format(f"{rank:g}", len(order)) for rank in ranks]

    return marks


ranks, tied_ranks, mid_ranks = places(), places(1, 2, 2), places(1, 2.5, 2.5)
places_of = places(form="{}/{}")


def ordinals(order: Sequence[int], rng: np.random.Generator) -> list[str]:
    return ["1st", "2nd", "3rd", *(f"{place}th" for place in range(4, len(order) + 1))]


def gappy_ranks(order: Sequence[int], rng: np.random.Generator) -> list[str]:
    """One grader in four lost a place."""
    marks = ranks(order, rng)
    return [*marks[:-1], str(len(order) + 1)] if rng.random() < 0.25 else marks


def scores(low: float, high: float, step: float = 1.0, spread: float = 0.6) -> Marks:
    """Scores of a scale, larger for better, most of them in its upper half."""

    def given(order: Sequence[int], rng: np.random.Generator) -> list[str]:
        quality = 0.25 + 0.75 * (1 - np.array(order) / (len(ITEMS) - 1))
        raw = low + (high - low) * (quality + rng.normal(0, spread / 10, len(order)))
        return [f"{value:g}" for value in np.clip(np.round(raw / step) * step, low, high).round(4)]

    return given


def out_of(order: Sequence[int], rng: np.random.Generator) -> list[str]:
    return [f"{mark}/10" for mark in scores(0, 10)(order, rng)]


THIRDS = [1.0, 1.3, 1.7, 2.0, 2.3, 2.7, 3.0, 3.3, 3.7, 4.0, 5.0]


def thirds(order: Sequence[int], rng: np.random.Generator) -> list[str]:
    """Grades of which the lower is better."""
    raw = 1 + 4 * np.array(order) / (len(ITEMS) - 1) + rng.normal(0, 0.3, len(order))
    return [f"{min(THIRDS, key=lambda step: abs(step - value)):.1f}" for value in raw]


def long_text(marks: Marks, column: str, *, seen: int = 4, graders: int = 12) -> str:
    rng = np.random.default_rng(1)
    lines = [f'grader,item,"{column}"']
    for grader, order in opinions(graders, seen):
        rows = zip(order, marks(order, rng), strict=True)
        lines += [f"{grader},{ITEMS[item]},{mark}" for item, mark in rows]
    return "\n".join(lines) + "\n"


def wide_text(
    marks: Marks,
    *,
    name: str = "{}",
    seen: int = 8,
    graders: int = 12,
    empty: str = "",
    delimiter: str = ",",
) -> str:
    rng = np.random.default_rng(1)
    lines = [delimiter.join(["student", *(f'"{name.format(item)}"' for item in ITEMS)])]
    for grader, order in opinions(graders, seen):
        cells = [empty] * len(ITEMS)
        for item, mark in zip(order, marks(order, rng), strict=True):
            cells[item] = mark
        lines.append(delimiter.join([grader, *cells]))
    return "\n".join(lines) + "\n"


TIERS = scores(1, 3, spread=0.3)

FILES = [
    # long tables of ranks
    *(File(f"ranks called {name}", long_text(ranks, name)) for name in (
        "rank", "Rank", "ranking", "position", "place", "Placement", "placing", "order",
        "Placement (1=best)", "Rank (1 = best, 4 = worst)", "Position (best = 1)", "Rank [lower is better]",
    )),
    File("ranks as 1/4", long_text(places_of, "rank")),
    File("ranks as 1st", long_text(ordinals, "score")),
    File("ranks of pairs", long_text(ranks, "rank", seen=2)),
    File("tied ranks", long_text(tied_ranks, "rank", seen=5)),
    File("mid-ranks", long_text(mid_ranks, "rank", seen=5)),
    File("ranks with gaps", long_text(gappy_ranks, "rank", seen=5)),
    File("ranks of one grader", long_text(ranks, "rank", graders=1, seen=8)),
    File("named as ranks", long_text(ranks, "Q7"), given={"rank": "Q7"}),
    File("ranks in 'Score (1 = best)'", long_text(ranks, "Score (1 = best)")),
    File("ranks in 'Grade (1 is the best)'", long_text(ranks, "Grade (1 is the best)")),
    # ranks under a name of scores: only a person can say
    *(File(f"ranks called {name}", long_text(ranks, name), asks=True)
      for name in ("score", "grade", "Mark", "points", "rating")),
    File("ranks called Score (0-10)", long_text(ranks, "Score (0-10)"), asks=True),
    File("ranks called Mark out of 10", long_text(ranks, "Mark (out of 10)"), asks=True),
    File("ranks as 1/4 called score", long_text(places_of, "score"), asks=True),
    File("ranks with gaps called score", long_text(gappy_ranks, "score", seen=5), asks=True),
    File("tied ranks called score", long_text(tied_ranks, "score", seen=6, graders=20), asks=True),
    File("pair ranks called score", long_text(ranks, "score", seen=2), asks=True),
    File("one list of ranks called score", long_text(ranks, "score", graders=1, seen=3), asks=True),
    File("named as scores", long_text(ranks, "Q7"), asks=True, given={"score": "Q7"}),
    File("ranks called score, said", long_text(ranks, "score"), given={"direction": "ranks"}),
    # long tables of scores
    *(File(f"scores called {name}", long_text(scores(0, 10, 0.5), name)) for name in (
        "score", "Grade", "mark", "Points", "rating", "Score (0-10)", "Score (10 = best)", "Mark (out of 10)",
        "Points [higher is better]",
    )),
    File("scores of 1 to 5", long_text(scores(1, 5), "rating", seen=5)),
    File("scores of 1 to 5 in short lists", long_text(scores(1, 5), "score", seen=2)),
    File("scores of 1 to 3", long_text(TIERS, "rating", seen=6)),
    File("scores of 0 and 1", long_text(scores(0, 1, spread=2), "score", seen=5)),
    File("scores of 60 to 100", long_text(scores(60, 100), "grade")),
    File("'Rating (1=poor, 5=good)'", long_text(scores(1, 5), "Rating (1=poor, 5=good)", seen=5)),
    File("named as scores too", long_text(scores(0, 10, 0.5), "Q7"), given={"score": "Q7"}),
    File("scores as 8/10", long_text(out_of, "score", seen=5)),
    File("scores as 8/10 under any name", long_text(out_of, "Opinion", seen=5), given={"score": "Opinion"}),
    # scores under a name of ranks
    File("60 to 100 in 'Score (1 = best)'", long_text(scores(60, 100), "Score (1 = best)"), asks=True),
    File("fractions called rank", long_text(scores(0, 10, 0.25), "rank"), asks=True),
    File("60 to 100 called rank", long_text(scores(60, 100), "rank"), asks=True),
    File("1 to 5 called rank", long_text(scores(1, 5), "rank", seen=5), asks=True),
    File("'Rank (5 = best)'", long_text(scores(1, 5), "Rank (5 = best)", seen=5)),
    File("1 to 10 called rank, said", long_text(scores(1, 10), "rank"), given={"direction": "scores"}),
    # grades of which the lower is better
    File("thirds called grade", long_text(thirds, "grade"), asks=True),
    File("thirds, said", long_text(thirds, "grade"), given={"lower_is_better": True}),
    File("'Grade (lower is better)'", long_text(thirds, "Grade (lower is better)")),
    File("grade points", long_text(scores(0, 4, 0.1), "grade")),
    # matrices of ranks
    File("ranks in a matrix", wide_text(ranks)),
    File("ranks in a matrix of some", wide_text(ranks, seen=4)),
    File("ranks in a matrix with zeros", wide_text(ranks, seen=4, empty="0")),
    File("ranks in a matrix with dashes and semicolons", wide_text(ranks, seen=5, empty="NA", delimiter=";")),
    File("tied ranks in a matrix", wide_text(tied_ranks, seen=6, graders=15)),
    File("'Rank [P1]'", wide_text(ranks, name="Rank [{}]")),
    File("'Rank these, 1 = best [P1]'", wide_text(ranks, name="Rank these, 1 = best [{}]", graders=1)),
    File("three ranks in a matrix, one row", wide_text(ranks, seen=3, graders=1), asks=True),
    File("ranks in a matrix of 'Score P1'", wide_text(ranks, name="Score {}"), asks=True),
    # matrices of scores
    File("1 to 5 in a matrix", wide_text(scores(1, 5))),
    File("1 to 8 in a matrix", wide_text(scores(1, 8, spread=1.5))),
    File("1 to 10 in a matrix", wide_text(scores(1, 10))),
    File("60 to 100 in a matrix", wide_text(scores(60, 100))),
    File("60 to 100, --format matrix", wide_text(scores(60, 100)), given={"format": "matrix"}),
    File("1 to 8, --format matrix", wide_text(scores(1, 8, spread=1.5)), given={"format": "matrix"}),
    File("60 to 100 of some", wide_text(scores(60, 100), seen=4)),
    File("60 to 100 of some with zeros", wide_text(scores(60, 100), seen=4, empty="0"), asks=True),
    File("fractions in a matrix", wide_text(scores(0, 10, 0.5), seen=5)),
    File("percent in a matrix", wide_text(scores(0, 1, 0.01), seen=5)),
    File("'Rate this, 5 = best [P1]'", wide_text(scores(1, 5), name="Rate this, 5 = best [{}]")),
    File("1 to 3 in a matrix", wide_text(TIERS), asks=True),
    File("thirds in a matrix", wide_text(thirds), asks=True),
    File("thirds in a matrix, said", wide_text(thirds), given={"lower_is_better": True}),
    File("1 to 5 in a matrix of 'Rank P1'", wide_text(scores(1, 5), name="Rank {}"), asks=True),
]  # fmt: skip
