"""One row per grader: the ranking in one cell, a column for every place, or a line of text without columns."""
# ruff: noqa: E501 - a case per line, up to 130 characters
# fmt: off

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.reading.battery import marks as m
from tests.reading.battery import truth as t
from tests.reading.battery.case import Case, Row, Table, csv_case, text_case
from tests.reading.battery.truth import (
    NOBODY,
    People,
    Tiers,
    Truth,
    email,
    full_name,
    letter,
    small_class,
    team,
)

Cell = Callable[[Tiers], str]
Beside = Mapping[str, Callable[[int], object]]  # a column, and its cell for the number of a grader
TIMES: Beside = {"Timestamp": lambda number: f"2026/03/{number:02d} 10:12:11 AM GMT+1"}


def chain(sign: str, tie: str = " = ") -> Cell:
    """The tiers with a sign between them, as they come."""
    return lambda tiers: sign.join(tie.join(tier) for tier in tiers)


def numbered(form: str, between: str) -> Cell:
    return lambda tiers: between.join(form.format(place, tier[0]) for place, tier in enumerate(tiers, 1))


def ended(tiers: Tiers) -> str:
    """Every item followed by its semicolon, as Microsoft Forms does."""
    return "".join(f"{tier[0]};" for tier in tiers)


def ballot_case(
    name: str, head: str, cell: Cell, *, worst_first: bool = False, usual: bool = False, header: bool = True,
    before: Beside = NOBODY, after: Beside = NOBODY, people: People = NOBODY, delimiter: str = ",",
) -> Case:
    truth = small_class(name, **people)
    table = Table(*[[*before, *head.split("|"), *after]] * header)
    for number, who in enumerate(truth.graders, 1):
        tiers = truth.only(who)[::-1] if worst_first else truth.only(who)
        sides = [[cell(number) for cell in side.values()] for side in (before, after)]
        table.add([*sides[0], who, cell(tiers), *sides[1]], (who, 0))
    truth = truth.but(silent=(*before, *after), fold=truth.items[0].startswith("#"))
    return csv_case(name, truth, table, filename="ballots.csv", usual=usual, delimiter=delimiter)


def cases() -> Iterator[Case]:
    yield from _signs()
    yield from _questions()
    yield from _places()
    yield from _lines()


def _signs() -> Iterator[Case]:
    tied: dict[str, Any] = {"people": {"ties": True}}
    for head in ("student|ranking", "Reviewer|My ranking", "Bewerter|Rangfolge", "Évaluateur|Classement",
                 "Evaluador|Clasificación"):
        yield ballot_case(f"ballot > {head}", head, chain(" > "), usual=True, **tied)
    yield ballot_case("ballot > without blanks", "student|order", chain(">", "="), usual=True, **tied)
    yield ballot_case("ballot <", "student|ranking", chain(" < "), worst_first=True, **tied)
    yield ballot_case("ballot < worst first", "student|Ranking, worst first", chain(" < "), worst_first=True, **tied)
    for sign in (" -> ", " → ", " >> ", " » "):
        yield ballot_case(f"ballot{sign}best first", "student|Ranking (best first)", chain(sign), usual=sign == " -> ")
    for sign in (" -> ", " → "):
        yield ballot_case(f"ballot{sign}worst first", "student|Ranking (worst first)", chain(sign), worst_first=True)
        yield ballot_case(f"ballot{sign}of either end, best first", "student|Sorted", chain(sign))
        yield ballot_case(f"ballot{sign}of either end, worst first", "student|Sorted", chain(sign), worst_first=True)
    yield ballot_case("ballot ; list", "Student|Ranking", chain("; "), usual=True)
    yield ballot_case("ballot ;; list", "Student|Ranking", ended, usual=True)
    yield ballot_case("ballot comma list", "Student|Ranking", chain(", "), usual=True)
    yield ballot_case("ballot comma list of teams", "Student|Rank the teams, best first", chain(", "), usual=True,
                      people={"item": team, "grader": full_name}, before=TIMES)
    yield ballot_case("ballot comma list, no word on it", "Student|Posters", chain(", "))
    yield ballot_case("ballot comma list, worst first, no word on it", "Student|Posters", chain(", "), worst_first=True)
    yield ballot_case("ballot 1. 2.", "Student|Ranking", numbered("{}. {}", " "), usual=True)
    yield ballot_case("ballot 1) 2)", "Student|Ranking", numbered("{}) {}", "; "), usual=True)
    yield ballot_case("ballot 1: 2:", "Student|Your answer", numbered("{}: {}", ", "))
    yield ballot_case("ballot 1. on lines", "Student|Ranking", numbered("{}. {}", "\n"), usual=True)
    yield ballot_case("ballot on lines", "Student|Rank the posters, best first", chain("\n"), people={"item": letter})
    yield ballot_case("ballot #3 > #1", "student|ranking", chain(" > "), people={"item": "#{}".format})
    yield ballot_case("ballot of numbers", "student|ranking", chain(" > "), people={"item": str}, usual=True)
    yield ballot_case("ballot with tabs", "student|ranking", chain(" > "), delimiter="\t", usual=True, **tied)
    yield ballot_case("ballot with comments", "student|ranking", chain(" > "), usual=True, before=TIMES,
        after={"Comments": lambda number: "P1, then the rest > fine" if number % 3 == 0 else ""}, **tied)
    yield ballot_case("ballot without header", "|", chain(" > "), header=False, **tied)
    yield ballot_case("ballot of teams without header", "|", chain(" > "), header=False, people={"item": team, "ties": True})


def _questions() -> Iterator[Case]:
    best = ("Rank the posters from best to worst", "Ranking, best first", "Your ranking (best on top)",
            "Ordnen Sie die Poster vom besten zum schlechtesten", "Classez les affiches de la meilleure à la moins bonne",
            "Ordene los pósteres de mejor a peor")
    worst = ("Rank the posters from worst to best", "Ranking, worst first", "Your ranking (worst on top)",
             "Ordnen Sie die Poster vom schlechtesten zum besten", "Classez les affiches de la moins bonne à la meilleure",
             "Ordene los pósteres de peor a mejor")
    for question in best:
        yield ballot_case(f"ballot {question}", f"Email|{question}", chain(", "), before=TIMES, usual=True,
                          people={"grader": email})
    for place, question in enumerate(worst):
        yield ballot_case(f"ballot {question}", f"Email|{question}", chain(", "), before=TIMES, worst_first=True,
                          people={"grader": email}, usual=place < 2)
    for question in (best[0], worst[0]):
        yield ballot_case(f"ballot ; {question}", f"Name|{question}", ended, worst_first=question is worst[0])


def place_case(name: str, heads: list[str], *, corner: str = "Name", turned: bool = False, usual: bool = False,
    blank: int = 0, extra: tuple[str, ...] = (), **people: Any) -> Case:
    """`turned`: the first of the columns is the worst; `blank`: how many graders left the last place open."""
    truth = small_class(name, reviews=len(heads), **people)
    table, orders = Table([corner, *heads, *extra]), dict(truth.orders)
    for number, who in enumerate(truth.graders):
        order = truth.flat(who)
        if number < blank:
            order = order[:-1]
            orders[who] = [[[item] for item in order]]
        cells = [*order, *[""] * (len(heads) - len(order))]
        table.add([who, *(cells[::-1] if turned else cells), *["fine" for _ in extra]], (who, 0))
    return csv_case(name, truth.but(orders=orders, silent=extra), table, filename="places.csv", usual=usual)


def _places() -> Iterator[Case]:
    for heads in (
        ["1st choice", "2nd choice", "3rd choice"], ["First choice", "Second choice", "Third choice"],
        ["Rank 1", "Rank 2", "Rank 3", "Rank 4"], ["1st place", "2nd place", "3rd place", "4th place"],
        ["Best poster", "Second best poster", "Third best poster"], ["Platz 1", "Platz 2", "Platz 3"],
        ["1. Platz", "2. Platz", "3. Platz"], ["1er choix", "2e choix", "3e choix"],
        ["1er lugar", "2º lugar", "3er lugar"], ["Primer puesto", "Segundo puesto", "Tercer puesto"],
        ["Best", "Second best", "Third best", "Worst"],
    ):
        yield place_case(f"places {heads[0]}", heads, usual=True, blank=1 if heads[-1] != "Worst" else 0)
    for heads in (["3rd choice", "2nd choice", "1st choice"], ["Worst", "Third best", "Second best", "Best"],
                  ["Platz 3", "Platz 2", "Platz 1"], ["Lowest", "2nd lowest", "2nd highest", "Highest"]):
        yield place_case(f"places from {heads[0]}", heads, turned=True, usual=True)
    worst = ["Worst poster", "Second worst poster", "Third worst poster"]
    yield place_case("places from the worst", worst, turned=True)
    yield place_case("places #1", ["#1", "#2", "#3"], corner="Student")
    yield place_case("places 1 2 3", ["1", "2", "3"], corner="Student")
    yield place_case("places Position 1", ["Position 1", "Position 2", "Position 3"], corner="Reviewer")
    yield place_case("places Top and Bottom", ["Top", "Middle", "Bottom"], corner="Reviewer")
    yield place_case("places beside comments", ["1st choice", "2nd choice", "3rd choice"], extra=("Comments",),
                     usual=True, item=team, grader=full_name)


def line_case(
    name: str, form: str, cell: Cell, *, worst_first: bool = False, above: tuple[str, ...] = (), usual: bool = False,
    people: People = NOBODY,
) -> Case:
    """`form` has a place for the grader, or none, and one for the ranking."""
    truth = small_class(name, **people)
    rows = [Row([line]) for line in above]
    for who in truth.graders:
        tiers = truth.only(who)[::-1] if worst_first else truth.only(who)
        line = form.format(who=who, order=cell(tiers), number=len(rows) - len(above) + 1)
        rows.append(Row([line], ((who, 0),)))
    truth = truth.but(anonymous="{who}" not in form, silent=above, fold=truth.items[0].startswith("#"))
    return text_case(name, truth, rows, usual=usual)


def _lines() -> Iterator[Case]:
    tied: dict[str, Any] = {"people": {"ties": True}}
    alone, named = "{order}", "{who}: {order}"
    yield line_case("lines", alone, chain(" > "), usual=True, **tied)
    yield line_case("lines with graders", named, chain(" > "), usual=True, **tied)
    yield line_case("lines with names", named, chain(" > "), usual=True, people={"grader": full_name})
    yield line_case("lines with last names first", named, chain(" > "), people={"grader": t.last_name_first})
    yield line_case("lines of names and teams", named, chain(" > "), people={"grader": full_name, "item": team})
    yield line_case("lines of #3 > #1", alone, chain(" > "), people={"item": "#{}".format})
    yield line_case("lines of #3 > #1 with graders", named, chain(" > "), people={"item": "#{}".format})
    yield line_case("lines with a tab", "{who}\t{order}", chain(" > "))
    yield line_case("lines with a dash", "{who} - {order}", chain(" > "))
    yield line_case("lines with <", named, chain(" < "), worst_first=True, **tied)
    yield line_case("lines with < alone", alone, chain(" < "), worst_first=True)
    for sign in (" -> ", " → "):
        yield line_case(f"lines with{sign}best first", named, chain(sign))
        yield line_case(f"lines with{sign}worst first", named, chain(sign), worst_first=True)
    yield line_case("lines with commas, best first", named, chain(", "))
    yield line_case("lines with commas, worst first", named, chain(", "), worst_first=True)
    yield line_case("lines with 1. 2.", named, numbered("{}. {}", " "))
    yield line_case("lines numbered 1) 2)", "{number}) {order}", chain(", "))
    yield line_case("lines numbered 1) 2), worst first", "{number}) {order}", chain(", "), worst_first=True)
    yield line_case("lines numbered 1. 2. with >", "{number}. {order}", chain(" > "), usual=True, **tied)
    yield line_case("lines numbered below a title", "{number}. {order}", chain(", "), above=("Rankings, best first", ""))
    yield line_case("lines below a title", named, chain(" > "), above=("Rankings of week 1, best first", ""))
    yield line_case("lines below worst first", named, chain(", "), above=("Rankings of week 1, worst first", ""),
                    worst_first=True)
    yield line_case("lines of letters", named, chain(" > "), people={"item": letter})
    yield _pgf("PGF", lambda truth, who, item: item, ties=True)
    yield _pgf("PGF with scores", lambda truth, who, item: f"{item} ({m.score(truth, who, item)})", scale=m.TEN)


def _pgf(name: str, show: Callable[[Truth, str, str], str], **people: Any) -> Case:
    truth = small_class(name, **people)
    rows = [Row(["# task grader order"])]
    for who, (tiers,) in truth.orders.items():
        order = " > ".join(" ? ".join(show(truth, who, item) for item in tier) for tier in tiers)
        rows.append(Row([f"week1 {who} {order}"], ((who, 0),)))
    return text_case(name, truth, rows, usual=True, filename="week1.pgf")
