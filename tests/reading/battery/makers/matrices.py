"""One row per grader: one column per item, or slots with an item and what it was given; or the other way round."""
# ruff: noqa: E501 - a case per line, up to 130 characters
# fmt: off

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tests.reading.battery import marks as m
from tests.reading.battery.case import Case, Table, csv_case
from tests.reading.battery.marks import Mark
from tests.reading.battery.truth import NOBODY, People, Scale, Truth, full_name, letter, small_class, team

Beside = Mapping[str, Callable[[int], object]]  # a column, and its cell for the number of a grader
Below = Mapping[str, Callable[[list[float]], str]]  # a row, and its cell for the numbers of a column
NOTHING: Mapping[str, Any] = {}
ALL = {"reviews": -1}


def matrix_table(
    truth: Truth, mark: Mark, *, corner: str = "Name", head: str = "{}", empty: str = "", before: Beside = NOTHING,
    after: Beside = NOTHING, below: Below = NOTHING, titles: tuple[str, ...] = (), header: bool = True,
) -> Table:
    """`after` stands right of the items; `below` are rows made from the numbers of a column."""
    names = [corner, *before, *(head.format(item) for item in truth.items), *after]
    table = Table(*[[title, *[""] * (len(names) - 1)] for title in titles], *([names] if header else []))
    columns: dict[str, list[float]] = {item: [] for item in truth.items}
    for number, who in enumerate(truth.graders, 1):
        cells = m.cells(truth, mark, who, empty)
        for item, cell in zip(truth.items, cells, strict=True):
            columns[item] += [float(cell)] if cell.replace(".", "").isdigit() else []
        sides = [[cell(number) for cell in side.values()] for side in (before, after)]
        table.add([who, *sides[0], *cells, *sides[1]], *([(who, 0)] if who in truth.orders else []))
    for name, total in below.items():
        table.add([name, *[""] * len(before), *(total(columns[item]) for item in truth.items), *[""] * len(after)])
    return table


def matrix_case(
    name: str, mark: Mark, *, scale: Scale | None = None, people: People = NOBODY, usual: bool = False,
    silent: tuple[str, ...] = ("Comments",), file: People = NOTHING, **layout: Any,
) -> Case:
    truth = small_class(name, scale=scale, **people)
    table = matrix_table(truth, mark, **layout)
    truth = m.meant(truth, mark)
    named = [*layout.get("before", ()), *layout.get("after", ()), *layout.get("below", ())]
    ignored = tuple(column for column in named if column not in silent)
    allowed = (*silent, *layout.get("titles", ()))
    head = layout.get("head", "{}")
    names = {head.format(item): item for item in truth.items if "[" not in head}  # 'Rank P1' is P1, or itself
    unnamed = not layout.get("header", True)
    truth = truth.but(ignored=ignored, silent=allowed, names=names, unnamed=unnamed)
    return csv_case(name, truth, table, usual=usual, **file)


def cases() -> Iterator[Case]:
    yield from _open_numbers()
    yield from _named_numbers()
    yield from _cells()
    yield from _columns_beside()
    yield from _shapes()
    yield from _slots()


def _open_numbers() -> Iterator[Case]:
    """Headers are items and nothing else: ranks, points or ratings, and either end may be best."""
    yield matrix_case("matrix full ranks, 1 best", m.rank, people=ALL)
    yield matrix_case("matrix full ranks, last best", m.last_is_best, people=ALL)
    yield matrix_case("matrix some ranks, 1 best", m.rank)
    yield matrix_case("matrix some ranks, last best", m.last_is_best)
    yield matrix_case("matrix tied ranks", m.rank, people={"ties": True, "reviews": -1})
    yield matrix_case("matrix Borda points", m.borda, people=ALL)
    yield matrix_case("matrix 3,2,1,0,0", m.last_is_best, people={"items": 5, "reviews": 3}, empty="0")
    yield _three_two_one("matrix 3,2,1,0,0, all seen")
    yield matrix_case("matrix Likert, 5 best", m.score, scale=m.FIVE, people=ALL)
    yield matrix_case("matrix Likert, 1 best", m.Ladder(m.LOW_BEST), scale=m.STEPS, people=ALL)
    yield matrix_case("matrix some Likert, 5 best", m.score, scale=m.FIVE)
    yield matrix_case("matrix 1 to 3, 3 best", m.score, scale=(1, 3, 1), people=ALL)
    yield matrix_case("matrix 1 to 3, 1 best", m.Ladder(("1", "2", "3")), scale=(0, 2, 1), people=ALL)
    yield matrix_case("matrix German grades", m.Ladder(m.COMMA_THIRDS), scale=m.TEN, file={"delimiter": ";"})
    yield matrix_case("matrix of hundred", m.score, scale=m.HUNDRED)
    yield matrix_case("matrix of ten with commas", m.comma_score, scale=(0, 10, 0.5),
                      file={"delimiter": ";"})
    yield matrix_case("matrix zeros not reviewed", m.score, scale=m.HUNDRED, empty="0")
    yield matrix_case("matrix zeros are scores", m.score, scale=(0, 10, 1), people={**ALL, "floor": 0.0})
    yield matrix_case("matrix ranks with zeros", m.rank, empty="0")


def _three_two_one(name: str) -> Case:
    truth = small_class(name, items=5, reviews=-1)
    scored = m.with_scores(truth, m.three_two_one)
    table = matrix_table(truth, m.three_two_one)
    orders = {who: [[*truth.only(who)[:3], [item for tier in truth.only(who)[3:] for item in tier]]]
              for who in truth.orders}
    return csv_case(name, scored.but(orders=orders), table)


def _named_numbers() -> Iterator[Case]:
    for corner, head in (
        ("Reviewer", "Rank {}"), ("Student", "Rank of {}"), ("Reviewer", "{} rank"), ("Bewerter", "Rang {}"),
        ("Gutachter", "Platz {}"), ("Évaluateur", "Rang {}"), ("Evaluador", "Puesto {}"),
        ("Student", "Rank the posters (1 = best) [{}]"), ("Student", "Rank these posters [{}]"),
        ("Bewerter", "Rang (1 = beste Arbeit) [{}]"), ("Évaluateur", "Classement (1 = meilleur) [{}]"),
        ("Your name", "Please rank the posters, 1 being the best [{}]"),
    ):
        yield matrix_case(f"matrix ranks {corner}, {head}", m.rank, corner=corner, head=head, usual=True)
    for corner, head, scale in (
        ("Reviewer", "Score {}", m.HUNDRED), ("Reviewer", "{} score", m.TEN), ("Student", "Points for {}", m.HUNDRED),
        ("Bewerter", "Punkte {}", m.HUNDRED), ("Correcteur", "Points {}", m.TWENTY), ("Revisor", "Puntos {}", m.TEN),
        ("Student", "Rate these posters from 1 (poor) to 5 (excellent) [{}]", m.FIVE),
        ("Bewerter", "Bewertung (1 = schlecht, 5 = sehr gut) [{}]", m.FIVE), ("Évaluateur", "Note sur 20 [{}]", m.TWENTY),
        ("Student", "Score out of 10 [{}]", m.TEN), ("Juez", "Puntuación (0 a 10) [{}]", m.TEN),
    ):
        yield matrix_case(f"matrix scores {corner}, {head}", m.score, scale=scale, corner=corner, head=head, usual=True)
    for head in ("Rank these posters, 1 = worst [{}]", "Rank, 5 = best [{}]"):
        yield matrix_case(f"matrix {head}", m.last_is_best, corner="Student", head=head,
                          people={"reviews": 5})
    for head in ("Rate from 1 (excellent) to 5 (poor) [{}]", "Schulnote (1 = sehr gut) [{}]", "Grade (1 is best) [{}]"):
        yield matrix_case(f"matrix {head}", m.Ladder(m.LOW_BEST), scale=m.STEPS, corner="Student", head=head, usual=True)
    for head in ("How do you like it? [{}]", "Q3 [{}]"):
        yield matrix_case(f"matrix {head}, 5 best", m.score, scale=m.FIVE, corner="Student", head=head)
        yield matrix_case(f"matrix {head}, 1 best", m.Ladder(m.LOW_BEST), scale=m.STEPS, corner="Student", head=head)


def _cells() -> Iterator[Case]:
    for empty in ("-", "NA", "n/a", "–", "X", "own", "self"):
        yield matrix_case(f"matrix scores and {empty}", m.score, scale=m.HUNDRED, corner="Reviewer", head="Score {}",
                          empty=empty, usual=empty in ("-", "NA", "n/a"))
    yield matrix_case("matrix ranks and X", m.rank, empty="X")
    yield matrix_case("matrix 1st", m.ordinal, corner="Reviewer", usual=True)
    for head in ("Rank these posters [{}]", "Your vote [{}]"):
        yield matrix_case(f"matrix 1st choice, {head}", m.place("{} choice", m.ORDINALS), corner="Student", head=head, usual=True)
        yield matrix_case(f"matrix Second choice, {head}", m.place("{} choice", m.SPELLED), corner="Student", head=head, usual=True)
    for corner, form in (("Evaluador", "{}º"), ("Bewerter", "{}. Platz"), ("Bewerter", "{}. Wahl"), ("Évaluateur", "{}e choix"),
                         ("Student", "Choice {}"), ("Student", "Rank {}")):
        yield matrix_case(f"matrix {form}", m.place(form), corner=corner, usual=True)
    yield matrix_case("matrix high and low", m.Ladder(("high", "medium", "low")), scale=(0, 2, 1), corner="Reviewer")
    yield matrix_case("matrix letters", m.Ladder(m.LETTERS), scale=m.TEN, corner="Reviewer", head="Grade {}", usual=True)
    yield matrix_case("matrix words", m.Ladder(m.ENGLISH), scale=m.STEPS, corner="Reviewer")
    yield matrix_case("matrix 8/10", m.written("{}/10"), scale=m.TEN, corner="Reviewer", usual=True)
    yield matrix_case("matrix 85%", m.written("{}%"), scale=m.HUNDRED, corner="Reviewer", usual=True)
    yield matrix_case("matrix 99 not reviewed", m.score, scale=m.TEN, empty="99", corner="Reviewer", head="Score {}")


def _columns_beside() -> Iterator[Case]:
    columns: Beside = {
        "Email": lambda number: f"s{number:02d}@uni.edu", "Section": lambda number: number % 3 + 1,
        "Student ID": lambda number: 20261000 + number, "Hours": lambda number: number % 5 + 1,
        "Confidence": lambda number: number % 4 + 1, "Comments": lambda number: "fine" if number % 2 else "",
        "Timestamp": lambda number: f"2026-03-{number:02d} 10:12:11",
    }
    for column, cell in columns.items():
        after = column in ("Hours", "Confidence", "Comments")
        beside = {"after" if after else "before": {column: cell}}
        aliases = column in ("Email", "Student ID")
        case = matrix_case(f"matrix beside {column}", m.rank, corner="Student", head="Rank {}", **beside,
                           silent=(column, "Student") if aliases or column == "Comments" else ())
        yield _renamed(case, cell) if aliases else case
    yield matrix_case("matrix open beside Section", m.score, scale=m.HUNDRED, before={"Section": columns["Section"]})
    mean, total = (lambda values: f"{sum(values) / max(len(values), 1):.2f}"), (lambda values: f"{sum(values):g}")
    counted = {"scale": m.HUNDRED, "corner": "Reviewer"}
    yield matrix_case("matrix row Average", m.score, below={"Average": mean}, **counted)
    yield matrix_case("matrix row Mittelwert", m.score, below={"Mittelwert": mean}, **counted)
    yield matrix_case("matrix row Total of ranks", m.rank, head="Rank {}", below={"Total": total})
    yield matrix_case("matrix row Reviews", m.score, below={"Reviews": lambda values: str(len(values))}, **counted)
    yield _with_totals("matrix column Total", "Total", sum)
    yield _with_totals("matrix column Average", "Average", lambda values: round(sum(values) / len(values), 2))
    yield _with_names("matrix first and last name")


def _renamed(case: Case, cell: Callable[[int], object]) -> Case:
    """The column beside the name tells graders apart as well as the name does."""
    assert case.truth is not None
    aliases = {str(cell(number)): who for number, who in enumerate(case.truth.graders, 1)}
    return replace(case, truth=case.truth.but(aliases=aliases))


def _with_totals(name: str, column: str, total: Callable[[list[float]], float]) -> Case:
    truth = small_class(name, scale=m.HUNDRED)
    scores = truth.scores or {}
    totals: Beside = {column: lambda number: f"{total(list(scores[truth.graders[number - 1]].values())):g}"}
    return csv_case(name, truth.but(ignored=(column,)), matrix_table(truth, m.score, corner="Reviewer", after=totals))


def _with_names(name: str) -> Case:
    doubles = {2: "Ada Yonath", 4: "Max Noether"}  # neither first nor last names tell all of them apart
    truth = small_class(name, grader=lambda number: doubles.get(number, full_name(number)))
    table = Table(["First name", "Last name", *(f"Rank {item}" for item in truth.items)])
    for who in truth.graders:
        table.add([*who.split(), *m.cells(truth, m.rank, who)], (who, 0))
    aliases = {", ".join(who.split()[::-1]): who for who in truth.graders}
    names = {f"Rank {item}": item for item in truth.items}
    return csv_case(name, truth.but(aliases=aliases, names=names, silent=("First name", "Last name")), table)


def _shapes() -> Iterator[Case]:
    yield _unfilled("matrix a column nobody filled")
    for corner in ("", "Poster", "Poster \\ Reviewer"):
        yield _transposed(f"matrix transposed, corner {corner or 'empty'}", corner, m.rank)
    yield _transposed("matrix transposed scores", "", m.score, scale=m.HUNDRED)
    yield _transposed("matrix transposed names", "", m.score, scale=m.TEN, grader=full_name, item=team)
    yield matrix_case("matrix empty corner", m.rank, corner="", people=ALL)
    titles = ("Peer review, week 1", "1 March 2026", "")
    yield matrix_case("matrix under titles", m.score, scale=m.HUNDRED, corner="Reviewer", head="Score {}",
                      titles=titles, usual=True)
    title = ("Ranks given by students (1 = best)",)
    yield matrix_case("matrix ranks in the title", m.rank, corner="Student", titles=title)
    title = ("Rankings, 5 is the best",)
    yield matrix_case("matrix last best in the title", m.last_is_best, corner="Student", titles=title,
                      people={"reviews": 5})
    yield matrix_case("matrix without header", m.score, scale=m.HUNDRED, header=False,
                      people={"item": "Column {}".format})
    yield matrix_case("matrix integer items", m.score, scale=m.HUNDRED, corner="Student",
                      people={"item": str, "items": 12, "graders": 12, "reviews": 5})
    yield matrix_case("matrix teams", m.rank, corner="Student", head="Rank {}", usual=True,
                      people={"item": team, "grader": full_name, "absent": 1})
    yield matrix_case("matrix absent reviewers", m.score, scale=m.TEN, corner="Student", head="{} score", usual=True,
                      people={"item": letter, "absent": 2})
    yield matrix_case("matrix tabs in UTF-16", m.score, scale=m.HUNDRED, corner="Student", head="Points {}", usual=True,
                      file={"delimiter": "\t", "encoding": "utf-16"})


def _unfilled(name: str) -> Case:
    truth = small_class(name, scale=m.HUNDRED)
    names = {f"Score {item}": item for item in [*truth.items, "P99"]}
    truth = truth.but(items=[*truth.items, "P99"], listed=("P99",), names=names)
    return csv_case(name, truth, matrix_table(truth, m.score, corner="Reviewer", head="Score {}"), usual=True)


def _transposed(name: str, corner: str, mark: Mark, **people: Any) -> Case:
    truth = small_class(name, **people)
    table = Table([corner, *truth.graders])
    for item in truth.items:
        seen = [item in truth.saw(who) for who in truth.graders]
        cells = [mark(truth, who, item) if here else "" for who, here in zip(truth.graders, seen, strict=True)]
        keys, maybe = ([(who, 0) for who, here in zip(truth.graders, seen, strict=True) if here is wanted]
                       for wanted in (True, False))
        table.add([item, *cells], *keys, maybe=tuple(maybe))
    return csv_case(name, truth, table)


N_SLOTS = 4


def slot_case(
    name: str, heads: str, mark: Mark, *, corner: str = "Name", usual: bool = False, blank: int = 0, comments: str = "",
    people: People = NOBODY, delimiter: str = ",", scale: Scale | None = None,
) -> Case:
    """`heads` are those of a slot; `{}` in them is its number. Some graders leave their last slots empty."""
    truth = small_class(name, reviews=N_SLOTS - blank, scale=scale, **people)
    slot = [*heads.split("|"), *([comments] if comments else [])]
    table = Table([corner, *(head.format(number) for number in range(1, N_SLOTS + 1) for head in slot)])
    for who in truth.graders:
        cells = [[item, mark(truth, who, item), *["well done, mostly"] * bool(comments)] for item in truth.saw(who)]
        cells += [[""] * len(slot)] * blank
        table.add([who, *(cell for group in cells for cell in group)], (who, 0))
    truth = m.meant(truth, mark)
    silent = tuple(comments.format(number) for number in range(1, N_SLOTS + 1)) if comments else ()
    return csv_case(name, truth.but(silent=silent), table, usual=usual, delimiter=delimiter)


def _slots() -> Iterator[Case]:
    usual: dict[str, Any] = {"usual": True}
    yield slot_case("slots of scores", "Project {}|Score {}", m.score, scale=m.HUNDRED, **usual)
    yield slot_case("slots of ranks", "Project {}|Rank {}", m.rank, corner="Reviewer", **usual)
    yield slot_case("slots of points in German", "Projekt {}|Punkte {}", m.score, corner="Bewerter", scale=m.HUNDRED,
                    delimiter=";", **usual)
    yield slot_case("slots of notes in French", "Projet {}|Note {}", m.score, corner="Évaluateur", scale=m.TWENTY, **usual)
    yield slot_case("slots of puntos", "Proyecto {}|Puntos {}", m.score, corner="Evaluador", scale=m.TEN, **usual)
    yield slot_case("slots of German grades", "Arbeit {}|Note {}", m.Ladder(m.COMMA_THIRDS), corner="Bewerter", scale=m.TEN,
                    delimiter=";")
    yield slot_case("slots with blanks", "Team {}|Points {}", m.score, scale=m.HUNDRED, blank=1, people={"item": team},
                    **usual)
    yield slot_case("slots with comments", "Paper {}|Score {}", m.score, scale=m.TEN, comments="Comment {}", **usual)
    yield slot_case("slots by name in front", "Reviewed project ({})|Rating ({})", m.score, scale=m.FIVE,
                    people={"grader": full_name})
    yield slot_case("slots with the same header", "Project|Score", m.score, scale=m.HUNDRED)
    yield slot_case("slots of 1 best ratings", "Project {}|Rating {} (1 = best)", m.Ladder(m.LOW_BEST), scale=m.STEPS)
    yield slot_case("slots of ranks, 4 best", "Project {}|Rank {} (4 = best)", m.last_is_best)
    yield slot_case("slots open, 1 best", "Project {}|Answer {}", m.rank)
    yield slot_case("slots open, 4 best", "Project {}|Answer {}", m.last_is_best)
