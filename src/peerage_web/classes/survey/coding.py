"""How staff sorted the answers to the paper's questions: how far each is, and what all of it says.

The figures are the library's (`peerage.metrics`). Coders count who have sorted all answers to a question.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from peerage_web.accounts.models import Person
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.survey.models import SurveyCode, SurveyQuestion
from peerage_web.classes.survey.queries import (
    CATEGORIES,
    GIVEN,
    OTHER,
    RECEIVED,
    QuestionSummary,
    answers_to,
    asked,
    readable,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from peerage.metrics.inter_rater import CrossTable, Estimate


Codes = dict[int, dict[int, str]]  # coder to answer to category


@dataclass(frozen=True, slots=True)
class Progress:
    asked: QuestionSummary
    answers: int
    coded: int

    @property
    def is_finished(self) -> bool:
        return self.coded == self.answers


def coded_questions(assignment: Assignment) -> list[SurveyQuestion]:
    """The paper's questions that have answers to read."""
    if not readable(assignment):
        return []
    return [
        question
        for question in assignment.survey_questions.filter(code__in=CATEGORIES).order_by("position")
        if answers_to(question).exists()
    ]


def own_progress(assignment: Assignment, person: Person) -> list[Progress]:
    """Of one coder, question by question; nothing of others."""
    return [
        Progress(
            asked(question),
            answers_to(question).count(),
            SurveyCode.objects.filter(answer__question=question, by=person).count(),
        )
        for question in coded_questions(assignment)
    ]


def own_codes(question: SurveyQuestion, person: Person) -> dict[str, str]:
    """Key of an answer to the category that this coder put it into."""
    codes = SurveyCode.objects.filter(answer__question=question, by=person)
    return dict(codes.values_list("answer__key", "category"))


@dataclass(frozen=True, slots=True)
class Pair:
    """Two coders, and Cohen's kappa between them."""

    first: str
    second: str
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class CodingAgreement:
    """One question, sorted: who did, how well they agree, and what the majority said."""

    asked: QuestionSummary
    answers: int
    coders: list[str]  # who have sorted all
    unfinished: int  # coders who have begun, and not sorted all
    pairs: list[Pair]
    fleiss: Estimate | None  # of two coders and more


@dataclass(frozen=True, slots=True)
class CodingResults:
    """Both questions, and how the answers to them go together."""

    agreements: list[CodingAgreement]
    table: CrossTable | None
    single: tuple[str, list[float]] | None  # where only one question is sorted: its code, and percentages


def results_of(assignment: Assignment) -> CodingResults:
    """For who may see how everybody sorted; asks the database a fixed number of times per question."""
    sheets = [_Sheet(question) for question in coded_questions(assignment)]
    sorted_ones = {sheet.question.code: sheet for sheet in sheets if sheet.finished}
    table, single = None, None
    if len(sorted_ones) == len(CATEGORIES):
        table = _table(sorted_ones[GIVEN], sorted_ones[RECEIVED])
    elif sorted_ones:
        (code, sheet), *_none = sorted_ones.items()
        single = code, _percentages(sheet)
    return CodingResults([sheet.agreement() for sheet in sheets], table, single)


class _Sheet:
    """All codes of one question."""

    def __init__(self, question: SurveyQuestion) -> None:
        self.question = question
        self.respondents: dict[int, str] = dict(answers_to(question).values_list("pk", "respondent"))
        codes: Codes = defaultdict(dict)
        self.names: dict[int, str] = {}
        rows = SurveyCode.objects.filter(answer__question=question).select_related("by")
        for code in rows.order_by("by__name", "by_id"):
            codes[code.by_id][code.answer_id] = code.category
            self.names[code.by_id] = code.by.shown_name
        self.finished = [coder for coder in codes if len(codes[coder]) == len(self.respondents)]
        self.begun = len(codes)
        self.codes = codes

    def by_answer(self) -> dict[int, list[str]]:
        """Answer to the categories that finished coders put it into."""
        return {answer: [self.codes[coder][answer] for coder in self.finished] for answer in self.respondents}

    def agreement(self) -> CodingAgreement:
        from peerage.metrics.inter_rater import cohen_kappa, fleiss_kappa

        answers = list(self.respondents)
        columns = {coder: [self.codes[coder][answer] for answer in answers] for coder in self.finished}
        pairs = [
            Pair(self.names[a], self.names[b], cohen_kappa(columns[a], columns[b]))
            for a, b in combinations(self.finished, 2)
        ]
        several = len(self.finished) > 1
        return CodingAgreement(
            asked(self.question),
            len(answers),
            [self.names[coder] for coder in self.finished],
            self.begun - len(self.finished),
            pairs,
            fleiss_kappa(list(self.by_answer().values())) if several else None,
        )

    def shares(self, people: list[str]) -> NDArray[np.float64]:
        """The majority's category of everybody; who did not answer this question is with the others."""
        from peerage.metrics.inter_rater import majority_shares

        codes = {self.respondents[answer]: category for answer, category in self.by_answer().items()}
        return majority_shares([codes.get(person, [OTHER]) for person in people], categories(self.question))


def categories(question: SurveyQuestion) -> list[str]:
    """The codes of the five, in their order."""
    return list(CATEGORIES[question.code])


def _table(rows: _Sheet, columns: _Sheet) -> CrossTable:
    """Per cent of the students who answered at least one of the two, as in the paper."""
    from peerage.metrics.inter_rater import cross_table

    people = sorted({*rows.respondents.values(), *columns.respondents.values()})
    return cross_table(rows.shares(people), columns.shares(people))


def _percentages(sheet: _Sheet) -> list[float]:
    from peerage.metrics.inter_rater import cross_table

    people = sorted(sheet.respondents.values())
    shares = sheet.shares(people)
    return [float(total) for total in cross_table(shares, [[1.0]] * len(people)).row_totals]
