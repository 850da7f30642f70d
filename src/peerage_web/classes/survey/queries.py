"""The survey: its questions and categories, where it stands, and its answers."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.translation import gettext_lazy as _

from peerage_web.accounts.models import Person
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.grading.models import GradingPlan
from peerage_web.classes.phases.readiness import students_of
from peerage_web.classes.survey.models import (
    Survey,
    SurveyAnswer,
    SurveyCode,
    SurveyQuestion,
    SurveyResultsViewer,
)

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


def has_seen_results(assignment: Assignment, person: Person) -> bool:
    """Whether somebody has seen how others sorted the answers."""
    return SurveyResultsViewer.objects.filter(survey__assignment=assignment, by=person).exists()


@dataclass(frozen=True, slots=True)
class StudentState:
    is_open: bool
    answered: bool


def student_state(assignment: Assignment, member: Membership) -> StudentState:
    """Whether there is something to answer, and whether they did."""
    theirs = SurveyAnswer.objects.filter(question__assignment=OuterRef("pk"), membership=member)
    closed = Survey.objects.filter(assignment=OuterRef("pk"), closed_at__isnull=False)
    facts = ("grading_plan__has_survey", Exists(closed), Exists(theirs))
    is_wanted, is_over, answered = Assignment.objects.values_list(*facts).get(pk=assignment.pk)
    if is_wanted is False or is_over:  # None: nobody has decided anything, so there is one
        return StudentState(is_open=False, answered=False)
    return StudentState(is_open=True, answered=answered)


@dataclass(frozen=True, slots=True)
class StaffState:
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
        choices = [(choice, choice) for choice in question.choices]
    text = str(QUESTIONS.get(question.code, question.text))
    return QuestionSummary(question, text, choices, has_text=kind != SurveyQuestion.Kind.CHOICE)


def questions_of(assignment: Assignment) -> list[QuestionSummary]:
    """Those that are asked, in their order."""
    return [asked(question) for question in assignment.survey_questions.filter(retired_at=None)]


# -- Answers: a student's own while the survey is open; for staff all of them afterwards ---------------
#
# Nothing here leads from an answer to a person, or from an answer to one question to that of the same
# student to another: keys are drawn anew for each when the survey is closed, and lists are in the order of
# keys.


SHOWN = 100  # free texts of one question on a page


def own_answers(assignment: Assignment, member: Membership) -> dict[int, SurveyAnswer]:
    """What a student has answered so far, by question."""
    theirs = SurveyAnswer.objects.filter(question__assignment=assignment, membership=member)
    return {answer.question_id: answer for answer in theirs}


def readable(assignment: Assignment) -> bool:
    """Whether staff may read: the survey is closed, and so many answered that nobody stands out."""
    return is_closed(assignment) and respondents(assignment) >= FEWEST


def answers_to(question: SurveyQuestion) -> QuerySet[SurveyAnswer]:
    """All answers to a question, in the order of their random keys; none before they are nobody's."""
    answers = SurveyAnswer.objects.filter(question=question, membership__isnull=True).order_by("key")
    return answers if readable(question.assignment) else answers.none()


def answers_of_course(course: Course) -> QuerySet[SurveyAnswer]:
    """What may leave a course in a file: answers of surveys that are closed, in the order of their keys."""
    answers = SurveyAnswer.objects.filter(question__assignment__course=course, membership__isnull=True)
    return answers.order_by("question__assignment", "question__position", "question", "key")


@dataclass(frozen=True, slots=True)
class Share:
    """One choice: how many took it, of those who answered the question."""

    label: str
    count: int
    percent: float


@dataclass(frozen=True, slots=True)
class AnswerSummary:
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
    kept = [question for question in questions if question.given or question.retired_at is None]
    by_question: dict[int, list[tuple[str, str]]] = {question.pk: [] for question in kept}
    answers = SurveyAnswer.objects.filter(question__in=kept, membership__isnull=True).order_by("key")
    for question, choice, text in answers.values_list("question", "choice", "text"):
        by_question[question].append((choice, text))
    return [_answered(asked(question), by_question[question.pk]) for question in kept]


def _answered(question: QuestionSummary, answers: list[tuple[str, str]]) -> AnswerSummary:
    counts = Counter(choice for choice, _text in answers if choice)
    total = sum(counts.values())
    shares = [
        Share(str(label), counts[value], 100 * counts[value] / total)
        for value, label in (question.choices if total else [])
    ]
    texts = [text for _choice, text in answers if text]
    return AnswerSummary(question, len(answers), shares, texts[:SHOWN], max(0, len(texts) - SHOWN))


# -- The answers as a table: one row each, in no order, with nothing that joins two answers of one student


def answer_rows(assignment: Assignment, person: Person) -> list[dict[str, Any]]:
    """Empty before staff may read. Categories are for who no longer sorts answers; coders are numbered."""
    if not readable(assignment):
        return []
    questions = {question.pk: asked(question) for question in assignment.survey_questions.all()}
    rows = SurveyAnswer.objects.filter(question__in=questions, membership__isnull=True)
    answers = list(rows.select_related("question").order_by("question__position", "question_id", "key"))
    coders, codes = _codes(answers) if has_seen_results(assignment, person) else ([], {})
    return [
        {
            "question": questions[answer.question_id].text,
            "choice": str(CHOICES.get(answer.choice, answer.choice))
            if answer.question.code
            else answer.choice,
            "text": answer.text,
            **{f"coder_{k}": codes.get((coder, answer.pk), "") for k, coder in enumerate(coders, start=1)},
        }
        for answer in answers
    ]


def _codes(answers: list[SurveyAnswer]) -> tuple[list[int], dict[tuple[int, int], str]]:
    rows = list(SurveyCode.objects.filter(answer__in=answers).values_list("by", "answer", "category"))
    return sorted({by for by, _answer, _category in rows}), {(by, answer): word for by, answer, word in rows}
