"""Where a survey stands, and what stands in its questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from peerage_web.accounts.models import Person
from peerage_web.classes.models import (
    Assignment,
    GradingPlan,
    Membership,
    Survey,
    SurveyAnswer,
    SurveyLook,
    SurveyQuestion,
)
from peerage_web.classes.queries.readiness import students_of
from peerage_web.classes.survey_words import CHOICES, QUESTIONS

FEWEST = 5  # students who answered, or nothing of it is shown to anybody


def is_asked(assignment: Assignment) -> bool:
    """Whether staff want a survey at all; they do unless they said otherwise."""
    return not GradingPlan.objects.filter(assignment=assignment, has_survey=False).exists()


def is_closed(assignment: Assignment) -> bool:
    """Whether answers are cut off from students, and can be read."""
    return Survey.objects.filter(assignment=assignment, closed_at__isnull=False).exists()


def respondents(assignment: Assignment) -> int:
    """How many students have answered something; only one of the two is ever there."""
    answers = SurveyAnswer.objects.filter(question__assignment=assignment)
    theirs = answers.filter(membership__isnull=False).values("membership").distinct().count()
    return theirs + answers.exclude(respondent="").values("respondent").distinct().count()


def has_looked(assignment: Assignment, person: Person) -> bool:
    """Whether somebody has seen how others sorted the answers."""
    return SurveyLook.objects.filter(survey__assignment=assignment, by=person).exists()


@dataclass(frozen=True, slots=True)
class StudentState:
    """For the page of the assignment."""

    is_open: bool
    answered: bool


def student_state(assignment: Assignment, member: Membership) -> StudentState:
    """Whether there is something to answer, and whether they did."""
    if not is_asked(assignment) or is_closed(assignment):
        return StudentState(is_open=False, answered=False)
    theirs = SurveyAnswer.objects.filter(question__assignment=assignment, membership=member)
    return StudentState(is_open=True, answered=theirs.exists())


@dataclass(frozen=True, slots=True)
class StaffState:
    """For staff, while nothing can be read and after."""

    is_asked: bool
    is_closed: bool
    answered: int
    students: int
    fewest: int = FEWEST

    @property
    def enough(self) -> bool:
        """Whether so many answered that nobody stands out."""
        return self.answered >= FEWEST


def staff_state(assignment: Assignment) -> StaffState:
    """How many answered, of how many; never who."""
    return StaffState(
        is_asked=is_asked(assignment),
        is_closed=is_closed(assignment),
        answered=respondents(assignment),
        students=students_of(assignment).count(),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as pages show it."""

    question: SurveyQuestion
    text: str
    choices: list[tuple[str, Any]]  # what is kept, and what is read
    has_text: bool


def asked(question: SurveyQuestion) -> Asked:
    """The paper's in the reader's language, others as staff wrote them."""
    kind = SurveyQuestion.Kind(question.kind)
    if kind == SurveyQuestion.Kind.HELPFUL:
        choices = list(CHOICES.items())
    else:
        choices = [(one, one) for one in question.choices]
    text = str(QUESTIONS.get(question.code, question.text))
    return Asked(question, text, choices, has_text=kind != SurveyQuestion.Kind.CHOICE)


def questions_of(assignment: Assignment) -> list[Asked]:
    """Those that are asked, in their order."""
    return [asked(one) for one in assignment.survey_questions.filter(retired_at=None)]
