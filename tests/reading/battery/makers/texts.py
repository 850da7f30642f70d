"""Lines of text and PGF: files without columns."""
# ruff: noqa: E501 - a case per line, up to 130 characters
# fmt: off

from collections.abc import Callable, Iterator
from typing import Any

from tests.reading.battery import marks as m
from tests.reading.battery.case import Case, Row, text_case
from tests.reading.battery.makers.ballots import Cell, chain, numbered
from tests.reading.battery.truth import (
    NOBODY,
    People,
    Truth,
    full_name,
    last_name_first,
    letter,
    small_class,
    team,
)


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


def cases() -> Iterator[Case]:
    tied: dict[str, Any] = {"people": {"ties": True}}
    alone, named = "{order}", "{who}: {order}"
    yield line_case("lines", alone, chain(" > "), usual=True, **tied)
    yield line_case("lines with graders", named, chain(" > "), usual=True, **tied)
    yield line_case("lines with names", named, chain(" > "), usual=True, people={"grader": full_name})
    yield line_case("lines with last names first", named, chain(" > "), people={"grader": last_name_first})
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
