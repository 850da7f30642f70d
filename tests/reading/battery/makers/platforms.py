"""Exports of forms, surveys, learning platforms and conference systems, with their headers, rows and quirks."""
# ruff: noqa: E501 - a case per line, up to 130 characters
# fmt: off

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.reading.battery import marks as m
from tests.reading.battery.case import Case, Row, Table, book_case, csv_case
from tests.reading.battery.makers.ballots import chain, ended
from tests.reading.battery.truth import Truth, email, full_name, letter, small_class, tiers_of

System = dict[str, Callable[[int, str], object]]  # a column of the system, and its cell for a grader
GOOGLE: System = {"Timestamp": lambda number, who: "2026/03/01 10:12:11 AM GMT+1", "Email Address": lambda number, who: who}
MICROSOFT: System = {
    "ID": lambda number, who: number, "Start time": lambda number, who: 46000.41,
    "Completion time": lambda number, who: 46000.42, "Email": lambda number, who: who,
    "Name": lambda number, who: full_name(number),
}
LIMESURVEY: System = {
    "Response ID": lambda number, who: number, "Date submitted": lambda number, who: "2026-03-01 10:05:01",
    "Last page": lambda number, who: 2, "Start language": lambda number, who: "en",
    "Seed": lambda number, who: 123456789, "Access code": lambda number, who: who,
}
QUALTRICS = {  # a column of the system, and its question
    "StartDate": "Start Date", "EndDate": "End Date", "Status": "Response Type", "IPAddress": "IP Address",
    "Progress": "Progress", "Duration (in seconds)": "Duration (in seconds)", "Finished": "Finished",
    "RecordedDate": "Recorded Date", "ResponseId": "Response ID", "RecipientLastName": "Recipient Last Name",
    "RecipientFirstName": "Recipient First Name", "RecipientEmail": "Recipient Email",
    "ExternalReference": "External Data Reference", "LocationLatitude": "Location Latitude",
    "LocationLongitude": "Location Longitude", "DistributionChannel": "Distribution Channel",
    "UserLanguage": "User Language",
}
FORM: dict[str, Any] = {"grader": email, "item": letter}


def answers(truth: Truth, system: System, heads: Sequence[str], cells: Callable[[str], Sequence[object]]) -> Table:
    """One row per answer."""
    table = Table([*system, *heads])
    for number, who in enumerate(truth.graders, 1):
        table.add([*(cell(number, who) for cell in system.values()), *cells(who)], (who, 0))
    return table


def named(truth: Truth, system: System | Sequence[str]) -> Truth:
    """Number, address and name of an answer tell people apart alike."""
    aliases = {alias: who for number, who in enumerate(truth.graders, 1) for alias in (full_name(number), str(number))}
    return truth.but(aliases=aliases, silent=tuple(system))


def cases() -> Iterator[Case]:
    yield from _google()
    yield from _microsoft()
    yield from _qualtrics()
    yield from _limesurvey()
    yield from _learning_platforms()
    yield from _conferences()


def _google() -> Iterator[Case]:
    low_best, words, five, steps = m.Ladder(m.LOW_BEST), m.Ladder(m.ENGLISH), {"scale": m.FIVE}, {"scale": m.STEPS}
    grids: list[tuple[str, m.Mark, dict[str, Any], bool]] = [
        ("Rank the posters you saw [{}]", m.rank, {}, True),
        ("Rank the posters (1 = best) [{}]", m.ordinal, {}, True),
        ("Rank the posters (5 = best) [{}]", m.last_is_best, {"reviews": 5}, False),
        ("How good is it? (1 = poor, 5 = excellent) [{}]", m.score, five, True),
        ("How good is it? (1 = excellent, 5 = poor) [{}]", low_best, steps, True),
        ("How good is it? [{}]", words, steps, False),
        ("How good is it? [{}]", m.score, five, False),
        ("How good is it? [{}]", low_best, steps, False),
        ("Posters [{}]", m.rank, {"reviews": -1}, False),
        ("Posters [{}]", m.last_is_best, {"reviews": -1}, False),
    ]
    for number, (head, mark, people, usual) in enumerate(grids):
        name = f"Google grid {number} {head}"
        truth = small_class(name, **FORM, **people)
        table = _grid(truth, mark, head)
        yield csv_case(name, m.meant(truth, mark).but(silent=("Timestamp",)), table, quote_all=True, usual=usual)
    for question in ("Any comments?", "Weitere Anmerkungen:", "Autres commentaires"):
        truth = small_class(question, **FORM)
        head = [*(f"Rank the posters [{item}]" for item in truth.items), question]
        table = answers(truth, GOOGLE, head, lambda who, truth=truth: [*m.cells(truth, m.rank, who), "well done"])
        yield csv_case(f"Google grid and {question}", truth.but(silent=("Timestamp", question)), table, usual=True)
    for name, heads, turned in (
        ("Google places", [f"Your ranking [{place} choice]" for place in ("1st", "2nd", "3rd")], False),
        ("Google best first", ["Best poster", "Second best poster", "Third best poster"], False),
        ("Google worst first", ["Worst poster", "Middle poster", "Best poster"], True),
    ):
        truth = small_class(name, **FORM, reviews=3)
        table = answers(truth, GOOGLE, [*heads, "Why?"],
                        lambda who, truth=truth, step=-1 if turned else 1: [*truth.flat(who)[::step], "clear; short"])
        yield csv_case(name, truth.but(silent=("Timestamp", "Why?")), table, usual=not turned)
    yield _submitted_twice("Google form sent twice", "Rank the posters (1 = best) [{}]")
    truth = small_class("Google boxes ticked", **FORM)
    table = answers(truth, GOOGLE, ["Which posters did you see?"], lambda who: [", ".join(truth.saw(who))])
    yield csv_case("Google boxes ticked", None, table, refusable="ticked boxes, in the order of the form, are no ranking")


def _grid(truth: Truth, mark: m.Mark, head: str) -> Table:
    return answers(truth, GOOGLE, [head.format(item) for item in truth.items], lambda who: m.cells(truth, mark, who))


def _submitted_twice(name: str, head: str) -> Case:
    """The last answer counts: somebody has to say so, for the form keeps both."""
    truth = small_class(name, **FORM)
    table = _grid(truth, m.rank, head)
    last = table.rows[2]
    ((who, _),) = last.keys
    table.rows[2] = Row([*last.cells[:2], *m.cells(truth, m.last_is_best, who)], maybe=last.keys)
    table.add(["2026/03/02 09:00:00 AM GMT+1", *last.cells[1:]], *last.keys)
    return csv_case(name, truth.but(silent=("Timestamp",)), table, quote_all=True)


def _microsoft() -> Iterator[Case]:
    for question, turned, usual in (
        ("Rank the posters, best on top", False, True), ("Rank the posters from best to worst", False, True),
        ("Rank the posters, worst on top", True, False), ("Rank the posters", False, True),
        ("Bringen Sie die Poster in eine Reihenfolge (bestes zuerst)", False, True),
    ):
        name = f"Microsoft {question}"
        truth = small_class(name, **FORM)
        table = answers(truth, MICROSOFT, [question],
                        lambda who, truth=truth, step=-1 if turned else 1: [ended(truth.only(who)[::step])])
        yield book_case(name, named(truth, MICROSOFT), {"Form1": table}, usual=usual)
    truth, nameless = small_class("Microsoft anonymous", **FORM), dict(MICROSOFT)
    nameless |= {"Email": lambda number, who: "anonymous", "Name": lambda number, who: None}
    table = answers(truth, nameless, ["Rank the posters, best on top"], lambda who: [ended(truth.only(who))])
    anonymous = truth.but(anonymous=True, silent=tuple(MICROSOFT))
    yield book_case("Microsoft anonymous", anonymous, {"Form1": table}, usual=True)
    marks: dict[str, tuple[m.Mark, Any]] = {
        "Microsoft Likert in words": (m.Ladder(m.ENGLISH), m.STEPS), "Microsoft ratings": (m.score, m.FIVE),
        "Microsoft ratings, 1 best": (m.Ladder(m.LOW_BEST), m.STEPS),
    }
    for name, (mark, scale) in marks.items():
        truth = small_class(name, **FORM, scale=scale)
        rows = {who: [int(cell) if cell.isdigit() else cell or None for cell in m.cells(truth, mark, who)]
                for who in truth.graders}
        table = answers(truth, MICROSOFT, truth.items, rows.__getitem__)
        yield book_case(name, named(m.meant(truth, mark), MICROSOFT), {"Form1": table})


def _qualtrics() -> Iterator[Case]:
    for name, text, mark, people, usual in (
        ("Qualtrics rank order", "Please rank the posters by dragging them. - {}", m.rank, {"reviews": -1}, True),
        ("Qualtrics ranks, last best", "Order them, 1 = worst - {}", m.last_is_best, {"reviews": -1}, False),
        ("Qualtrics matrix", "Rate every poster (1 = poor, 5 = excellent) - {}", m.score, {"scale": m.FIVE}, True),
        ("Qualtrics matrix, 1 best", "Rate every poster (1 = excellent, 5 = poor) - {}", m.Ladder(m.LOW_BEST),
         {"scale": m.STEPS}, True),
        ("Qualtrics anonymous", "Please rank the posters. - {}", m.rank, {"reviews": -1}, True),
        ("Qualtrics sliders", "Score of each poster - {}", m.score, {"scale": m.HUNDRED}, True),
    ):
        truth = small_class(name, **FORM, **people)
        ids = [f'{{"ImportId":"{column[:1].lower()}{column[1:]}"}}' for column in QUALTRICS]
        ids += [f'{{"ImportId":"QID3_{number}"}}' for number in range(len(truth.items))]
        names = [f"Q3_{number}" for number in range(1, len(truth.items) + 1)]
        table = Table([*QUALTRICS, *names], [*QUALTRICS.values(), *(text.format(item) for item in truth.items)], ids)
        anonymous = name == "Qualtrics anonymous"
        for number, who in enumerate(truth.graders):
            system = _qualtrics_system("IP Address", f"R_{number:012d}", "" if anonymous else who, "email")
            table.add([*system, *m.cells(truth, mark, who)], (who, 0))
        table.add([*_qualtrics_system("Survey Preview", "R_preview", "", "preview"), *m.cells(truth, mark, who)[::-1]])
        silent = tuple({*QUALTRICS, *QUALTRICS.values(), "Survey Preview"})
        truth = m.meant(truth, mark).but(silent=silent, anonymous=anonymous)
        yield csv_case(name, truth, table, quote_all=True, usual=usual)


def _qualtrics_system(kind: str, answer: str, who: str, channel: str) -> list[str]:
    return ["2026-03-01 10:00:00", "2026-03-01 10:05:00", kind, "10.0.0.1", "100", "300", "True", "2026-03-01 10:05:01",
            answer, "", "", who, "", "48.1", "11.5", channel, "EN"]


def _limesurvey() -> Iterator[Case]:
    people: dict[str, Any] = {"grader": "t{:03d}x".format, "item": letter}
    for name, turned, question in (
        ("LimeSurvey ranking", False, "Please rank the posters. [Rank {}]"),
        ("LimeSurvey Rangfolge", False, "Bitte ordnen Sie die Poster. [Rang {}]"),
        ("LimeSurvey worst first", True, "Please rank the posters, the worst first. [Rank {}]"),
    ):
        truth = small_class(name, **people, reviews=4)
        table = answers(truth, LIMESURVEY, [question.format(place) for place in range(1, 5)],
                        lambda who, truth=truth, step=-1 if turned else 1: truth.flat(who)[::step])
        yield csv_case(name, named(truth, LIMESURVEY), table, delimiter=";", quote_all=True, usual=not turned)
    truth = small_class("LimeSurvey array", **people, scale=m.FIVE)
    heads = [f"Points from 1 (poor) to 5 (very good) [{item}]" for item in truth.items]
    table = answers(truth, LIMESURVEY, heads, lambda who: m.cells(truth, m.score, who))
    yield csv_case("LimeSurvey array", named(truth, LIMESURVEY), table, delimiter=";", quote_all=True, usual=True)


def _learning_platforms() -> Iterator[Case]:
    late = "Late Student"
    truth = small_class("Canvas peer reviews", scale=m.TEN, grader=full_name, item=letter)
    table = Table(["Assessee", "Assessor", "Total Score (10)", "Clarity (5)", "Method (5)"])
    for who in truth.graders:
        for item in truth.saw(who):
            total = truth.score(who, item)
            table.add([item, who, f"{total:g}", "2", f"{total - 2:g}"], (who, 0))
    table.add([truth.items[0], late, "", "", ""])
    truth = truth.but(silent=("Clarity (5)", "Method (5)", late), graders=[*truth.graders, late])
    yield csv_case("Canvas peer reviews", truth, table, usual=True)
    truth = small_class("Moodle Workshop", scale=(0, 80, 5), grader=full_name, item=letter)
    head = ["First name / Last name", "Submission / Last modified", "Grades received", "Grade for submission (of 80)",
            "Grades given", "Grade for assessment (of 20)"]
    table = Table(head)
    for item in truth.items:
        for place, who in enumerate(who for who in truth.graders if item in truth.saw(who)):
            first = ["", "", ""] if place else [item, f"Our work on {item}", "60"]
            given = f"{truth.score(who, item):g} (12) < {who}"
            table.add([*first[:2], given, first[2], "55 (16) > x", ""], (who, 0))
    table.add(["", "", f"- (-) < {late}", "", "", ""])
    truth = truth.but(graders=[*truth.graders, late], silent=tuple(head))
    yield csv_case("Moodle Workshop", truth, table, delimiter="\t", usual=True)



def _conferences() -> Iterator[Case]:
    words = ("Strong Reject", "Reject", "Borderline", "Accept", "Strong Accept")
    papers: dict[str, Any] = {"grader": email, "item": lambda number: str(1500 + number), "scale": m.FIVE}
    head = ["Paper ID", "Paper Title", "Reviewer Number", "Reviewer Name", "Reviewer Email", "Q1 (Summary of the paper)",
            "Q2 (Overall Rating)", "Q3 (Confidence)"]
    for name, turned in (("CMT reviews", False), ("CMT, 1 is strong accept", True)):
        truth, table = small_class(name, **papers), Table(head)
        for item, number, who in _reviews(truth):
            value = int(truth.score(who, item))
            choice = f"{value} - {words[-value if turned else value - 1]}"
            reviewer = [f"Reviewer #{number}", full_name(number), who]
            table.add([int(item), f"On {item}", *reviewer, "It is a poster.", choice, "3 - sure"], (who, 0))
        if turned:
            orders = {who: [tiers_of(given, lower=True)] for who, given in (truth.scores or {}).items()}
            truth = truth.but(orders=orders, scores=None)
        yield book_case(name, named(truth, head), {"Reviews": table}, usual=not turned)
    truth = small_class("HotCRP reviews", **papers)
    head = ["paper", "title", "review", "reviewername", "email", "Overall merit", "Reviewer expertise", "Comments"]
    table = Table(head)
    for item, number, who in _reviews(truth):
        review = f"{item}{'ABCDEFGHIJKL'[number - 1]}"
        table.add([item, f"On {item}", review, full_name(number), who, m.score(truth, who, item), 3, "Good, bad"], (who, 0))
    yield csv_case("HotCRP reviews", named(truth, head), table, usual=True)
    truth = small_class("a ballot of a mailing list", grader=email)
    sent: System = {"From": lambda number, who: who, "Date": lambda number, who: "2026-03-01"}
    table = answers(truth, sent, ["Ballot"], lambda who: [chain(" > ")(truth.only(who))])
    yield csv_case("a ballot of a mailing list", truth.but(ignored=("Date",)), table)


def _reviews(truth: Truth) -> Iterator[tuple[str, int, str]]:
    """Sorted by paper, as conference systems do."""
    for item in truth.items:
        yield from ((item, number, who) for number, who in enumerate(truth.graders, 1) if item in truth.saw(who))
