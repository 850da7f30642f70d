"""Makers of files as forms, surveys and learning platforms export them: headers, rows and quirks.

All of them hold the same opinions, in the order of `OPINIONS`, best first.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

OPINIONS = {
    "ada@uni.edu": ["Poster B", "Poster A", "Poster D", "Poster C"],
    "bob@uni.edu": ["Poster B", "Poster D", "Poster A", "Poster C"],
    "cyd@uni.edu": ["Poster A", "Poster B", "Poster D", "Poster C"],
    "dan@uni.edu": ["Poster D", "Poster B", "Poster A", "Poster C"],
}
ITEMS = ["Poster A", "Poster B", "Poster C", "Poster D"]
ORDERS = sorted((grader, [[item] for item in order]) for grader, order in OPINIONS.items())


def as_csv(rows: Sequence[Sequence[object]], delimiter: str = ",", *, quote_all: bool = False) -> bytes:
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n", quoting=quoting).writerows(rows)
    return text.getvalue().encode()


def as_workbook(sheets: dict[str, Sequence[Sequence[object]]]) -> bytes:
    import xlsxwriter

    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as workbook:
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for number, row in enumerate(rows):
                for column, cell in enumerate(row):
                    if cell is not None:
                        sheet.write(number, column, cell)
    return stream.getvalue()


def rank_in(order: Sequence[str], item: str) -> int:
    return order.index(item) + 1


# -- Google Forms -----------------------------------------------------------------------------------


def google_grid_of_ranks() -> bytes:
    """A multiple-choice grid: a row per poster, a column per rank."""
    questions = [f"Rank the posters you saw [{item}]" for item in ITEMS]
    head = ["Timestamp", "Email Address", *questions, "Comments"]
    rows = [
        [f"2026/03/0{day} 10:12:1{day} AM GMT+1", who, *(rank_in(order, item) for item in ITEMS), "nice, all"]
        for day, (who, order) in enumerate(OPINIONS.items(), 1)
    ]
    return as_csv([head, *rows], quote_all=True)


def google_grid_of_places() -> bytes:
    """The same the other way round: a row per place, the posters to choose from."""
    places = ("1st choice", "2nd choice", "3rd choice", "4th choice")
    head = ["Timestamp", "Email Address", *(f"Your ranking [{place}]" for place in places)]
    rows = [["2026/03/01 10:12:11 AM GMT+1", who, *order] for who, order in OPINIONS.items()]
    return as_csv([head, *rows])


def google_best_second_third() -> bytes:
    """A drop-down question per place."""
    places = ["Best poster", "Second best poster", "Third best poster", "Worst poster"]
    head = ["Timestamp", "Username", *places, "Why?"]
    rows = [["3/1/2026 10:12:11", who, *order, "clear; short"] for who, order in OPINIONS.items()]
    return as_csv([head, *rows])


def google_rating_grid() -> bytes:
    """A linear scale in a grid, and an answer that is left open."""
    questions = [f"How good is it? (1 = poor, 5 = excellent) [{item}]" for item in ITEMS]
    head = ["Timestamp", "Email Address", *questions]
    rows = [
        ["2026/03/01 10:12:11 AM GMT+1", who, *(6 - rank_in(order, item) for item in ITEMS)]
        for who, order in OPINIONS.items()
    ]
    return as_csv([head, *rows])


def google_numbered_columns() -> bytes:
    """A question per rank, and the name as a question of its own."""
    head = ["Timestamp", "Your name", "Rank 1", "Rank 2", "Rank 3", "Rank 4"]
    rows = [["2026/03/01 10:12:11 AM GMT+1", who, *order] for who, order in OPINIONS.items()]
    return as_csv([head, *rows])


# -- Microsoft Forms --------------------------------------------------------------------------------


def microsoft_ranking() -> bytes:
    """A workbook with a ranking in one cell, every item followed by a semicolon."""
    return _microsoft({who: [who, who.split("@")[0].title()] for who in OPINIONS})


def microsoft_anonymous_ranking() -> bytes:
    return _microsoft({who: ["anonymous", None] for who in OPINIONS})


def _microsoft(names: dict[str, list[str | None]]) -> bytes:
    head = ["ID", "Start time", "Completion time", "Email", "Name", "Rank the posters, best on top"]
    rows = [
        [number, 46000.41, 46000.42, *names[who], "".join(f"{item};" for item in order)]
        for number, (who, order) in enumerate(OPINIONS.items(), 1)
    ]
    return as_workbook({"Form1": [head, *rows]})


# -- Qualtrics --------------------------------------------------------------------------------------

QUALTRICS = ["StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "Finished",
             "RecordedDate", "ResponseId", "RecipientLastName", "RecipientFirstName", "RecipientEmail",
             "ExternalReference", "LocationLatitude", "LocationLongitude", "DistributionChannel",
             "UserLanguage"]  # fmt: skip
QUALTRICS_TEXTS = ["Start Date", "End Date", "Response Type", "IP Address", "Progress",
                   "Duration (in seconds)", "Finished", "Recorded Date", "Response ID", "Recipient Last Name",
                   "Recipient First Name",
                   "Recipient Email", "External Data Reference", "Location Latitude", "Location Longitude",
                   "Distribution Channel", "User Language"]  # fmt: skip


def _qualtrics(
    names: list[str], texts: list[str], answers: list[list[object]], *, emails: bool = True
) -> bytes:
    ids = [f'{{"ImportId":"{name[:1].lower()}{name[1:]}"}}' for name in QUALTRICS]
    ids += [f'{{"ImportId":"QID{number}_{number}"}}' for number in range(len(names))]
    rows: list[list[object]] = [[*QUALTRICS, *names], [*QUALTRICS_TEXTS, *texts], ids]
    for number, (who, given) in enumerate(zip(OPINIONS, answers, strict=True)):
        system = ["2026-03-01 10:00:00", "2026-03-01 10:05:00", "IP Address", "10.0.0.1", "100", "300",
                  "True", "2026-03-01 10:05:01", f"R_{number:012d}", "", "", who if emails else "", "",
                  "48.1", "11.5", "email", "EN"]  # fmt: skip
        rows.append([*system, *given])
    preview = ["2026-02-27 09:00:00", "2026-02-27 09:01:00", "Survey Preview", "", "100", "60", "True",
               "2026-02-27 09:01:00", "R_preview", "", "", "", "", "48.1", "11.5", "preview",
               "EN"]  # fmt: skip
    rows.append([*preview, *answers[0][::-1]])
    return as_csv(rows, quote_all=True)


def qualtrics_rank_order(*, emails: bool = True) -> bytes:
    names = [f"Q3_{number}" for number in range(1, 5)]
    texts = [f"Please rank the posters by dragging them. - {item}" for item in ITEMS]
    answers = [[rank_in(order, item) for item in ITEMS] for order in OPINIONS.values()]
    return _qualtrics(names, texts, answers, emails=emails)


def qualtrics_side_by_side() -> bytes:
    """Two columns for every poster: quality and clarity. Only the instructor knows which is the grade."""
    names = [f"Q4#{column}_{number}" for column in (1, 2) for number in range(1, 5)]
    texts = [f"Rate every poster - {column} - {item}" for column in ("Quality", "Clarity") for item in ITEMS]
    answers = [
        [*(10 - rank_in(order, item) for item in ITEMS), *(7 for _ in ITEMS)] for order in OPINIONS.values()
    ]
    return _qualtrics(names, texts, answers)


def qualtrics_anonymous() -> bytes:
    return qualtrics_rank_order(emails=False)


# -- learning platforms -----------------------------------------------------------------------------


def moodle_workshop() -> bytes:
    """The grades report, copied from the page: a participant's name only in the first of its rows."""
    head = ["First name / Last name", "Submission / Last modified", "Grades received",
            "Grade for submission (of 80)",
            "Grades given", "Grade for assessment (of 20)"]  # fmt: skip
    rows: list[list[object]] = []
    for item in ITEMS:
        for number, (who, order) in enumerate(OPINIONS.items()):
            grade = 80 - 10 * rank_in(order, item)
            first = [item, f"Our work on {item}"] if number == 0 else ["", ""]
            total = "60" if number == 0 else ""
            rows.append([*first, f"{grade} ({12 + number}) < {who}", total, f"{grade} (16) > x", ""])
    rows.append(["", "", "- (-) < late@uni.edu", "", "", ""])
    return as_csv([head, *rows], "\t")


def canvas_peer_reviews() -> bytes:
    """As the API's peer reviews come: assessor, assessee, the total and the rubric; empty if not written."""
    head = ["Assessee", "Assessor", "Total Score (10)", "Clarity (5)", "Method (5)"]
    rows: list[list[object]] = [
        [item, who, 11 - 2 * rank_in(order, item), 3, 8 - 2 * rank_in(order, item)]
        for who, order in OPINIONS.items()
        for item in ITEMS
    ]
    return as_csv([head, *rows, ["Poster C", "eve@uni.edu", "", "", ""]])


def canvas_gradebook() -> bytes:
    """With the row of points possible, the test student, and columns that are read only."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Poster (4757)", "Final Score"]
    rows = [
        ["    Points Possible", "", "", "", "", "10", "(read only)"],
        ["Lovelace, Ada", "101", "u1", "ada@uni.edu", "01", "9", "90"],
        ["Ray, Bob", "102", "u2", "bob@uni.edu", "01", "", "0"],
        ["Student, Test", "999", "", "", "01", "", ""],
    ]
    return as_csv([head, *rows])


# -- surveys and conferences ------------------------------------------------------------------------


def limesurvey_ranking() -> bytes:
    """Full question texts, a column per place; the last ones empty where fewer were ranked."""
    head = ["Response ID", "Date submitted", "Last page", "Start language", "Seed", "Access code",
            *(f"Please rank the posters. [Rank {place}]" for place in range(1, 6))]  # fmt: skip
    rows = [
        [number, "2026-03-01 10:05:01", 2, "en", 123456789, who, *order, ""]
        for number, (who, order) in enumerate(OPINIONS.items(), 1)
    ]
    return as_csv([head, *rows], ";", quote_all=True)


def cmt_reviews() -> bytes:
    """Microsoft CMT's workbook of reviews: choices with their number first."""
    words = {1: "Strong Reject", 2: "Reject", 3: "Accept", 4: "Strong Accept"}
    head = ["Paper ID", "Paper Title", "Reviewer Number", "Reviewer Name", "Reviewer Email",
            "Q1 (Summary of the paper)", "Q2 (Overall Rating)", "Q3 (Confidence)"]  # fmt: skip
    rows = [
        [item, f"On {item}", f"Reviewer #{number}", who.split("@")[0], who, "It is a poster.",
         f"{5 - rank_in(order, item)} - {words[5 - rank_in(order, item)]}", "3 - sure"]
        for item in ITEMS
        for number, (who, order) in enumerate(OPINIONS.items(), 1)
    ]  # fmt: skip
    return as_workbook({"Reviews": [head, *rows]})


def hotcrp_reviews() -> bytes:
    head = ["paper", "title", "review", "reviewername", "email", "Overall merit", "Reviewer expertise",
            "Comments"]  # fmt: skip
    rows = [
        [item, f"On {item}", f"{item}{letter}", who[:3], who, 6 - rank_in(order, item), 3, "Good, bad"]
        for item in ITEMS
        for letter, (who, order) in zip("ABCD", OPINIONS.items(), strict=True)
    ]
    return as_csv([head, *rows])


# -- files by hand ----------------------------------------------------------------------------------


def chains_in_cells() -> bytes:
    return as_csv(
        [["reviewer", "my ranking"], *([who, " > ".join(order)] for who, order in OPINIONS.items())]
    )


def chains_in_lines() -> bytes:
    return "\n".join(f"{who}: {' > '.join(order)}" for who, order in OPINIONS.items()).encode() + b"\n"


def matrix_under_titles() -> bytes:
    """As spreadsheets look: a title, the date, an empty line, then the table."""
    head = ["Student", *ITEMS]
    rows = [[who, *(100 - 5 * rank_in(order, item) for item in ITEMS)] for who, order in OPINIONS.items()]
    width = len(head) - 1
    titles = [
        ["Peer review, week 1: points of 100", *[""] * width],
        ["1 March 2026", *[""] * width],
        [""] * (width + 1),
    ]
    return as_csv([*titles, head, *rows])


LONG = [
    ["reviewer", "poster", "rank"],
    *([who, item, rank_in(order, item)] for who, order in OPINIONS.items() for item in ITEMS),
]


def workbook_with_a_cover() -> bytes:
    cover = [["Peer review of posters"], ["by the class of 2026"]]
    return as_workbook({"Read me": cover, "Reviews": LONG})


def workbook_with_a_title() -> bytes:
    return as_workbook({"Reviews": [["Peer review of posters"], [], *LONG]})
