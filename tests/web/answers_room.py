"""A class that has its grades, was asked what it thought, and appeals: for tests in the browser."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

SAID = (
    ("Yes, the comments showed me what to change.", "Yes, I saw how others solve it."),
    ("Two of them were useful.", "It took a lot of time, but yes."),
    ("Not really.", "Yes."),
    ("Helpful, though I would rather hear it from the instructor.", "No, I cannot judge others."),
    ("Yes!", ""),
    ("No.", "A little."),
)


def make_answers() -> dict[str, Any]:
    """Paths of pages, and a link to sign in for an instructor, an assistant and a student."""
    from django.utils import timezone
    from tests.web.class_room import _link
    from tests.web.classes.release_room import ReleaseRoom
    from tests.web.classes.survey_room import SurveyRoom

    from peerage_web.classes.appeals import services as appeals
    from peerage_web.classes.release.models import ReleasedGrade
    from peerage_web.classes.survey.services import finish_coding

    cast = _cast()
    survey = SurveyRoom(cast)
    waiting = SurveyRoom(SimpleNamespace(**{**vars(cast), "assignment": cast.second}))
    for member, (received, given) in zip(cast.students, SAID, strict=True):
        survey.answer(member, received, given)
    survey.close()
    _code(survey, cast.people["instructor"], "132214", "121453")
    _code(survey, cast.people["assistant"], "132214", "121443")
    finish_coding(assignment=survey.where, by=cast.people["instructor"])
    room = ReleaseRoom(cast, rates_helpfulness=False)
    room.run()
    room.release()
    ReleasedGrade.objects.filter(release__assignment=cast.assignment).update(seen_at=timezone.now())
    cast.assignment.refresh_from_db()
    where, by = cast.assignment, cast.people["assistant"]
    first = appeals.ask(assignment=where, member=cast.students[0], reason="Page 2 was overlooked.")
    second = appeals.ask(assignment=where, member=cast.students[1], reason="My figure is right.")
    appeals.preview_appeal(appeal=first, by=by, points=95, regrade=False, reason="page 2 is good")
    appeals.decline(appeal=second, by=by, answer="We looked, and it is not.")
    return {
        "links": {word: _link(person) for word, person in cast.people.items()},
        "assignment": cast.assignment.get_absolute_url(),
        "survey": survey.base,
        "open_survey": waiting.base,
        "question": survey.received.pk,
        "appeal": first.key,
        "answered": second.key,
    }


def _cast() -> Any:
    """As much of `classes.cast.Cast` as the rooms need, with addresses of its own."""
    from tests.web.classes.cast import assignment, course, join

    from peerage_web.accounts.services.users import get_or_create_person
    from peerage_web.classes.enums import Role

    names = ("instructor", "assistant", "student", "second", "third", "fourth", "fifth", "sixth")
    people = {
        word: get_or_create_person(email=f"answers-{word}@example.org", name=word.title()) for word in names
    }
    where = course(people["instructor"], "Course with answers")
    join(where, people["assistant"], Role.ASSISTANT)
    students = [join(where, people[word], Role.STUDENT, student_id=f"a-{word}") for word in names[2:]]
    first, second = assignment(where), assignment(where)
    shown = {word: people[word] for word in names[:3]}
    return SimpleNamespace(people=shown, course=where, students=students, assignment=first, second=second)


def _code(room: Any, by: Any, received: str, given: str) -> None:
    from peerage_web.classes.survey.queries import answers_to
    from peerage_web.classes.survey.services import save_codes

    for question, categories, place in ((room.received, received, 0), (room.given, given, 1)):
        known = {said[place]: category for said, category in zip(SAID, categories, strict=True)}
        codes = {one.key: known[one.text] for one in answers_to(question)}
        save_codes(question=question, by=by, codes=codes)
