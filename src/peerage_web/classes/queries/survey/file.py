"""The answers as a table: one row each, in no order, with nothing that joins two answers of one student."""

from __future__ import annotations

from typing import Any

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, SurveyAnswer, SurveyCode
from peerage_web.classes.queries.survey.answers import readable
from peerage_web.classes.queries.survey.state import asked, has_looked
from peerage_web.classes.survey_words import CHOICES


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
