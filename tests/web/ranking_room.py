"""A class in the middle of reviewing, for tests in the browser: one student with submissions to rank."""

import json
from typing import Any

PASSWORD = "five plain words for ranking"
TEXTS = (
    "We asked whether plants grow faster near a window. Twelve beans, three weeks, one ruler.",
    "Does music help while studying? Forty students learnt words with and without it.",
    "How long does ice last in salt water? Six glasses and a stopwatch.",
    "Paper towers: the height at which they fall, and why the wider base won.",
    "Sleep and reaction time, measured with a dropped ruler before and after lunch.",
)


def make_rankings(
    count: str = "1", submissions: str = "4", ties: str = "yes", practice: str = "none", rubric: str = "no"
) -> list[dict[str, Any]]:
    """As many classes of this kind."""
    return [make_ranking(submissions, ties, practice, rubric) for _ in range(int(count))]


def new_class(word: str, names: list[str], name: str, **fields: Any) -> tuple[Any, list[Any], Any]:
    """A teacher with a course of their own, its students, and an assignment."""
    from django.utils import timezone

    from peerage_web.accounts.services.users import get_or_create_person
    from peerage_web.classes.assignments import services as assignments
    from peerage_web.classes.courses.services import create_course
    from peerage_web.classes.enums import Role
    from peerage_web.classes.roster.services import add_member

    teacher = get_or_create_person(email=f"{word}-teacher@example.org", name="Teacher")
    teacher.may_create_courses = True
    teacher.save()
    course = create_course(by=teacher, name=name, term="", time_zone="UTC")
    students = []
    for number, called in enumerate(names):
        named = {"email": f"{word}{course.pk}-{number}@example.org", "student_id": f"24{number:02}"}
        students.append(add_member(course=course, by=teacher, role=Role.STUDENT, name=called, **named))
    prompts = [("What is good about this submission?", False), ("What would make it better?", True)]
    fields |= assignments.default_dates(timezone.now())
    assignment = assignments.create_assignment(
        course=course, by=teacher, prompts=prompts, title="Poster", instructions="", **fields
    )
    return teacher, students, assignment


def make_ranking(submissions: str, ties: str, practice: str, rubric: str) -> dict[str, Any]:
    """Paths of pages; the addresses with which the student and the teacher sign in, and their sessions."""
    from peerage_web.classes.assignments.models import Assignment
    from peerage_web.classes.enums import Phase

    teacher, students, one = new_class(
        "rank",
        [f"Student {number}" for number in range(int(submissions) + 1)],
        name="Reviewing",
        reviews_per_student=max(2, int(submissions)),
        ties_allowed=ties == "yes",
        practice=practice,
    )
    if rubric == "yes":
        _rubric(one, teacher)
    Assignment.objects.filter(pk=one.pk).update(phase=Phase.REVIEWING)
    _allocate(one, students)
    for person in (students[0].person, teacher):
        if not person.check_password(PASSWORD):
            person.set_password(PASSWORD)
            person.save()
    if practice != "none":
        _examples(one, teacher)
    path = one.get_absolute_url()
    return {
        "assignment": path,
        "reviews": path + "reviews/",
        "practice": path + "practice/",
        "examples": _labels(one, students[0]),
        "email": students[0].person.email,
        "password": PASSWORD,
        "teacher": teacher.email,
        "sessions": {"student": session_of(students[0].person), "teacher": session_of(teacher)},
    }


def _rubric(one, teacher) -> None:
    from peerage_web.classes.rubrics.services import CriterionDraft, LevelDraft, add_criterion

    clarity = [
        LevelDraft("Clear", 2, "Every step can be followed."),
        LevelDraft("Mostly clear", 1, "One or two steps have to be guessed."),
        LevelDraft("Unclear", 0, "It is hard to say what was done."),
    ]
    figures = [LevelDraft("Helpful", 1), LevelDraft("Missing", 0)]
    for draft in (
        CriterionDraft("Clarity", clarity, "Can a classmate repeat it?"),
        CriterionDraft("Figures", figures, required=False),
    ):
        add_criterion(assignment=one, by=teacher, draft=draft)


def _labels(one, student) -> list[str]:
    """What the student sees the examples as, in the order of staff."""
    from peerage_web.classes.practice.queries import labelled

    seen = {example.pk: label for label, example in labelled(one, student).items()}
    return [seen[example.pk] for example in one.practice_examples.all()]


def session_of(person) -> str:
    """The cookie of a browser in which they are signed in."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    made = SessionStore()
    made[SESSION_KEY] = str(person.pk)
    made[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    made[HASH_SESSION_KEY] = person.get_session_auth_hash()
    made.create()
    return made.session_key


def _allocate(one, students) -> None:
    from tests.web.classes.cast import allocate

    works = [
        _submission(one, author, TEXTS[number % len(TEXTS)]) for number, author in enumerate(students[1:])
    ]
    allocate(one, students[0], works)


def _submission(one, author, text: str):
    """A text, as the copy for reviewers has it."""
    from tests.web.classes.cast import submit

    from peerage_web.classes.submissions.models import SubmissionFile

    submission = submit(one, author)
    file = SubmissionFile.objects.get(version__submission=submission)
    file.name, file.kind, file.bytes, file.pages = "poster.txt", "text", len(text), 0
    file.save()
    shown = file.folder / "shown"
    (shown / "copy.txt").write_text(text)
    made = {"kind": "text", "download": "copy.txt", "pictures": [], "text": text, "html": "", "hidden": ""}
    (shown / "shown.json").write_text(json.dumps({**made, "left_out": {}}))
    return submission


def _examples(one, teacher) -> None:
    from peerage_web.classes.practice.services import add_example

    told = (("A clear question, one good figure.", 1), ("A question, no figure.", 2), ("Neither.", 3))
    for text, place in told:
        add_example(
            assignment=one,
            by=teacher,
            title=f"Example {place}",
            text=text,
            place=place,
            because=f"Its figure earns it place {place}.",
        )
