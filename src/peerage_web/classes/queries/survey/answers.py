"""Answers: a student's own while the survey is open; for staff all of them afterwards, and in no order.

Nothing here leads from an answer to a person, or from an answer to one question to that of the same student
to another: keys are drawn anew for each when the survey is closed, and lists are in the order of keys.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from peerage_web.classes.models import Assignment, Course, Membership, SurveyAnswer, SurveyQuestion
from peerage_web.classes.queries.survey.state import FEWEST, Asked, asked, is_closed, respondents

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
class Answered:
    """A question with its answers, for staff."""

    asked: Asked
    count: int
    shares: list[Share]
    texts: list[str]
    more: int  # texts that do not fit on the page; the file has all


def answered_questions(assignment: Assignment) -> list[Answered]:
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


def _answered(question: Asked, given: list[tuple[str, str]]) -> Answered:
    counts = Counter(choice for choice, _text in given if choice)
    total = sum(counts.values())
    shares = [
        Share(str(label), counts[value], 100 * counts[value] / total)
        for value, label in (question.choices if total else [])
    ]
    texts = [text for _choice, text in given if text]
    return Answered(question, len(given), shares, texts[:SHOWN], max(0, len(texts) - SHOWN))
