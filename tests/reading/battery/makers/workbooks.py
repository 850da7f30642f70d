"""Workbooks as people keep them: several sheets, titles, merged cells, totals."""
# ruff: noqa: E501 - a case per line, up to 130 characters
# fmt: off

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.reading.battery import marks as m
from tests.reading.battery.case import Case, Table, book_case
from tests.reading.battery.makers.long_tables import review_table
from tests.reading.battery.makers.matrices import matrix_table
from tests.reading.battery.marks import Mark
from tests.reading.battery.truth import Truth, full_name, small_class, team

SCORES, RANKS = ("Reviewer", "Submission", "Score"), ("Reviewer", "Poster", "Rank")


def cases() -> Iterator[Case]:
    yield from _one_sheet()
    yield from _several_sheets()
    yield from _layouts()


def _truth(name: str, mark: Mark, **people: Any) -> tuple[Truth, Table]:
    truth = small_class(name, scale=m.HUNDRED if mark is m.score else None, **people)
    table = review_table(truth, SCORES if mark is m.score else RANKS, mark)
    return truth, _with_numbers(table)


def _with_numbers(table: Table) -> Table:
    """As Excel has them: numbers are no text."""
    def cell(value: object) -> object:
        text = str(value)
        return float(text) if text.replace(".", "").isdigit() else value if value != "" else None

    table.rows = [replace(row, cells=[cell(value) for value in row.cells]) for row in table.rows]
    return table


def _one_sheet() -> Iterator[Case]:
    for name, mark in (("book of scores", m.score), ("book of ranks", m.rank)):
        truth, table = _truth(name, mark)
        yield book_case(name, truth, {"Reviews": table}, usual=True)
    truth, table = _truth("book of integers", m.score, item=str, items=12, graders=12, reviews=5)
    yield book_case("book of integers", truth, {"Sheet1": table}, usual=True)
    truth, table = _truth("book with a title", m.rank)
    table.rows[:0] = Table(["Peer review of posters, 2026"], []).rows
    yield book_case("book with a title", truth.but(silent=("Peer review of posters, 2026",)), {"Sheet1": table},
                    usual=True)
    truth, table = _truth("book with a total", m.score)
    mean = sum(value for given in (truth.scores or {}).values() for value in given.values()) / (len(table.rows) - 1)
    table.add(["Average", None, round(mean, 2)])
    yield book_case("book with a total", truth.but(ignored=("Average",)), {"Reviews": table})
    truth, table = _truth("book with a count", m.score)
    table.add(["Total", f"{len(table.rows) - 1} reviews", None])
    yield book_case("book with a count", truth.but(ignored=("Total",)), {"Reviews": table})
    truth = small_class("book with merged names", scale=m.HUNDRED, grader=full_name, item=team)
    table = _with_numbers(review_table(truth, SCORES, m.score, fill_down=True))  # only the first cell has a name
    yield book_case("book with merged names", truth, {"Reviews": table})


def _several_sheets() -> Iterator[Case]:
    cover = Table(["Peer review of posters"], ["by the class of 2026"])
    truth, table = _truth("book with a cover", m.rank)
    yield book_case("book with a cover", truth.but(ignored=("Read me",)), {"Read me": cover, "Reviews": table})
    truth, table = _truth("book with a roster", m.score)
    roster = Table(["Student", "Email"], *[[who, f"{who}@uni.edu"] for who in truth.graders])
    yield book_case("book with a roster", truth.but(ignored=("Roster",)), {"Reviews": table, "Roster": roster})
    truth, table = _truth("book with an old sheet", m.score)
    old = _truth("an old sheet", m.score)[1]
    yield book_case("book with an old sheet", truth.but(ignored=("Old",)), {"Reviews": table, "Old": _alone(old)})
    truth, table = _truth("book with an old sheet first", m.rank)
    old = _truth("an old sheet", m.rank)[1]
    yield book_case("book with an old sheet first", truth.but(ignored=("Old",)), {"Old": _alone(old), "New": table})
    for name, mark in (("book of two sheets of scores", m.score), ("book of two sheets of ranks", m.rank)):
        one, first = _truth(name, mark)
        two, second = _truth(f"{name}, second", mark, grader="t{:02d}".format)
        yield book_case(name, _joined(one, two), {"Section A": first, "Section B": second})
    one, two = (small_class(f"book of two matrices {part}", scale=m.HUNDRED, items=6, grader=form)
                for part, form in (("A", "s{:02d}".format), ("B", "t{:02d}".format)))
    tables = [_with_numbers(matrix_table(truth, m.score, corner="Reviewer", head="Score {}")) for truth in (one, two)]
    names = {f"Score {item}": item for item in one.items}
    joined = _joined(one, two).but(names=names)
    yield book_case("book of two matrices", joined, {"Monday": tables[0], "Tuesday": tables[1]})


def _alone(table: Table) -> Table:
    """Rows that belong to nobody's list of this class."""
    table.rows = [replace(row, keys=(), maybe=()) for row in table.rows]
    return table


def _joined(one: Truth, two: Truth) -> Truth:
    scores = None if one.scores is None else {**one.scores, **(two.scores or {})}
    items = list(dict.fromkeys([*one.items, *two.items]))
    return Truth({**one.orders, **two.orders}, items, [*one.graders, *two.graders], scores)


def _layouts() -> Iterator[Case]:
    truth = small_class("book matrix", scale=m.HUNDRED)
    names = {f"Score {item}": item for item in truth.items}
    table = _with_numbers(matrix_table(truth, m.score, corner="Reviewer", head="Score {}"))
    yield book_case("book matrix", truth.but(names=names), {"Scores": table}, usual=True)
    truth = small_class("book matrix with average", scale=m.HUNDRED)
    mean = {"Average": lambda values: f"{sum(values) / max(len(values), 1):.2f}"}
    table = _with_numbers(matrix_table(truth, m.score, corner="Reviewer", below=mean))
    yield book_case("book matrix with average", truth.but(ignored=("Average",)), {"Scores": table})
    truth = small_class("book Likert", scale=m.FIVE, reviews=-1)
    yield book_case("book Likert", truth, {"Sheet1": _with_numbers(matrix_table(truth, m.score))})
    for name, mark in (("book full ranks, 1 best", m.rank), ("book full ranks, last best", m.last_is_best)):
        truth = small_class(name, reviews=-1)
        table = _with_numbers(matrix_table(truth, mark))
        truth = truth if mark is m.rank else m.with_scores(truth, mark).but(scores_needed=False)
        yield book_case(name, truth, {"Sheet1": table})
