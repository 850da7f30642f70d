"""One row per review: grader, item, and a rank or a score under all kinds of names."""
# ruff: noqa: E501 - a case per line, up to 130 characters
# fmt: off

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.reading.battery import marks as m
from tests.reading.battery.case import Case, Row, Table, csv_case
from tests.reading.battery.marks import Mark
from tests.reading.battery.truth import (
    NOBODY,
    People,
    Scale,
    Truth,
    email,
    full_name,
    letter,
    small_class,
    team,
    tiers_of,
)

Extra = dict[str, Callable[[str, str, int], object]]  # a column, and its cell for grader, item and row
Code = Callable[[int], str]  # what a row holds that was not reviewed


def review_table(
    truth: Truth, head: Sequence[str], mark: Mark, *, extra: Extra | None = None, code: Code | None = None,
    fill_down: bool = False,
) -> Table:
    """Rows by grader; with a `code`, items that were not reviewed have rows, too."""
    extra = extra or {}
    table, count = Table([*head, *extra]), 0
    for who in truth.graders:
        unseen = truth.unseen(who)[:2] if code else []
        for place, item in enumerate([item for item in truth.items if item in truth.saw(who) + unseen]):
            value = code(count) if code and item in unseen else mark(truth, who, item)
            name = "" if fill_down and place else who
            beside = [cell(who, item, count) for cell in extra.values()]
            key = (who, 0)
            keys, maybe = ((), (key,)) if item in unseen else ((key,), ())
            table.add([name, item, value, *beside], *keys, maybe=maybe)
            count += 1
    return table


def long_case(
    name: str, head: str, mark: Mark, *, usual: bool = False, scale: Scale | None = None, people: People = NOBODY,
    extra: Extra | None = None, code: Code | None = None, fill_down: bool = False, **file: Any,
) -> Case:
    truth, silent = small_class(name, scale=scale, **people), ("Comments", "Title")
    table = review_table(truth, head.split("|"), mark, extra=extra, code=code, fill_down=fill_down)
    truth = m.meant(truth, mark)
    ignored = tuple(column for column in extra or {} if column not in silent)
    return csv_case(name, truth.but(ignored=ignored, silent=silent), table, usual=usual, **file)


def rows_of(truth: Truth, head: Sequence[str], cells: Callable[[str, str], Sequence[object]]) -> Table:
    table = Table(head)
    for who in truth.graders:
        for item in truth.saw(who):
            table.add(cells(who, item), (who, 0))
    return table


def cases() -> Iterator[Case]:
    yield from _usual()
    yield from _values()
    yield from _directions_in_headers()
    yield from _open_directions()
    yield from _extra_columns()
    yield from _codes()
    yield from _shapes()


def _usual() -> Iterator[Case]:
    heads = (
        "reviewer|submission|rank, Student|Poster|Ranking, Judge|Project|Place, Rater|Team|Rank, Assessor|Essay|Placement,"
        " grader|paper|rank, Evaluator|Group|Rank, Bewerter|Arbeit|Rang, Gutachter|Projekt|Platz, Prüfer|Gruppe|Platzierung,"
        " Gutachterin|Poster|Rangplatz, Évaluateur|Copie|Rang, Correcteur|Projet|Classement, Evaluador|Trabajo|Puesto,"
        " Revisor|Proyecto|Posición, Reviewer name|Submission ID|Rank"
    )
    for place, head in enumerate(heads.split(", ")):
        yield long_case(f"long ranks {head}", head, m.rank, usual=True, people={"ties": place % 3 == 0})
    for head, form in (("Evaluador|Trabajo|Puesto", "{}º"), ("Student|Poster|Rank", "{}. place"),
                       ("Bewerter|Arbeit|Platz", "{}. Platz"), ("Évaluateur|Copie|Rang", "{}e")):
        yield long_case(f"long {form}", head, m.place(form), usual=True)
    yield long_case("long First", "Student|Poster|Choice", m.place("{}", m.SPELLED))
    scores = {
        m.TEN: "reviewer|submission|score, Rater|Poster|Rating, Evaluator|Paper|Overall score, Prüfer|Aufsatz|Bewertung,"
               " Relecteur|Article|Score, Revisor|Proyecto|Puntuación",
        m.HUNDRED: "Grader|Essay|Grade, Judge|Team|Points, Student|Project|Score, Bewerter|Arbeit|Punkte, Juez|Equipo|Puntos",
        m.TWENTY: "Marker|Script|Mark, Gutachter|Projekt|Punktzahl, Correcteur|Projet|Points",
        m.FIVE: "Reviewer|Group|Stars, Bewerterin|Gruppe|Sterne",
    }
    for scale, head in [(scale, head) for scale, texts in scores.items() for head in texts.split(", ")]:
        yield long_case(f"long scores {head}", head, m.score, usual=True, scale=scale)
    yield long_case("long French note of 20", "Évaluateur|Copie|Note", m.comma_score, usual=True, scale=m.TWENTY,
                    delimiter=";")
    yield long_case("long Spanish nota", "Evaluador|Trabajo|Nota", m.comma_score, usual=True, scale=(0, 10, 0.1),
                    delimiter=";")


def _values() -> Iterator[Case]:
    usual: dict[str, Any] = {"usual": True}
    yield long_case("long 8/10", "Reviewer|Poster|Score", m.written("{}/10"), scale=m.TEN, **usual)
    yield long_case("long 8 out of 10", "Reviewer|Poster|Mark", m.written("{} out of 10"), scale=m.TEN, **usual)
    yield long_case("long 85%", "Reviewer|Poster|Grade", m.written("{}%"), scale=m.HUNDRED, **usual)
    yield long_case("long 4 stars", "Reviewer|Poster|Rating", m.written("{} stars"), scale=m.FIVE, **usual)
    yield long_case("long drawn stars", "Reviewer|Poster|Stars", m.stars, scale=m.FIVE)
    yield long_case("long 1st 2nd", "Judge|Project|Place", m.ordinal, **usual)
    yield long_case("long 1st under score", "Judge|Project|Score", m.ordinal)
    yield long_case("long #1", "Judge|Project|Rank", lambda *which: f"#{m.rank(*which)}", **usual)
    letters = {"scale": m.TEN}
    yield long_case("long letters", "Grader|Essay|Grade", m.Ladder(m.LETTERS), **letters, **usual)
    words = {"scale": m.STEPS}
    yield long_case("long words", "Reviewer|Poster|Rating", m.Ladder(m.ENGLISH), **words)
    yield long_case("long German words", "Bewerter|Arbeit|Bewertung", m.Ladder(m.GERMAN), **words)
    yield long_case("long French words", "Évaluateur|Copie|Appréciation", m.Ladder(m.FRENCH), **words)
    halves = {"scale": (0, 10, 0.5), "delimiter": ";"}
    yield long_case("long decimal commas", "Bewerter|Arbeit|Punkte", m.comma_score, **halves, **usual)
    files = {"utf-16": "\t", "utf-8-sig": ";", "cp1252": ";"}
    for encoding, delimiter in files.items():
        yield long_case(f"long {encoding}", "Prüfer|Beitrag|Punkte", m.score, scale=m.HUNDRED, encoding=encoding,
                        delimiter=delimiter, people={"grader": full_name, "graders": 8}, **usual)
    yield long_case("long tabs", "student|essay|rank", m.rank, delimiter="\t", filename="reviews.tsv", **usual)
    yield long_case("long dense ranks", "student|essay|rank", m.dense_rank, people={"ties": True}, **usual)
    yield long_case("long mid-ranks", "student|essay|rank", m.mid_rank, people={"ties": True}, **usual)


def _directions_in_headers() -> Iterator[Case]:
    five = {"reviews": 5, "items": 7}
    up, down = {"scale": m.FIVE}, {"scale": m.STEPS}
    for head in ("Rank (1 = best)", "Rank (best = 1)", "Ranking: 1 is the best", "Score (1 = best, 5 = worst)",
                 "Platz (1 = beste Arbeit)", "Classement (1 = meilleur)", "Puesto (1 = mejor)"):
        score = head.startswith("Score")
        yield long_case(f"long {head}", f"Reviewer|Poster|{head}", m.rank, usual=not score, people={**five, "ties": score})
    for head in ("Rank (5 = best)", "Rank (5 = best, 1 = worst)", "Rang (5 = bester)", "Classement (5 = meilleur)",
                 "Rank, 1 = worst", "Rank (higher is better)"):
        yield long_case(f"long {head}", f"Reviewer|Poster|{head}", m.last_is_best, people=five)
    for head in ("Rating (1 = poor, 5 = excellent)", "Score (5 = best)", "Points (higher is better)",
                 "Bewertung (5 = sehr gut)", "Note (5 = excellent)", "Nota (1 = peor, 5 = mejor)"):
        yield long_case(f"long {head}", f"Reviewer|Poster|{head}", m.score, usual=True, **up)
    for head in ("Rating (1 = excellent, 5 = poor)", "Score (lower is better)", "Note (1 = sehr gut, 5 = mangelhaft)",
                 "Grade (1 is best)", "Nota (1 = mejor, 5 = peor)", "Note (1 = excellent, 5 = insuffisant)"):
        yield long_case(f"long {head}", f"Reviewer|Poster|{head}", m.Ladder(m.LOW_BEST), usual=True, **down)


def _open_directions() -> Iterator[Case]:
    """Nobody could say it from the file alone: the same headers and numbers, and either end is best."""
    down = {"scale": m.TEN}
    yield long_case("long German grades", "Bewerter|Arbeit|Note", m.Ladder(m.COMMA_THIRDS), usual=True, delimiter=";",
                    **down)
    yield long_case("long thirds, 1.0 best", "Grader|Essay|Grade", m.Ladder(m.THIRDS), **down)
    points = small_class("long grade points", scale=m.TEN)
    table = review_table(points, ("Grader", "Essay", "Grade"), m.Ladder(m.GRADE_POINTS))
    yield csv_case("long grade points", m.with_scores(points, m.Ladder(m.GRADE_POINTS)), table)
    yield long_case("long Swiss grades, 6 best", "Bewerter|Arbeit|Note", m.score, scale=(1, 6, 0.5))
    six = ("1", "2", "3", "4", "5", "6")
    yield long_case("long school grades, 1 best", "Bewerter|Arbeit|Note", m.Ladder(six), scale=(0, 5, 1))
    yield long_case("long penalty points", "Judge|Team|Penalty points", m.Ladder([str(n) for n in range(11)]), **down)
    yield long_case("long Fehlerpunkte", "Prüfer|Arbeit|Fehlerpunkte", m.Ladder([str(n) for n in range(11)]), **down)
    for head in ("Score", "Points", "Rating", "Q7", "Preference", "Value", "Wertung"):
        yield long_case(f"long {head} with 1 best", f"Reviewer|Poster|{head}", m.rank, people={"reviews": 5})
        yield long_case(f"long {head} with 5 best", f"Reviewer|Poster|{head}", m.last_is_best,
                        people={"reviews": 5})
    for head in ("Rank (1=last)", "Rank (reverse)", "Rank (1 = needs most work)", "Rank [1 = needs most work]", "Rank (1 is not best)", "Rang (1 = letzter)",
                 "Place (5th = winner)", "Rank (1 = ★, 5 = ★★★★★)"):
        yield long_case(f"long {head}", f"Reviewer|Poster|{head}", m.last_is_best, people={"reviews": 5, "items": 7})
    for head in ("Points (errors)", "Score (max 10 deducted)", "Punkte (Abzug)", "Punkte (weniger ist besser)"):
        yield long_case(f"long {head}", f"Reviewer|Poster|{head}", m.Ladder([str(n) for n in range(11)]), **down)
    yield long_case("long Rank (of 5)", "Reviewer|Poster|Rank (of 5)", m.rank, people={"reviews": 5}, usual=True)
    yield long_case("long Rank (required)", "Reviewer|Poster|Rank (required)", m.rank, people={"reviews": 5}, usual=True)
    for head in ("Rank", "Rank (stars)"):
        yield long_case(f"long {head} with scores of ten", f"Reviewer|Poster|{head}", m.score, scale=m.TEN)
    yield long_case("long Q7 with scores", "Reviewer|Poster|Q7", m.score, scale=m.HUNDRED)
    yield long_case("long unknown words", "who|what|how good", m.score, scale=m.HUNDRED)


def _extra_columns() -> Iterator[Case]:
    columns: Extra = {
        "Email": lambda who, item, row: f"{who}@uni.edu",
        "Timestamp": lambda who, item, row: f"2026-03-{row % 28 + 1:02d} 10:12:11",
        "Comments": lambda who, item, row: "clear, but long" if row % 3 else "",
        "Section": lambda who, item, row: row // 7 % 2 + 1,
        "Hours": lambda who, item, row: row % 4 + 1,
        "Confidence": lambda who, item, row: row % 5 + 1,
        "Title": lambda who, item, row: f"On {item}",
        "Word count": lambda who, item, row: 400 + 13 * row % 90,
    }
    usual = ("Email", "Timestamp", "Comments")
    for column, cell in columns.items():
        yield long_case(f"long scores beside {column}", "Reviewer|Submission|Score", m.score, scale=m.TEN,
                        extra={column: cell}, usual=column in usual)
    several = {name: columns[name] for name in usual}
    yield long_case("long ranks beside three", "Student|Poster|Rank", m.rank, extra=several, usual=True)
    truth = small_class("long with student ID", scale=m.TEN, grader=full_name)
    ids = {who: f"{20261000 + place}" for place, who in enumerate(truth.graders)}
    aliases = {number: who for who, number in ids.items()}
    table = rows_of(truth, ["Student ID", "Student", "Project", "Score"],
                    lambda who, item: [ids[who], who, item, m.score(truth, who, item)])
    yield csv_case("long with student ID", truth.but(aliases=aliases, silent=("Student ID", "Student")), table)
    for column in ("Team", "Group", "Author", "Owner"):
        yield long_case(f"long item called {column}", f"Student|{column}|Points", m.score, scale=m.HUNDRED,
                        people={"item": team}, usual=column in ("Team", "Group"))
    yield long_case("long own team beside", "Student|Project|Score", m.score, scale=m.TEN,
                    extra={"Team": lambda who, item, row: f"Team {who[-1]}"})


def _codes() -> Iterator[Case]:
    """Numbers that mean not reviewed, and the same numbers where they mean themselves."""
    for code in ("0", "0,0", "0/10", "-1", "99", "999", "-9"):
        yield long_case(f"long {code} is not reviewed", "Reviewer|Poster|Score", m.score, scale=m.TEN,
                        code=lambda row, code=code: code)
    yield long_case("long 77 and 88", "Reviewer|Poster|Rating", m.score, scale=m.TEN,
                    code=lambda row: ("77", "88")[row % 2])
    yield long_case("long ranks with 0", "Reviewer|Poster|Rank", m.rank, code=lambda row: "0")
    yield long_case("long ranks with 99", "Reviewer|Poster|Rank", m.rank, code=lambda row: "99")
    for code in ("", "-", "n/a", "not reviewed"):
        yield long_case(f"long {code or 'empty'} for none", "Reviewer|Poster|Score", m.score, scale=m.HUNDRED,
                        code=lambda row, code=code: code, usual=True)
    for code in ("own", "X", "absent"):
        yield long_case(f"long {code} for none", "Reviewer|Poster|Score", m.score, scale=m.HUNDRED,
                        code=lambda row, code=code: code)
    yield long_case("long zeros are scores", "Reviewer|Poster|Score", m.score, scale=(0, 5, 1), people={"floor": 0.0})
    yield long_case("long minus one is a score", "Reviewer|Paper|Score", m.score, scale=(-3, 3, 1), people={"floor": 0.0})


def _shapes() -> Iterator[Case]:
    yield long_case("long filled down", "Reviewer|Poster|Score", m.score, scale=m.TEN, fill_down=True)
    yield long_case("long integer items", "Reviewer|Paper|Score", m.score, scale=m.HUNDRED, usual=True,
                    people={"item": str, "items": 12, "graders": 12, "reviews": 5})
    yield long_case("long integers everywhere", "Reviewer|Paper|Rank", m.rank, usual=True,
                    people={"item": str, "items": 8, "grader": lambda n: str(100 + n), "graders": 9})
    yield long_case("long letters with blanks", "Reviewer|Poster|Rank", m.rank, usual=True,
                    people={"item": letter, "grader": email})
    yield _twice("long the same rows twice", again=lambda value: value)
    yield _twice("long submitted again", again=lambda value: 1 + value % 10)
    yield _respelled("long other case and blanks", lambda item, row: (item, item.lower(), f" {item}  ")[row % 3])
    yield _respelled("long with hyphens", lambda item, row: (item, item.replace(" ", "-"))[row % 2])

    yield _tasks("long two tasks", "Task")
    yield _tasks("long two assignments", "Assignment")
    truth = small_class("long ranks and scores", scale=m.HUNDRED)
    table = rows_of(truth, ["Reviewer", "Poster", "Rank", "Score"],
                    lambda who, item: [who, item, m.rank(truth, who, item), m.score(truth, who, item)])
    yield csv_case("long ranks and scores", truth, table, usual=True)
    table = rows_of(truth, ["Score", "Submission", "Reviewer"], lambda who, item: [m.score(truth, who, item), item, who])
    yield csv_case("long value first", truth, table, usual=True)
    yield _headless("long without header, ranks", m.rank)
    yield _headless("long without header, scores", m.score, scale=m.HUNDRED)
    markup = {"item": lambda number: (":star: {}", "[bold] {}", "=P{}", "50 % {}")[number % 4].format(number)}
    yield long_case("long labels with signs", "Reviewer|Poster|Rank", m.rank, people=markup, usual=True)



def _twice(name: str, again: Callable[[float], float]) -> Case:
    """The last row counts; where a grader thought again, the order may be another one."""
    truth = small_class(name, scale=m.TEN)
    scores = {who: dict(given) for who, given in (truth.scores or {}).items()}
    table = review_table(truth, ("Reviewer", "Poster", "Score"), m.score,
                         extra={"Timestamp": lambda who, item, row: f"2026-03-01 10:{row:02d}:00"})
    for row in [row for row in table.rows[1:] if row.keys[0][0] == "s02"]:
        _, item, value, _ = row.cells
        scores["s02"][str(item)] = again(float(str(value)))
        cells = ["s02", item, f"{scores['s02'][str(item)]:g}", "2026-03-02 09:00:00"]
        table.add(cells, ("s02", 0))
    table.rows = [Row(row.cells, maybe=row.keys) if row.keys == (("s02", 0),) else row for row in table.rows]
    orders = {who: [tiers_of(given)] for who, given in scores.items()}
    return csv_case(name, truth.but(scores=scores, orders=orders, ignored=("Timestamp",)), table)


def _respelled(name: str, spell: Callable[[str, int], str]) -> Case:
    truth = small_class(name, item=team)
    table = review_table(truth, ("Reviewer", "Team", "Rank"), m.rank)
    for number, row in enumerate(table.rows[1:]):
        row.cells[1] = spell(row.cells[1], number)  # type: ignore[index]
    return csv_case(name, truth.but(fold=True), table)


def _tasks(name: str, column: str) -> Case:
    one, two = small_class(name), small_class(f"{name} 2", item="Q{}".format)
    table = Table([column, "Student", "Poster", "Rank"])
    for place, (task, truth) in enumerate((("week 1", one), ("week 2", two))):
        for who in truth.graders:
            key = (who, place if who in one.orders else 0)
            for item in truth.saw(who):
                table.add([task, who, item, m.rank(truth, who, item)], key)
    graders = sorted({*one.graders, *two.graders})
    orders = {who: [*one.orders.get(who, []), *two.orders.get(who, [])] for who in graders}
    return csv_case(name, Truth(orders, one.items + two.items, graders), table, usual=True)


def _headless(name: str, mark: Mark, **people: Any) -> Case:
    truth = small_class(name, **people)
    table = review_table(truth, ("", "", ""), mark)
    del table.rows[0]
    return csv_case(name, truth, table)
