"""One row per comparison: two items, and in some words which was better."""
# ruff: noqa: E501 - a case per line, up to 130 characters
# fmt: off

import random
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

from tests.reading.battery.case import Case, Table, csv_case
from tests.reading.battery.marks import TEN
from tests.reading.battery.truth import NOBODY, People, Tiers, Truth, letter, pairs_of, small_class, tiers_of

Extra = Mapping[str, Callable[[int], object]]  # a column, and its cell for the number of a row
Answer = Callable[[str, str, str], object]  # left, right and the better one, empty for a tie


def pair_table(truth: Truth, name: str, head: list[str], answer: Answer, *, grader: bool = True, extra: Extra = NOBODY) -> Table:
    rng, count = random.Random(name), 0
    table = Table([*head, *extra])
    for who, lists in truth.orders.items():
        for number, tiers in enumerate(lists):
            left, right = rng.sample([item for tier in tiers for item in tier], 2)
            better = tiers[0][0] if len(tiers) == 2 else ""
            answers = answer(left, right, better)
            cells = [left, right, answers] if not isinstance(answers, tuple) else list(answers)
            beside = [cell(count) for cell in extra.values()]
            table.add([*([who] if grader else []), *cells, *beside], (who, number))
            count += 1
    return table


def pair_case(
    name: str, head: str, answer: Answer, *, ties: bool = False, grader: bool = True, usual: bool = False,
    extra: Extra = NOBODY, people: People = NOBODY,
) -> Case:
    truth = pairs_of(small_class(name, reviews=4, **people), name, ties=ties)
    table = pair_table(truth, name, head.split("|"), answer, grader=grader, extra=extra)
    ignored = tuple(column for column in extra if column != "Comments")
    truth = truth.but(anonymous=not grader, ignored=ignored, silent=("Comments",))
    return csv_case(name, truth, table, filename="pairs.csv", usual=usual)


def scored_pairs(name: str, head: str, order: tuple[int, ...] = (0, 1, 2, 3)) -> Case:
    """Both of a pair have a score; some are equal."""
    truth = small_class(name, reviews=4, scale=TEN)
    rng, table = random.Random(name), Table(head.split("|"))
    pairs: dict[str, list[Tiers]] = {}
    for who in truth.graders:
        pairs[who] = []
        for number, (left, right) in enumerate(combinations(truth.saw(who), 2)):
            left, right = rng.sample((left, right), 2)
            scores = {item: truth.score(who, item) for item in (left, right)}
            cells = (left, right, *scores.values())
            table.add([who, *(cells[place] for place in order)], (who, number))
            pairs[who].append(tiers_of(scores))
    return csv_case(name, truth.but(orders=pairs), table, filename="pairs.csv", usual=True)


def by_name(tie: str = "tie") -> Answer:
    return lambda left, right, better: better or tie


def worse_by_name(left: str, right: str, better: str) -> str:
    return right if better == left else left


def side(left_text: str, right_text: str, tie: str = "tie") -> Answer:
    return lambda left, right, better: tie if not better else left_text if better == left else right_text


def cases() -> Iterator[Case]:
    usual: dict[str, Any] = {"usual": True}
    for head, tie in (
        ("judge|left|right|winner", "tie"), ("Reviewer|Poster A|Poster B|Better", "equal"),
        ("Grader|Item 1|Item 2|Winner", "draw"), ("Gutachter|Links|Rechts|Gewinner", "unentschieden"),
        ("Évaluateur|Gauche|Droite|Gagnant", "égalité"), ("Juez|Izquierda|Derecha|Ganador", "empate"),
        ("Student|First|Second|Preferred", "tie"),
    ):
        yield pair_case(f"pairs {head}", head, by_name(), **usual)
        yield pair_case(f"pairs {head} and {tie}", head, by_name(tie), ties=True, **usual)
    yield pair_case("pairs won by left", "judge|left|right|winner", side("left", "right"), ties=True, **usual)
    yield pair_case("pairs won by links", "Gutachter|Links|Rechts|Gewinner", side("links", "rechts"), **usual)
    yield pair_case("pairs won by a", "judge|a|b|winner", side("a", "b"), ties=True, **usual)
    yield pair_case("pairs won by B", "judge|Option A|Option B|Winner", side("A", "B"), **usual)
    yield pair_case("pairs won by model_a", "judge|model_a|model_b|winner", side("model_a", "model_b"), **usual)
    yield pair_case("pairs won by 1 or 2", "judge|item 1|item 2|winner", side("1", "2"), **usual)
    yield pair_case("pairs won by 1 or 2, left", "judge|left|right|winner", side("1", "2"))
    yield pair_case("pairs 0 is left", "judge|left|right|winner", side("0", "1"))
    yield pair_case("pairs 1 is left", "judge|left|right|winner", side("1", "0"))
    yield pair_case("pairs 0 is a", "judge|item_a|item_b|label", side("0", "1"))
    yield pair_case("pairs 1 is a", "judge|item_a|item_b|label", side("1", "0"))
    yield pair_case("pairs -1 is left", "judge|left|right|result", side("-1", "1", "0"), ties=True)
    yield pair_case("pairs 1 is left, 0 a tie", "judge|left|right|result", side("1", "-1", "0"), ties=True)
    yield pair_case("pairs 0, 0.5, 1", "judge|left|right|outcome", side("1", "0", "0.5"), ties=True)
    yield pair_case("pairs 1, 0.5, 0", "judge|left|right|outcome", side("0", "1", "0.5"), ties=True)
    yield pair_case("pairs left_is_better", "judge|left|right|left_is_better", side("1", "0"))
    yield pair_case("pairs right_is_better", "judge|left|right|right_is_better", side("0", "1"))
    yield pair_case("pairs left won yes or no", "judge|left|right|Did left win?", side("yes", "no"))
    yield pair_case("pairs by signs", "judge|left|right|result", side(">", "<", "="), ties=True)
    yield pair_case("pairs loser by name", "judge|left|right|loser", worse_by_name, **usual)
    yield pair_case("pairs loser by side", "judge|left|right|loser", side("right", "left"))
    yield pair_case("pairs which was worse", "Student|First poster|Second poster|Which was worse?", worse_by_name)
    question = "Student|First poster|Second poster|Which was better?"
    yield pair_case("pairs which was better", question, by_name(), people={"item": letter}, **usual)
    yield pair_case("pairs first or second", question, side("First", "Second"), people={"item": letter}, **usual)
    in_german = "Student|Erstes Poster|Zweites Poster|Welches war besser?"
    yield pair_case("pairs welches war besser", in_german, by_name(), **usual)
    in_french = "Étudiant|Première affiche|Deuxième affiche|Laquelle est la meilleure ?"
    yield pair_case("pairs laquelle est la meilleure", in_french, by_name(), **usual)

    def ordered(left: str, right: str, better: str) -> tuple[str, str]:
        return better, worse_by_name(left, right, better)

    def turned(left: str, right: str, better: str) -> tuple[str, str]:
        return ordered(left, right, better)[::-1]

    def beside_winner(left: str, right: str, better: str) -> tuple[str, ...]:
        return left, right, *ordered(left, right, better)

    yield pair_case("pairs winner and loser", "judge|winner|loser", ordered, **usual)
    yield pair_case("pairs loser and winner", "judge|loser|winner", turned, **usual)
    yield pair_case("pairs winner, loser only", "winner|loser", ordered, grader=False, **usual)
    yield pair_case("pairs better and worse", "Reviewer|Better|Worse", ordered, **usual)
    yield pair_case("pairs Gewinner, Verlierer", "Gutachter|Gewinner|Verlierer", ordered, **usual)
    yield pair_case("pairs bottom and top", "assessor|bottom_item|top_item", turned, **usual)
    yield pair_case("pairs chosen and rejected", "annotator|chosen|rejected", ordered)
    yield pair_case("pairs winner and loser beside", "judge|left|right|winner|loser", beside_winner, **usual)
    yield scored_pairs("pairs with scores", "judge|left|right|score_left|score_right")
    yield scored_pairs("pairs with points of A and B", "Reviewer|Item A|Item B|Points A|Points B")
    yield scored_pairs("pairs with scores beside", "judge|left|left score|right|right score", order=(0, 2, 1, 3))
    yield pair_case("pairs without judges", "left|right|winner", by_name(), grader=False, **usual)
    beside = {"Timestamp": lambda row: f"2026-03-01 10:{row:02d}:00", "Comments": lambda row: "close"}
    yield pair_case("pairs beside times", "judge|left|right|winner", by_name(), extra=beside, **usual)
    yield pair_case("pairs beside seconds", "judge|left|right|winner", by_name(), extra={"Seconds": lambda row: 9 + row})
    yield pair_case("pairs of numbers", "judge|left|right|winner", by_name(), people={"item": str, "items": 12}, **usual)
    yield pair_case("pairs of numbers from 11", "judge|left|right|winner", side("1", "2"),
                    people={"item": lambda number: str(10 + number)})
