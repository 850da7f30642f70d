"""A class whose rankings are in, for tests in the browser: there is everything that grading needs."""

from __future__ import annotations

import random
from typing import Any

NAMES = "Ada, Ben, Cem, Dia, Emmy, Farid, Grace, Hương, Inés, Jun, Kofi, Lise"
EACH = 5  # reviews of a student


def make_reviewed() -> dict[str, Any]:
    """The path of the assignment, and the session of its teacher."""
    from tests.web.ranking_room import session_of

    from peerage_web.accounts.services.users import get_or_create_person
    from peerage_web.classes.assignments import services as assignments
    from peerage_web.classes.assignments.models import Assignment
    from peerage_web.classes.courses.services import create_course
    from peerage_web.classes.enums import Phase, Role
    from peerage_web.classes.roster import services as people

    teacher = get_or_create_person(email="grading-teacher@example.org", name="Teacher")
    teacher.may_create_courses = True
    teacher.save()
    course = create_course(by=teacher, name="Everyday riddles", term="", time_zone="UTC")
    students = [
        people.add_member(
            course=course,
            by=teacher,
            email=f"riddle{number}@example.org",
            role=Role.STUDENT,
            name=name,
            student_id=f"24{number:02}",
        )
        for number, name in enumerate(NAMES.split(", "))
    ]
    from django.utils import timezone

    one = assignments.create_assignment(
        course=course,
        by=teacher,
        prompts=[("What is good about this submission?", False)],
        title="Poster",
        reviews_per_student=EACH,
        **assignments.default_dates(timezone.now()),
    )
    _rank(one, students)
    Assignment.objects.filter(pk=one.pk).update(phase=Phase.CLOSED, by_date=False)
    return {"path": one.get_absolute_url(), "session": session_of(teacher)}


def _rank(one, students) -> None:
    """Everybody but the last puts five submissions in order, more or less as they are numbered."""
    from django.utils import timezone
    from tests.web.ranking_room import TEXTS, _submission

    from peerage_web.classes.allocation.models import AllocationRun, Review
    from peerage_web.classes.reviewing.models import Ranking, SubmittedRanking

    submissions = [
        _submission(one, author, TEXTS[number % len(TEXTS)]) for number, author in enumerate(students)
    ]
    run = AllocationRun.objects.create(assignment=one, kind="first", design="spread")
    rng = random.Random(3)
    for number, member in enumerate(students):
        chosen = rng.sample([place for place in range(len(submissions)) if place != number], EACH)
        reviews = {
            place: Review.objects.create(
                assignment=one,
                reviewer=member,
                submission=submissions[place],
                run=run,
                label="ABCDE"[k],
                position=k + 1,
            ).pk
            for k, place in enumerate(chosen)
        }
        if member == students[-1]:
            continue
        order = sorted(reviews, key=lambda place: place + rng.gauss(0, 1.5))
        SubmittedRanking.objects.create(
            ranking=Ranking.objects.create(assignment=one, reviewer=member, version=1),
            number=1,
            tiers=[[reviews[place]] for place in order],
            comments=[],
            version=1,
            sha256="0" * 64,
            submitted_at=timezone.now(),
            submitted_by=member.person,
        )
