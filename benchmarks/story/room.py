"""The class of the story, as it stands before the first student submits."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from benchmarks.story.browser import Browser

STUDENTS = 6
REVIEWS = 3


@dataclass
class Room:
    """Who is in it, by their browsers, and the primary keys of course and assignment."""

    course: int
    assignment: int
    teacher: Browser
    students: dict[int, Browser]  # by membership

    def text_of(self, member: int) -> bytes:
        """What this student submits."""
        return f"The submission of member {member} in assignment {self.assignment}.\n".encode() * 20

    def sha256_of(self, member: int) -> str:
        """Of that."""
        return hashlib.sha256(self.text_of(member)).hexdigest()


def connect(environment: dict[str, str]) -> None:
    """Look into the same database as the service, and at its files."""
    names = ("PEERAGE_DATA", "DATABASE_URL")
    os.environ |= {name: environment[name] for name in names if name in environment}
    os.environ["DJANGO_SETTINGS_MODULE"] = "peerage_web.settings"
    import django

    django.setup()


def make_room(port: int) -> Room:
    """A new course whose assignment takes submissions."""
    from django.utils import timezone
    from tests.web.ranking_room import session_of

    from peerage_web.accounts.services.users import get_or_create_person
    from peerage_web.classes.assignments import services as assignments
    from peerage_web.classes.courses.services import create_course
    from peerage_web.classes.enums import Role
    from peerage_web.classes.phases.services import take_step
    from peerage_web.classes.roster import services as people

    teacher = get_or_create_person(email="story-teacher@example.org", name="Teacher")
    teacher.may_create_courses = True
    teacher.save()
    course = create_course(by=teacher, name="Story", time_zone="UTC")
    members = [
        people.add_member(
            course=course,
            by=teacher,
            email=f"story{course.pk}-{number}@example.org",
            role=Role.STUDENT,
            name=f"Student {number}",
            student_id=f"{course.pk}-{number}",
        )
        for number in range(STUDENTS)
    ]
    one = assignments.create_assignment(
        course=course,
        by=teacher,
        prompts=[("What would make it better?", True)],
        title="Story",
        instructions="",
        reviews_per_student=REVIEWS,
        **assignments.default_dates(timezone.now()),
    )
    take_step(assignment=one, code="publish", by=teacher)
    students = {member.pk: Browser(port, session_of(member.person)) for member in members}
    return Room(course.pk, one.pk, Browser(port, session_of(teacher)), students)
