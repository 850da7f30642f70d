"""What students answer. Nothing of it is in the record, which staff read: neither that nor when they did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from peerage_web.classes.models import Assignment, Membership, SurveyAnswer
from peerage_web.classes.queries.survey.state import is_asked, is_closed, questions_of
from peerage_web.classes.services.survey.questions import lock
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused


@dataclass(frozen=True, slots=True)
class Given:
    """What somebody gives to one question; both empty: nothing."""

    choice: str = ""
    text: str = ""


def save_answers(*, assignment: Assignment, member: Membership, given: Mapping[int, Given]) -> None:
    """Keep a student's answers, by question; the newest hold until the survey is closed.

    What is empty is taken away. Questions that are no longer asked keep what they have.
    """
    with exclusively(lock(assignment)):
        if is_closed(assignment):
            raise Refused(_("The survey is closed. Nothing was saved."))
        if not is_asked(assignment):
            raise Refused(_("There are no questions at the moment. Nothing was saved."))
        for asked in questions_of(assignment):
            new = given.get(asked.question.pk, Given())
            if new.choice and new.choice not in {value for value, _label in asked.choices}:
                raise Refused(_("The questions have changed. Load the page again."))
            theirs = SurveyAnswer.objects.filter(question=asked.question, membership=member)
            if not (new.choice or new.text):
                theirs.delete()
                continue
            fields = {"choice": new.choice, "text": new.text if asked.has_text else ""}
            SurveyAnswer.objects.update_or_create(question=asked.question, membership=member, defaults=fields)
