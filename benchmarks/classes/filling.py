"""A large class, written in bulk: people, submissions, reviews, rankings, comments, the activity log."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

BATCH = 1000


@dataclass(frozen=True, slots=True)
class Room:
    """What the benchmarks need to find their way."""

    course: Any
    assignment: Any
    teacher: Any
    students: list[Any]  # memberships
    values: dict[str, object]  # what stands in addresses


def fill(*, students: int, reviews: int) -> Room:
    """The class, while reviewing."""
    from django.utils import timezone

    from peerage_web.accounts.models import Person
    from peerage_web.classes.courses.services import create_course

    now = timezone.now()
    teacher = Person.objects.create_user("teacher@example.org", name="Teacher", may_create_courses=True)
    course = create_course(by=teacher, name="A large class", time_zone="Europe/Berlin")
    members = _people(course, students)
    assignment = _assignment(course, now)
    submissions = _submissions(assignment, members, now)
    given = _reviews(assignment, members, submissions, reviews, now)
    _rankings(assignment, members, given, now)
    values = _the_rest(course, assignment, teacher, members, now)
    values |= {"submission": submissions[0].pk, "review": given[0].key}
    return Room(course, assignment, teacher, members, values)


def _people(course: Any, count: int) -> list[Any]:
    from peerage_web.accounts.models import Person
    from peerage_web.classes.courses.models import Membership

    people = Person.objects.bulk_create(
        (Person(email=f"s{n}@example.org", name=f"Student {n:04}", password="!") for n in range(count)), BATCH
    )
    return Membership.objects.bulk_create(
        (
            Membership(
                course=course,
                person=person,
                role="student",
                name=person.name,
                student_id=f"{n:06}",
                section=f"Section {n % 20}",
            )
            for n, person in enumerate(people)
        ),
        BATCH,
    )


def _assignment(course: Any, now: Any) -> Any:
    from peerage_web.classes.assignments.models import Assignment, FeedbackPrompt

    made = Assignment.objects.create(
        course=course,
        title="Essay",
        instructions="Write **an essay**.",
        phase="reviewing",
        due_at=now - timedelta(days=1),
        late_until=now + timedelta(days=1),
        reviews_due_at=now + timedelta(days=6),
        practice="offered",
    )
    for position, text in enumerate(("What is good?", "What would make it better?"), start=1):
        FeedbackPrompt.objects.create(assignment=made, position=position, text=text)
    return made


def _submissions(assignment: Any, members: list[Any], now: Any) -> list[Any]:
    """One of fifty has submitted nothing yet; every submission has one file, whose copy is ready."""
    from peerage_web.classes.submissions.models import Submission, SubmissionFile, SubmissionVersion

    authors = [one for n, one in enumerate(members) if n % 50 != 7]
    submissions = Submission.objects.bulk_create(
        (Submission(assignment=assignment, author=one) for one in authors), BATCH
    )
    submitted = SubmissionVersion.objects.bulk_create(
        (
            SubmissionVersion(
                submission=one, number=1, sha256="0" * 64, submitted_at=now, uploaded_by_id=author.person_id
            )
            for one, author in zip(submissions, authors, strict=True)
        ),
        BATCH,
    )
    files = SubmissionFile.objects.bulk_create(
        (
            SubmissionFile(
                version=one,
                position=1,
                name="essay.md",
                kind="markdown",
                bytes=2000,
                sha256="0" * 64,
                state="ready",
            )
            for one in submitted
        ),
        BATCH,
    )
    for one in files:
        _copy(one)
    return submissions


def _copy(file: Any) -> None:
    """What making the copy leaves on the disk."""
    shown = file.folder / "shown"
    shown.mkdir(parents=True)
    html = "<h1>Essay</h1>" + "<p>Some words about the matter, and some more.</p>" * 20
    made = {"kind": "markdown", "download": "copy.md", "pictures": [], "text": "", "html": html, "hidden": ""}
    (file.folder / "original").write_text("# Essay\n")
    (shown / "copy.md").write_text("# Essay\n")
    (shown / "shown.json").write_text(json.dumps({**made, "left_out": {}}))


def _reviews(assignment: Any, members: list[Any], submissions: list[Any], each: int, now: Any) -> list[Any]:
    """Everybody reviews the submissions that come next on a shuffled list; half of them have opened some."""
    from peerage_web.classes.allocation.models import AllocationRun, Review

    run = AllocationRun.objects.create(assignment=assignment, kind="first", design="random")
    order = submissions[:]
    random.Random(1).shuffle(order)
    return Review.objects.bulk_create(
        (
            Review(
                assignment=assignment,
                reviewer=member,
                submission=order[(n + step + 1) % len(order)],
                run=run,
                label=chr(ord("A") + step % 26) + ("" if step < 26 else str(step // 26)),
                position=step,
                opened_at=now if (n + step) % 2 else None,
            )
            for n, member in enumerate(members)
            for step in range(each)
        ),
        BATCH,
    )


def _rankings(assignment: Any, members: list[Any], given: list[Any], now: Any) -> None:
    """Two thirds have saved an order and comments, one third has submitted."""
    from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking

    of: dict[int, list[Any]] = {}
    for one in given:
        of.setdefault(one.reviewer_id, []).append(one)
    begun = [one for n, one in enumerate(members) if n % 3]
    rankings = Ranking.objects.bulk_create(
        (
            Ranking(
                assignment=assignment,
                reviewer=one,
                version=1,
                tiers=[[review.label] for review in of[one.pk]],
            )
            for one in begun
        ),
        BATCH,
    )
    SubmittedRanking.objects.bulk_create(
        (
            SubmittedRanking(
                ranking=one,
                number=1,
                tiers=[[review.pk] for review in of[one.reviewer_id]],
                comments=[],
                version=1,
                sha256="0" * 64,
                submitted_at=now + timedelta(minutes=1),
                submitted_by_id=member.person_id,
            )
            for one, member in list(zip(rankings, begun, strict=True))[::2]
        ),
        BATCH,
    )
    prompt = assignment.prompts.first()
    Comment.objects.bulk_create(
        (
            Comment(review=one, prompt=prompt, text="Clear, and well argued. " * 5, version=1)
            for member in begun
            for one in of[member.pk]
        ),
        BATCH,
    )


def _the_rest(course: Any, assignment: Any, teacher: Any, members: list[Any], now: Any) -> dict[str, object]:
    from peerage_web.classes.activity_log.models import Event
    from peerage_web.classes.allocation.models import Report, Review
    from peerage_web.classes.assignments.models import Extension, Team
    from peerage_web.classes.practice.models import PracticeExample
    from peerage_web.classes.progress.models import Reminder
    from peerage_web.classes.reviewing.models import SubmittedRanking

    Event.objects.bulk_create(
        (
            Event(course=course, assignment=assignment, actor=teacher, subject=one, verb="invited")
            for one in members
        ),
        BATCH,
    )
    later = assignment.reviews_due_at + timedelta(days=1)
    extensions = Extension.objects.bulk_create(
        Extension(assignment=assignment, membership=one, reviews_due_at=later, granted_by=teacher)
        for one in members[:50]
    )
    Reminder.objects.bulk_create(
        (
            Reminder(
                membership=one,
                assignment=assignment,
                task="reviews",
                due_at=assignment.reviews_due_at,
                made_by=teacher,
                made_at=now - timedelta(days=2),
                settled_at=now,
            )
            for one in members
        ),
        BATCH,
    )
    reported = Review.objects.filter(assignment=assignment)[5:2000:40]
    Report.objects.bulk_create([Report(review=one, reason="blank") for one in reported])
    examples = [
        PracticeExample.objects.create(
            assignment=assignment, position=n, place=n, title=f"Example {n}", text="Text"
        )
        for n in range(1, 5)
    ]
    members[0].person.calendar_key = "benchmark" * 3
    members[0].person.save()
    return {
        "course": course.key,
        "assignment": assignment.key,
        "member": members[0].pk,
        "extension": extensions[0].pk,
        "team": Team.objects.create(assignment=assignment, name="One").pk,
        "example": examples[0].key,
        "submitted_ranking": SubmittedRanking.objects.first().receipt,
        "calendar_key": members[0].person.calendar_key,
    }
