"""The survey: changing its questions, answering, closing it, and categorising answers blind."""

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.services import change_plan
from peerage_web.classes.keys import short_key
from peerage_web.classes.survey.models import (
    Survey,
    SurveyAnswer,
    SurveyCode,
    SurveyQuestion,
    SurveyResultsViewer,
)
from peerage_web.classes.survey.queries import (
    CATEGORIES,
    FEWEST,
    QUESTIONS,
    answers_to,
    has_seen_results,
    is_asked,
    is_closed,
    questions_of,
    readable,
    respondents,
)
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
        survey, is_new = Survey.objects.get_or_create(assignment=assignment)
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
    return survey


def add_question(
    *, assignment: Assignment, by: Person, text: str, kind: str, choices: Sequence[str] = ()
) -> SurveyQuestion:
    listed = list(dict.fromkeys(choice.strip() for choice in choices if choice.strip()))
    if kind == SurveyQuestion.Kind.CHOICE and not 2 <= len(listed) <= MOST_CHOICES:
        raise Refused(_("Enter between 2 and %(most)d answer options.") % {"most": MOST_CHOICES})
    begin(assignment)
    with exclusively(lock(assignment)):
        _refuse_closed(assignment)
        there = assignment.survey_questions.aggregate(last=Max("position"))["last"]
        if assignment.survey_questions.filter(retired_at=None).count() >= MOST:
            raise Refused(_("A survey can have at most %(most)d questions.") % {"most": MOST})
        question = SurveyQuestion.objects.create(
            assignment=assignment,
            position=0 if there is None else there + 1,
            kind=kind,
            text=text,
            choices=listed if kind == SurveyQuestion.Kind.CHOICE else [],
        )
        _record(assignment, by)
    return question


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
    for question in source.survey_questions.all():
        if question.code or question.retired_at is None:
            fields = {name: getattr(question, name) for name in COPIED}
            SurveyQuestion.objects.create(assignment=copy, **fields)


def _refuse_closed(assignment: Assignment) -> None:
    if Survey.objects.filter(assignment=assignment, closed_at__isnull=False).exists():
        raise Refused(_("The survey is closed. You can no longer change its questions."))


def _record(assignment: Assignment, by: Person) -> None:
    count = assignment.survey_questions.filter(retired_at=None).count()
    record("survey-changed", by=by, assignment=assignment, count=count)


# -- What students answer. Nothing of it is in the activity log, which staff read: neither that nor when


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """What somebody gives to one question; both empty: nothing."""

    choice: str = ""
    text: str = ""


def save_answers(*, assignment: Assignment, member: Membership, answers: Mapping[int, AnswerInput]) -> None:
    """Keep a student's answers, by question; the newest hold until the survey is closed.

    What is empty is taken away. Questions that are no longer asked keep what they have.
    """
    with exclusively(lock(assignment)):
        if is_closed(assignment):
            raise Refused(_("The survey is closed. Nothing was saved."))
        if not is_asked(assignment):
            raise Refused(_("There are no questions at the moment. Nothing was saved."))
        for asked in questions_of(assignment):
            new = answers.get(asked.question.pk, AnswerInput())
            if new.choice and new.choice not in {value for value, _label in asked.choices}:
                raise Refused(_("The questions have changed. Reload the page."))
            theirs = SurveyAnswer.objects.filter(question=asked.question, membership=member)
            if not (new.choice or new.text):
                theirs.delete()
                continue
            fields = {"choice": new.choice, "text": new.text if asked.has_text else ""}
            SurveyAnswer.objects.update_or_create(question=asked.question, membership=member, defaults=fields)


# -- Closing a survey: from then on its answers are nobody's, and can be read --------------------------


def close_survey(*, assignment: Assignment, by: Person) -> None:
    """Cut every answer off from its student, for good; Refused where so few answered that they stand out.

    The rows are written anew in a random order under new keys, so that neither numbers nor keys nor their
    order tell when they were given. One student's answers stay together under a random word: the cross table
    needs it, and nothing shows it.
    """
    begin(assignment)
    with exclusively(lock(assignment)):
        survey = Survey.objects.get(assignment=assignment)
        if survey.closed_at is not None:
            return
        answered = respondents(assignment)
        _refuse_few(answered)
        _forget_whose(assignment)
        Survey.objects.filter(pk=survey.pk).update(closed_at=timezone.now())
        record("survey-closed", by=by, assignment=assignment, count=answered)


def _refuse_few(answered: int) -> None:
    if answered >= FEWEST:
        return
    if answered == 0:
        raise Refused(_("Nobody has answered yet."))
    text = ngettext(
        "Only %(count)d student has answered. To keep answers anonymous, at least %(fewest)d "
        "students must answer before you can close the survey and read them.",
        "Only %(count)d students have answered. To keep answers anonymous, at least %(fewest)d "
        "students must answer before you can close the survey and read them.",
        answered,
    )
    raise Refused(text % {"count": answered, "fewest": FEWEST})


def _forget_whose(assignment: Assignment) -> None:
    answers = SurveyAnswer.objects.filter(question__assignment=assignment, membership__isnull=False)
    words: dict[int, str] = defaultdict(short_key)
    nobodys = [
        SurveyAnswer(
            question_id=answer.question_id,
            respondent=words[answer.membership_id],
            choice=answer.choice,
            text=answer.text,
        )
        for answer in answers
        if answer.membership_id is not None
    ]
    secrets.SystemRandom().shuffle(nobodys)
    answers.delete()
    SurveyAnswer.objects.bulk_create(nobodys, batch_size=500)


# -- Sorting free answers into categories, blind: who has seen how others did it sorts none any more ---


def save_codes(*, question: SurveyQuestion, by: Person, codes: Mapping[str, str]) -> int:
    """Put answers (by key) into categories; how many of them there were."""
    if question.code not in CATEGORIES:
        raise Refused(_("Only answers to the first two questions can be categorised."))
    with exclusively(_lock(question.assignment, by)):
        if has_seen_results(question.assignment, by):
            raise Refused(
                _(
                    "You have seen how others categorised the answers, so you can no "
                    "longer categorise them yourself."
                )
            )
        answers = {answer.key: answer for answer in answers_to(question).filter(key__in=list(codes))}
        categories = CATEGORIES[question.code]
        for key, category in codes.items():
            if key not in answers or category not in categories:
                raise Refused(_("The answers have changed. Reload the page."))
            SurveyCode.objects.update_or_create(answer=answers[key], by=by, defaults={"category": category})
    return len(codes)


def finish_coding(*, assignment: Assignment, by: Person) -> None:
    """See how everybody sorted the answers; from then on somebody sorts none any more."""
    if not readable(assignment):
        raise Refused(_("There is nothing to see yet. Close the survey first."))
    with exclusively(_lock(assignment, by)):
        _row, is_new = SurveyResultsViewer.objects.get_or_create(
            survey=Survey.objects.get(assignment=assignment), by=by
        )
        if is_new:
            record("survey-results-seen", by=by, assignment=assignment)


def _lock(assignment: Assignment, by: Person) -> str:
    return f"survey codes {assignment.pk} {by.pk}"
