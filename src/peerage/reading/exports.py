"""Exports of forms, surveys and learning platforms, made plain before they are read.

A class here knows the tables that one system wrote (`suits`) and takes away what only that system needs
(`clean`): columns of times and addresses, header rows, test students. What is left is one of the layouts. To
add one, write a class and enter it in `formats.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from peerage._options import named
from peerage._words import plural
from peerage.errors import DataError, Problem
from peerage.reading.columns import select_question
from peerage.reading.formats import EXPORTS
from peerage.reading.table import (
    CleanedTable,
    InputTable,
    add_notes,
    select_columns,
    select_rows,
    with_frame,
)

_ASKED_FOR_NAME = re.compile(
    r"(?:what is |please enter |enter )?(?:your |student'?s? |full |first and last |last )*"
    r"(?:name|e-?mail(?: address)?|(?:student |matriculation |user |login |net ?)?(?:id|number|no\.?)|"
    r"user ?name|login|group|team|registration number)\s*[?:*]?",
    re.IGNORECASE,
)
_ANONYMOUS = ("anonymous",)


def clean_export(
    table: InputTable, column_names: Mapping[str, str], question: str | None = None
) -> tuple[InputTable, dict[str, str]]:
    """The table without what the system that exported it has added, and the roles known from that."""
    for export in EXPORTS.values():
        if export.reader.suits(table):
            cleaned = export.reader.clean(table, column_names)
            table = add_notes(cleaned.table, f"read as an export of {export.words}")
            column_names = {**cleaned.roles, **column_names}
            break
    return select_question(table, question), dict(column_names)


# -- forms and surveys ------------------------------------------------------------------------------------


class GoogleForms:
    """A timestamp, perhaps an e-mail address, then the questions; grids are `Question [Row]`."""

    TIMESTAMP = ("timestamp", "zeitstempel", "horodateur", "marca temporal", "carimbo de data/hora",
                 "informazioni cronologiche", "tijdstempel", "tidsstämpel", "aikaleima", "sygnatura czasowa",
                 "отметка времени", "タイムスタンプ", "时间戳记")  # fmt: skip
    PEOPLE = ("Email Address", "Email address", "Username", "E-Mail-Adresse", "Adresse e-mail",
              "Dirección de correo electrónico", "Nom d'utilisateur", "Nutzername")  # fmt: skip

    def suits(self, table: InputTable) -> bool:
        return _folded(table.header[0]) in self.TIMESTAMP

    def clean(self, table: InputTable, column_names: Mapping[str, str]) -> CleanedTable:
        """Without the times and the points of a quiz."""
        return _clean_form(table, column_names, system=(table.header[0],), people=self.PEOPLE)


class MicrosoftForms:
    """An Excel file with `ID`, times, `Email` and `Name` before the questions.

    A ranking is one cell with the items best first, each followed by a semicolon.
    """

    SYSTEM = ("Start time", "Completion time", "Last modified time", "Total points", "Quiz feedback",
              "Language", "Grade posted time", "ID")  # fmt: skip

    def suits(self, table: InputTable) -> bool:
        return {"start time", "completion time"} <= _folded_header(table)

    def clean(self, table: InputTable, column_names: Mapping[str, str]) -> CleanedTable:
        """Without times; people by their address or name, or by the number of their answer."""
        number = _first_named(table, "id")
        return _clean_form(table, column_names, system=self.SYSTEM, people=("Email", "Name"), fallback=number)


class LimeSurvey:
    """`id` and dates before the questions. A ranking has a column per place, `Question [Rank 1]`."""

    SYSTEM = (
        "id", "Response ID", "submitdate", "Date submitted", "lastpage", "Last page", "startlanguage",
        "Start language", "seed", "Seed", "startdate", "Date started", "datestamp", "Date last action",
        "ipaddr", "IP address", "refurl", "Referrer URL",
    )  # fmt: skip
    PEOPLE = ("token", "Access code", "email", "Email address")

    def suits(self, table: InputTable) -> bool:
        """Whether the system's columns are there, under their short or their long names."""
        names = _folded_header(table)
        return bool(names & {"submitdate", "date submitted"}) and bool(
            names & {"startlanguage", "start language"}
        )

    def clean(self, table: InputTable, column_names: Mapping[str, str]) -> CleanedTable:
        """Without dates and languages; people by their access code, or by the number of their answer."""
        number = _first_named(table, "id", "response id")
        return _clean_form(table, column_names, system=self.SYSTEM, people=self.PEOPLE, fallback=number)


class Qualtrics:
    """Three header rows (names, questions, import ids) and a dozen columns about the answer itself.

    Of `Q3_2` the second row says `Rank these posters - Poster B`: the question, a dash, what it is about.
    Questions side by side have names such as `Q4#1_2`.
    """

    SYSTEM = (
        "StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "Finished",
        "RecordedDate", "ResponseId", "RecipientLastName", "RecipientFirstName", "RecipientEmail",
        "ExternalReference", "ExternalDataReference", "LocationLatitude", "LocationLongitude",
        "DistributionChannel", "UserLanguage", "Q_RecaptchaScore", "Q_TotalDuration",
    )  # fmt: skip
    PEOPLE = ("RecipientEmail", "ExternalReference", "ExternalDataReference")
    PREVIEWS = ("1", "survey preview", "preview", "spam", "8")
    _PART = re.compile(r"(.+?)(?:#(\d+))?_(\d+)(?:_TEXT|_\d+)?")

    def suits(self, table: InputTable) -> bool:
        """Whether the columns are named as Qualtrics does, and the rows of questions and ids follow."""
        names = _folded_header(table)
        if "responseid" not in names and not {"startdate", "recordeddate"} <= names:
            return False
        return self._header_rows(table) > 0

    def _header_rows(self, table: InputTable) -> int:
        """How many of the first rows are still header: 2 now, 1 in older exports."""
        first = table.first_rows(range(len(table.header)), 2)
        texts = [[str(cell or "") for cell in row] for row in first.rows()]
        if len(texts) > 1 and all("importid" in cell.lower() for cell in texts[1] if cell):
            return 2
        by_name = dict(zip(map(_folded, table.header), texts[0] if texts else [], strict=False))
        return 1 if _folded(by_name.get("responseid", "")) in ("response id", "responseid") else 0

    def clean(self, table: InputTable, column_names: Mapping[str, str]) -> CleanedTable:
        """The questions as names, without header rows, previews, and what is about the answer itself."""
        header_rows = self._header_rows(table)
        first = table.first_rows(range(len(table.header)), 1)
        questions = [" ".join(str(cell or "").split()) for cell in first.row(0)]
        count = len(table.text(0))
        answers = select_rows(table, np.arange(header_rows, count, dtype=np.int64))
        note = f"{header_rows} more header rows of Qualtrics left out"
        answers = add_notes(answers, note if header_rows > 1 else "1 more header row left out")
        answers = self._without_previews(answers)
        by_name = dict(zip(table.header, questions, strict=True))
        cleaned = _clean_form(
            answers,
            column_names,
            system=self.SYSTEM,
            people=self.PEOPLE,
            fallback=_first_named(table, "responseid"),
            questions=by_name,
        )
        return CleanedTable(self._with_questions(cleaned.table, by_name), cleaned.roles)

    def _without_previews(self, table: InputTable) -> InputTable:
        for which, name in enumerate(table.header):
            if _folded(name) == "status":
                is_preview = table.text(which).str.to_lowercase().is_in(self.PREVIEWS)
                return _drop_rows(table, is_preview, "previews of the survey, no answers")
        return table

    def _with_questions(self, table: InputTable, questions: Mapping[str, str]) -> InputTable:
        """`Rank these - Poster B` as `Rank these [Poster B]`; order of display and timing are no answers."""
        kept, names = [], []
        for which, name in enumerate(table.header):
            if re.search(r"_DO(_|$)|_(?:First|Last) Click$|_Page Submit$|_Click Count$", name):
                continue
            kept.append(which)
            names.append(self._name(name, questions.get(name, "")))
        return select_columns(table, kept, names)

    def _name(self, name: str, question: str) -> str:
        part = self._PART.fullmatch(name)
        if part is None or " - " not in question or _folded(name) in map(_folded, self.SYSTEM):
            return name
        text, _, item = question.rpartition(" - ")
        if part[2] is not None and " - " in text:
            text = text.replace(
                " - ", ": "
            )  # side by side: question - column - row, or question - row - column
        return f"{text} [{item}]"


# -- learning platforms -----------------------------------------------------------------------------------


class Canvas:
    """The table of peer reviews that its API gives (assessor, assessee, total score), and its grade book.

    A grade book holds one grade per student and no reviews. It serves as a roster; as feedback it is refused.
    """

    def suits(self, table: InputTable) -> bool:
        """Whether it is either of the two."""
        return _is_canvas_gradebook(table) or {"assessor", "assessee"} <= _folded_header(table)

    def clean(self, table: InputTable, column_names: Mapping[str, str]) -> CleanedTable:
        """Peer reviews without those that were never written."""
        if _is_canvas_gradebook(table):
            rule = "this is a Canvas grade book: it has a grade per student, and no reviews"
            fix = f"give it as {named('roster')}, and the reviews as the file; see docs/reference/data.md"
            raise DataError(Problem(rule, fix=fix), source=table.source)
        roles = {
            role: next(name for name in table.header if _folded(name) == word)
            for role, word in (("grader", "assessor"), ("item", "assessee"))
        }
        scores = (name for name in table.header if _folded(name).startswith(("total score", "score")))
        total = next(scores, None)
        if total is not None and column_names.get("score") in (None, "", total):
            empty = table.text(table.header.index(total)).is_null()
            table = _drop_rows(table, empty, "reviews that were not written yet")
            roles["score"] = total
        return CleanedTable(table, roles)


def _is_canvas_gradebook(table: InputTable) -> bool:
    names = [_folded(name) for name in table.header]
    return names[:2] == ["student", "id"] and bool({"sis login id", "section", "sis user id"} & set(names))


def canvas_roster(table: InputTable) -> InputTable:
    """The people of a grade book: without the row of points possible and without the test student."""
    if not _is_canvas_gradebook(table):
        return table
    names = table.text(0).str.to_lowercase()
    table = _drop_rows(table, names == "points possible", "the points possible of Canvas")
    names = table.text(0).str.to_lowercase()
    is_test = (names == "student, test") | (names == "test student")
    return _drop_rows(table, is_test, "the test student of Canvas")


class MoodleWorkshop:
    """The grades report, a row per participant and grade received: `60 (16) < Ada Lovelace`.

    60 is the grade that Ada gave, 16 the grade for her assessment, which is no opinion on the work. The name
    of the participant stands in the first of its rows; what a participant submitted is known by that name.
    """

    _GRADE = re.compile(
        r"(?P<grade>-|[\d.,]+)\s*(?:\((?P<for_it>[^()]*)\))?\s*(?:@\s*[\d.,]+)?\s*<\s*(?P<who>\S.*)",
        re.DOTALL,
    )

    def suits(self, table: InputTable) -> bool:
        """Whether there is a column of grades received, with who gave them."""
        return self._grades_received(table) is not None

    def _grades_received(self, table: InputTable) -> int | None:
        names = enumerate(map(_folded, table.header))
        which = next((at for at, name in names if name.startswith("grades received")), None)
        if which is None or which == 0:
            return None
        cells = table.text(which).drop_nulls()
        lines = (line.strip() for cell in cells.head(50) for line in cell.split("\n"))
        return which if any(map(self._GRADE.fullmatch, lines)) else None

    def clean(self, table: InputTable, column_names: Mapping[str, str]) -> CleanedTable:
        """One row per grade: who gave it, whose work, how many points."""
        which = self._grades_received(table) or 0
        authors = table.text(0).forward_fill()
        rows: list[tuple[int, str, str | None, str]] = []
        without_grade = 0
        for row, (author, cell) in enumerate(zip(authors, table.text(which), strict=True)):
            for line in (cell or "").split("\n"):
                grade = self._GRADE.fullmatch(line.strip())
                if grade is None:
                    continue
                if grade["grade"] == "-":
                    without_grade += 1
                else:
                    rows.append((row, grade["who"].strip(), author, grade["grade"]))
        columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
        frame = pl.DataFrame(
            {"grader": columns[1], "item": columns[2], "score": columns[3]},
            schema=dict.fromkeys(("grader", "item", "score"), pl.String),
        )
        grades = with_frame(table, frame, np.array(columns[0], dtype=np.int64))
        if without_grade:
            grades = add_notes(grades, f"{plural(without_grade, 'assessment')} without a grade left out")
        return CleanedTable(grades, {"grader": "grader", "item": "item", "score": "score"})


# -- conferences ------------------------------------------------------------------------------------------


class ConferenceReviews:
    """HotCRP's CSV of reviews, and Microsoft CMT's workbook of them.

    Both have one row per review, the paper, who wrote it, and a column per question of the review form. The
    overall judgement is taken; with several questions that could be it, the reader asks.
    """

    PEOPLE = ("Reviewer Email", "email", "Reviewer Name", "reviewername", "Reviewer Number", "review")
    _OVERALL = re.compile(r"overall|recommendation|\brating\b|merit", re.IGNORECASE)
    _SCORE = r"\s*[+-]?\d+(?:[.,]\d+)?(?:\s*[-–:.)].*)?"

    def suits(self, table: InputTable) -> bool:
        """Whether papers and reviewers are named as either system does."""
        names = _folded_header(table)
        hotcrp = {"paper", "title"} <= names and bool({"reviewername", "email", "review"} & names)
        cmt = "paper id" in names and any(name.startswith("reviewer ") for name in names)
        return hotcrp or cmt

    def clean(self, table: InputTable, column_names: Mapping[str, str]) -> CleanedTable:
        """The roles that the names alone leave open."""
        roles = {"item": next(name for name in table.header if _folded(name) in ("paper", "paper id"))}
        grader = _who_answered(table, self.PEOPLE)
        if grader is not None:
            roles["grader"] = grader
        overall = [
            name
            for which, name in enumerate(table.header)
            if self._OVERALL.search(name)
            and name not in roles.values()
            and self._holds_scores(table.text(which))
        ]
        if len(overall) == 1:
            roles["score"] = overall[0]
        return CleanedTable(table, roles)

    def _holds_scores(self, cells: pl.Series) -> bool:
        texts = cells.drop_nulls()
        return len(texts) > 0 and bool(texts.str.contains(f"^{self._SCORE}$").all())


# -- what the systems share: who answered, and which columns are the system's own -------------------------


def _clean_form(
    table: InputTable,
    column_names: Mapping[str, str],
    *,
    system: Collection[str],
    people: Sequence[str],
    fallback: str | None = None,
    questions: Mapping[str, str] | None = None,
) -> CleanedTable:
    """The answers to a form: who answered, and the questions, whose texts may stand below their names."""
    own = {_folded(name) for name in (*system, *people)}
    asked = {name: (questions or {}).get(name, name) for name in table.header if _folded(name) not in own}
    grader = column_names.get("grader") or _who_answered(table, people, asked) or fallback
    keep = [name for name in (*column_names.values(), grader or "") if name.strip()]
    plain = _without_columns(table, (*system, *people), keep)
    return CleanedTable(plain, {"grader": grader} if grader else {})


def _folded(name: str) -> str:
    return " ".join(name.lower().split())


def _folded_header(table: InputTable) -> set[str]:
    return {_folded(name) for name in table.header}


def _first_named(table: InputTable, *names: str) -> str | None:
    return next((name for name in table.header if _folded(name) in names), None)


def _without_columns(table: InputTable, system: Collection[str], keep: Iterable[str] = ()) -> InputTable:
    """Without the columns of these names, but for those that somebody asks for."""
    dropped = {_folded(name) for name in system} - {_folded(name) for name in keep}
    kept = [which for which, name in enumerate(table.header) if _folded(name) not in dropped]
    return select_columns(table, kept) if len(kept) < len(table.header) else table


def _who_answered(
    table: InputTable, preferred: Sequence[str], asked: Mapping[str, str] | None = None
) -> str | None:
    """The column that tells people apart: the first of these that names somebody in every row, or one whose
    question asks for the name; None where there is none."""
    wanted = [name for one in preferred for name in table.header if _folded(name) == _folded(one)]
    wanted += [
        name for name, question in (asked or {}).items() if _ASKED_FOR_NAME.fullmatch(question.strip())
    ]
    return next((name for name in wanted if _names_people(table, table.header.index(name))), None)


def _names_people(table: InputTable, which: int) -> bool:
    cells = table.text(which)
    return (
        len(cells) > 0
        and cells.null_count() == 0
        and not cells.str.to_lowercase().is_in(list(_ANONYMOUS)).any()
    )


def _drop_rows(table: InputTable, dropped: pl.Series, what: str) -> InputTable:
    """Without the marked rows, with a note on what they were."""
    dropped = dropped.fill_null(False)
    if not dropped.any():
        return table
    kept = (~dropped).arg_true().to_numpy().astype(np.int64)
    return add_notes(select_rows(table, kept), f"{plural(int(dropped.sum()), 'row')} left out: {what}")
