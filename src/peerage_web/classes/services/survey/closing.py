"""Closing a survey: from then on its answers are nobody's, and can be read."""

from __future__ import annotations

import secrets
from collections import defaultdict

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, Survey, SurveyAnswer
from peerage_web.classes.models.keys import short_key
from peerage_web.classes.queries.survey.state import FEWEST, respondents
from peerage_web.classes.services.record import record
from peerage_web.classes.services.survey.questions import begin, lock
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


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
        "Only %(count)d student has answered. So that nobody can be recognised, answers can be read when "
        "at least %(fewest)d have; the survey stays open until then.",
        "Only %(count)d students have answered. So that nobody can be recognised, answers can be read when "
        "at least %(fewest)d have; the survey stays open until then.",
        answered,
    )
    raise Refused(text % {"count": answered, "fewest": FEWEST})


def _forget_whose(assignment: Assignment) -> None:
    found = SurveyAnswer.objects.filter(question__assignment=assignment, membership__isnull=False)
    words: dict[int, str] = defaultdict(short_key)
    nobodys = [
        SurveyAnswer(
            question_id=one.question_id,
            respondent=words[one.membership_id],
            choice=one.choice,
            text=one.text,
        )
        for one in found
        if one.membership_id is not None
    ]
    secrets.SystemRandom().shuffle(nobodys)
    found.delete()
    SurveyAnswer.objects.bulk_create(nobodys, batch_size=500)
