"""A class for tests in the browser: a course with everybody in it and an assignment in every phase."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

NAMES = "Ada, Ben, Cem, Dia, Emmy, Farid, Grace, Hương, Inés, Jun, Kofi, Lise"
INSTRUCTIONS = """
Submit a **poster** of one page.

- what the question was
- what you found, with *one* figure

| part | points |
|---|---|
| question | 2 |
| figure | 3 |
"""


def make_class() -> dict[str, Any]:
    """Paths of pages, and a link to sign in for every role."""
    from peerage_web.accounts.services.users import get_or_create_person
    from peerage_web.classes.assignments import services as assignments
    from peerage_web.classes.courses.services import create_course
    from peerage_web.classes.enums import Phase, Role
    from peerage_web.classes.roster import services as people

    teacher = get_or_create_person(email="teacher@example.org", name="Teacher")
    teacher.may_create_courses = True
    teacher.save()
    course = create_course(by=teacher, name="Experimental design", term="2026/27", time_zone="Europe/Berlin")
    staff = {
        role: people.add_member(course=course, by=teacher, email=f"{role}@example.org", role=role, name=name)
        for role, name in ((Role.ASSISTANT, "Assistant"), (Role.OBSERVER, "Observer"))
    }
    students = [_student(course, teacher, number, name) for number, name in enumerate(NAMES.split(", "))]
    made = {phase.value: _assignment(assignments, course, teacher, phase, students[0]) for phase in Phase}
    return {
        "links": {
            "instructor": _link(teacher),
            **{role.value: _link(member.person) for role, member in staff.items()},
            "student": _link(students[0].person),
        },
        "course": course.get_absolute_url(),
        "assignments": {phase: one.get_absolute_url() for phase, one in made.items()},
        "member": f"{course.get_absolute_url()}people/{students[1].pk}/",
    }


def _student(course, teacher, number: int, name: str):
    from peerage_web.classes.enums import Role
    from peerage_web.classes.roster import services as people

    member = people.add_member(
        course=course,
        by=teacher,
        email=f"s{number}@example.org",
        role=Role.STUDENT,
        name=name,
        section="North" if number % 2 else "South",
        student_id=f"17{number:02}",
    )
    people.change_member(member=member, by=teacher, group=f"Team {number // 3 + 1}")
    return member


def _assignment(assignments, course, teacher, phase, student):
    from django.utils import timezone

    from peerage_web.classes.assignments.models import Assignment

    dates = assignments.default_dates(timezone.now())
    one = assignments.create_assignment(
        course=course,
        by=teacher,
        prompts=[(text, True) for text in assignments.default_prompts()],
        title=f"Poster ({phase.label})",
        instructions=INSTRUCTIONS,
        in_teams=phase.value == "submitting",
        reviews_per_student=3,
        **dates,
    )
    Assignment.objects.filter(pk=one.pk).update(phase=phase)
    later = dates["due_at"] + timedelta(days=2)
    assignments.grant_extension(
        assignment=one, member=student, by=teacher, due_at=later, reviews_due_at=None, reason="ill"
    )
    return one


def _link(person) -> str:
    from peerage_web.accounts.models import OneTimeLink
    from peerage_web.accounts.services.links import make_link

    return make_link(kind=OneTimeLink.Kind.SIGN_IN, person=person)
