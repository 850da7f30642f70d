"""A class whose rankings are in, for tests in the browser: there is everything that grading needs."""

from __future__ import annotations

import random
from typing import Any

NAMES = "Ada, Ben, Cem, Dia, Emmy, Farid, Grace, Hương, Inés, Jun, Kofi, Lise"
EACH = 5  # reviews of a student


def make_reviewed() -> dict[str, Any]:
    """The path of the assignment, and the session of its teacher."""
    from tests.web.ranking_room import new_class, session_of

    from peerage_web.classes.assignments.models import Assignment
    from peerage_web.classes.enums import Phase

    teacher, students, one = new_class(
        "riddle", NAMES.split(", "), name="Everyday riddles", reviews_per_student=EACH
    )
    _rank(one, students)
    Assignment.objects.filter(pk=one.pk).update(phase=Phase.CLOSED, by_date=False)
    return {"path": one.get_absolute_url(), "session": session_of(teacher)}


def _rank(one, students) -> None:
    """Everybody but the last puts five submissions in order, more or less as they are numbered."""
    from tests.web.classes.cast import allocate, submit_ranking
    from tests.web.ranking_room import TEXTS, _submission

    submissions = [
        _submission(one, author, TEXTS[number % len(TEXTS)]) for number, author in enumerate(students)
    ]
    rng = random.Random(3)
    for number, member in enumerate(students):
        chosen = rng.sample([place for place in range(len(submissions)) if place != number], EACH)
        reviews = dict(zip(chosen, allocate(one, member, [submissions[k] for k in chosen]), strict=True))
        if member != students[-1]:
            order = sorted(reviews, key=lambda place: place + rng.gauss(0, 1.5))
            submit_ranking(one, member, [[reviews[place].pk] for place in order], version=1)
