"""The survey: its questions and categories, where it stands, and its answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext_lazy as _

from peerage_web.accounts.models import Person
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.grading.models import GradingPlan
from peerage_web.classes.phases.readiness import students_of
from peerage_web.classes.survey.models import Survey, SurveyAnswer, SurveyCode, SurveyLook, SurveyQuestion

RECEIVED, GIVEN = "received", "given"
OTHER = "5"  # also where there is no answer

QUESTIONS: dict[str, Any] = {
    RECEIVED: _("Was it helpful to get feedback from other students? Why, or why not?"),
    GIVEN: _("Was it valuable to give feedback to other students? Why, or why not?"),
}
CHOICES: dict[str, Any] = {"yes": _("Yes"), "partly": _("Partly"), "no": _("No")}

# letter of the question in tables, as in the paper
LETTERS = {RECEIVED: "A", GIVEN: "B"}
CATEGORIES: dict[str, dict[str, Any]] = {
    RECEIVED: {
        "1": _("Yes, it was helpful"),
        "2": _("Helpful, but less so than feedback from an instructor"),
        "3": _("Somewhat helpful (for example, only a few comments)"),
        "4": _("No, not really, or not much"),
        OTHER: _("Other, or no answer"),
    },
    GIVEN: {
        "1": _("Yes, it was a valuable experience"),
        "2": _("Valuable, but with reservations (for example, the time it took)"),
        "3": _("Of little value (for example, too difficult)"),
        "4": _("Not valuable, or not really"),
        OTHER: _("Other, or no answer"),
    },
}


def short(code: str, category: str) -> str:
    """As in the paper's table: A1 to A5, B1 to B5."""
    return LETTERS[code] + category


# -- Where a survey stands, and what stands in its questions -------------------------------------------


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
class QuestionSummary:
    """A question as pages show it."""

    question: SurveyQuestion
    text: str
    choices: list[tuple[str, Any]]  # what is kept, and what is read
    has_text: bool


def asked(question: SurveyQuestion) -> QuestionSummary:
    """The paper's in the reader's language, others as staff wrote them."""
    kind = SurveyQuestion.Kind(question.kind)
    if kind == SurveyQuestion.Kind.HELPFUL:
        choices = list(CHOICES.items())
    else:
        choices = [(one, one) for one in question.choices]
    text = str(QUESTIONS.get(question.code, question.text))
    return QuestionSummary(question, text, choices, has_text=kind != SurveyQuestion.Kind.CHOICE)


def questions_of(assignment: Assignment) -> list[QuestionSummary]:
    """Those that are asked, in their order."""
    return [asked(one) for one in assignment.survey_questions.filter(retired_at=None)]


# -- Answers: a student's own while the survey is open; for staff all of them afterwards ---------------
#
# Nothing here leads from an answer to a person, or from an answer to one question to that of the same
# student to another: keys are drawn anew for each when the survey is closed, and lists are in the order of
# keys.


SHOWN = 100  # free texts of one question on a page


def own_answers(assignment: Assignment, member: Membership) -> dict[int, SurveyAnswer]:
    """What a student has answered so far, by question."""
    theirs = SurveyAnswer.objects.filter(question__assignment=assignment, membership=member)
    return {one.question_id: one for one in theirs}


def readable(assignment: Assignment) -> bool:
    """Whether staff may read: the survey is closed, and so many answered that nobody stands out."""
    return is_closed(assignment) and respondents(assignment) >= FEWEST


def answers_to(question: SurveyQuestion) -> QuerySet[SurveyAnswer]:
    """All answers to a question, in the order of their random keys; none before they are nobody's."""
    found = SurveyAnswer.objects.filter(question=question, membership__isnull=True).order_by("key")
    return found if readable(question.assignment) else found.none()


def answers_of_course(course: Course) -> QuerySet[SurveyAnswer]:
    """What may leave a course in a file: answers of surveys that are closed, in the order of their keys."""
    found = SurveyAnswer.objects.filter(question__assignment__course=course, membership__isnull=True)
    return found.order_by("question__assignment", "question__position", "question", "key")


@dataclass(frozen=True, slots=True)
class Share:
    """One choice: how many took it, of those who answered the question."""

    label: str
    count: int
    percent: float


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """A question with its answers, for staff."""

    asked: QuestionSummary
    count: int
    shares: list[Share]
    texts: list[str]
    more: int  # texts that do not fit on the page; the file has all


def answered_questions(assignment: Assignment) -> list[AnswerSummary]:
    """Every question that has answers or is still asked; empty before staff may read."""
    if not readable(assignment):
        return []
    questions = list(assignment.survey_questions.annotate(given=Count("answers")))
    kept = [one for one in questions if one.given or one.retired_at is None]
    by_question: dict[int, list[tuple[str, str]]] = {one.pk: [] for one in kept}
    found = SurveyAnswer.objects.filter(question__in=kept, membership__isnull=True).order_by("key")
    for question, choice, text in found.values_list("question", "choice", "text"):
        by_question[question].append((choice, text))
    return [_answered(asked(one), by_question[one.pk]) for one in kept]


def _answered(question: QuestionSummary, given: list[tuple[str, str]]) -> AnswerSummary:
    counts = Counter(choice for choice, _text in given if choice)
    total = sum(counts.values())
    shares = [
        Share(str(label), counts[value], 100 * counts[value] / total)
        for value, label in (question.choices if total else [])
    ]
    texts = [text for _choice, text in given if text]
    return AnswerSummary(question, len(given), shares, texts[:SHOWN], max(0, len(texts) - SHOWN))


# -- The answers as a table: one row each, in no order, with nothing that joins two answers of one student


def answer_rows(assignment: Assignment, person: Person) -> list[dict[str, Any]]:
    """Empty before staff may read. Categories are for who no longer sorts answers; coders are numbered."""
    if not readable(assignment):
        return []
    questions = {one.pk: asked(one) for one in assignment.survey_questions.all()}
    found = SurveyAnswer.objects.filter(question__in=questions, membership__isnull=True)
    answers = list(found.select_related("question").order_by("question__position", "question_id", "key"))
    coders, codes = _codes(answers) if has_looked(assignment, person) else ([], {})
    return [
        {
            "question": questions[one.question_id].text,
            "choice": str(CHOICES.get(one.choice, one.choice)) if one.question.code else one.choice,
            "text": one.text,
            **{f"coder_{k}": codes.get((coder, one.pk), "") for k, coder in enumerate(coders, start=1)},
        }
        for one in answers
    ]


def _codes(answers: list[SurveyAnswer]) -> tuple[list[int], dict[tuple[int, int], str]]:
    rows = list(SurveyCode.objects.filter(answer__in=answers).values_list("by", "answer", "category"))
    return sorted({by for by, _answer, _category in rows}), {(by, one): word for by, one, word in rows}
