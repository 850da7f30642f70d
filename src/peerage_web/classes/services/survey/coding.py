"""Sorting free answers into categories, blind: who has seen how others did it sorts none any more."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, Survey, SurveyCode, SurveyLook, SurveyQuestion
from peerage_web.classes.queries.survey.answers import answers_to, readable
from peerage_web.classes.queries.survey.state import has_looked
from peerage_web.classes.services.record import record
from peerage_web.classes.survey_words import CATEGORIES
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


def save_codes(*, question: SurveyQuestion, by: Person, codes: Mapping[str, str]) -> int:
    """Put answers (by key) into categories; how many of them there were."""
    if question.code not in CATEGORIES:
        raise Refused(_("Only the answers to the first two questions are sorted into categories."))
    with exclusively(_lock(question.assignment, by)):
        if has_looked(question.assignment, by):
            raise Refused(_("You have seen how others sorted the answers, so you cannot sort them any more."))
        answers = {one.key: one for one in answers_to(question).filter(key__in=list(codes))}
        known = CATEGORIES[question.code]
        for key, category in codes.items():
            if key not in answers or category not in known:
                raise Refused(_("The answers have changed. Load the page again."))
            SurveyCode.objects.update_or_create(answer=answers[key], by=by, defaults={"category": category})
    return len(codes)


def look(*, assignment: Assignment, by: Person) -> None:
    """See how everybody sorted the answers; from then on somebody sorts none any more."""
    if not readable(assignment):
        raise Refused(_("There is nothing to see yet: close the survey first."))
    with exclusively(_lock(assignment, by)):
        _row, is_new = SurveyLook.objects.get_or_create(
            survey=Survey.objects.get(assignment=assignment), by=by
        )
        if is_new:
            record("survey-looked", by=by, assignment=assignment)


def _lock(assignment: Assignment, by: Person) -> str:
    return f"survey codes {assignment.pk} {by.pk}"
