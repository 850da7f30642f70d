"""What a survey asks: the paper's two questions, and what staff add."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, Survey, SurveyQuestion
from peerage_web.classes.services.grading.plans import change_plan
from peerage_web.classes.services.record import record
from peerage_web.classes.survey_words import QUESTIONS
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused

MOST = 20  # questions
MOST_CHOICES = 12
COPIED = ("code", "position", "kind", "text", "choices", "retired_at")


def lock(assignment: Assignment) -> str:
    """What questions, answers and closing are done under, so that none runs into another."""
    return f"survey {assignment.pk}"


def begin(assignment: Assignment) -> Survey:
    """The survey of an assignment, made with the paper's two questions where it is not there yet."""
    there = Survey.objects.filter(assignment=assignment).first()
    if there is not None:
        return there
    with exclusively(lock(assignment)):
        made, is_new = Survey.objects.get_or_create(assignment=assignment)
        if is_new:
            SurveyQuestion.objects.bulk_create(
                SurveyQuestion(
                    assignment=assignment,
                    code=code,
                    position=place,
                    kind=SurveyQuestion.Kind.HELPFUL,
                )
                for place, code in enumerate(QUESTIONS)
            )
    return made


def add_question(
    *, assignment: Assignment, by: Person, text: str, kind: str, choices: Sequence[str] = ()
) -> SurveyQuestion:
    """One more, at the end."""
    listed = list(dict.fromkeys(one.strip() for one in choices if one.strip()))
    if kind == SurveyQuestion.Kind.CHOICE and not 2 <= len(listed) <= MOST_CHOICES:
        raise Refused(_("Give between 2 and %(most)d answers to choose from.") % {"most": MOST_CHOICES})
    begin(assignment)
    with exclusively(lock(assignment)):
        _refuse_closed(assignment)
        there = assignment.survey_questions.aggregate(last=Max("position"))["last"]
        if assignment.survey_questions.filter(retired_at=None).count() >= MOST:
            raise Refused(_("%(most)d questions are the most.") % {"most": MOST})
        made = SurveyQuestion.objects.create(
            assignment=assignment,
            position=0 if there is None else there + 1,
            kind=kind,
            text=text,
            choices=listed if kind == SurveyQuestion.Kind.CHOICE else [],
        )
        _record(assignment, by)
    return made


def remove_question(*, question: SurveyQuestion, by: Person) -> None:
    """It is no longer asked. What was answered stays; one that nobody answered, and is staff's, goes."""
    with exclusively(lock(question.assignment)):
        _refuse_closed(question.assignment)
        if question.code or question.answers.exists():
            SurveyQuestion.objects.filter(pk=question.pk, retired_at=None).update(retired_at=timezone.now())
        else:
            question.delete()
        _record(question.assignment, by)


def ask_again(*, question: SurveyQuestion, by: Person) -> None:
    """One that was taken away comes back, with its answers."""
    with exclusively(lock(question.assignment)):
        _refuse_closed(question.assignment)
        SurveyQuestion.objects.filter(pk=question.pk).update(retired_at=None)
        _record(question.assignment, by)


def switch(*, assignment: Assignment, by: Person, on: bool) -> None:
    """Whether students are asked at all."""
    change_plan(assignment=assignment, by=by, has_survey=on)


def copy_questions(source: Assignment, copy: Assignment) -> None:
    """An assignment that is made as a copy asks what the first one asks; answers stay where they are."""
    if not Survey.objects.filter(assignment=source).exists():
        return
    Survey.objects.create(assignment=copy)
    for one in source.survey_questions.all():
        if one.code or one.retired_at is None:
            fields = {name: getattr(one, name) for name in COPIED}
            SurveyQuestion.objects.create(assignment=copy, **fields)


def _refuse_closed(assignment: Assignment) -> None:
    if Survey.objects.filter(assignment=assignment, closed_at__isnull=False).exists():
        raise Refused(_("The survey is closed; its questions can no longer be changed."))


def _record(assignment: Assignment, by: Person) -> None:
    count = assignment.survey_questions.filter(retired_at=None).count()
    record("survey-changed", by=by, assignment=assignment, count=count)
