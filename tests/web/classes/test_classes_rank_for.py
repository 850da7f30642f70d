"""Staff rank in a reviewer's place; a late submission joins through the service that takes it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from tests.web.classes.cast import students
from tests.web.classes.lists import Room

from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation import services as allocation
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.reviewing.models import SubmittedRanking
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.classes.submissions.queries import authors_with
from peerage_web.classes.submissions.services import add_files, submit


@pytest.fixture(autouse=True)
def short_forecast(monkeypatch):
    """Two simulated classes instead of twenty: what is forecast is not looked at here."""
    monkeypatch.setattr(allocation, "REPEATS", ((2_000, 2),))


def address(room: Room, member, rest: str = "") -> str:
    return f"/c/{room.cast.course.key}/a/{room.assignment.key}/rank-for/{member.pk}/{rest}"


def test_staff_submit_for_a_reviewer_and_the_activity_log_says_so(cast):
    room = Room(cast, 6)
    room.review()
    one = room.students[0]
    client = cast.client("assistant")
    mine = list(Review.objects.filter(reviewer=one).order_by("position"))

    page = client.get(address(room, one))
    places = {f"place-{review.label}": str(place) for place, review in enumerate(mine, start=1)}
    done = client.post(address(room, one, "submit"), {"before": "{}", **places})

    theirs = Review.objects.filter(reviewer=room.students[1]).first()
    assert client.get(address(room, one, f"{mine[0].key}/")).status_code == 200
    assert client.get(address(room, one, f"{theirs.key}/")).status_code == 404  # of another list
    assert "You are reviewing on behalf of Reviewer 1" in page.content.decode()
    assert done.status_code == 302
    kept = SubmittedRanking.objects.get(ranking__reviewer=one)
    assert kept.submitted_by == cast.people["assistant"]
    assert kept.tiers == [[review.pk] for review in mine]
    event = Event.objects.get(verb="ranking-submitted")
    assert (event.actor, event.subject) == (cast.people["assistant"], one)


def test_staff_do_their_own_lists_the_same_way(cast):
    room = Room(cast, 8)
    room.allocate(design="staff", reviews_per_staff=2)
    Assignment.objects.filter(pk=room.assignment.pk).update(phase="reviewing")

    page = cast.client("assistant").get(address(room, cast.member("assistant")))

    assert page.content.decode().count('class="card submission"') == 2


def test_a_late_submit_joins_at_once(cast):
    now = timezone.now()
    room = Room(cast, 6)
    room.review()
    dates = {"due_at": now - timedelta(days=1), "late_until": now + timedelta(days=1)}
    Assignment.objects.filter(pk=room.assignment.pk).update(**dates)
    room.assignment.refresh_from_db()
    (late,) = students(cast.course, 1, "latecomer")
    authors = authors_with(room.assignment, late)
    file = SimpleUploadedFile("essay.txt", b"A late thought.\n")
    draft = add_files(authors=authors, by=late.person, uploads=[file])
    SubmissionFile.objects.filter(version=draft).update(state="ready")

    done = submit(authors=authors, by=late.person, number=draft.number)

    assert done.is_late
    assert Review.objects.filter(submission=done.submission, state="open").count() == 3
    assert Review.objects.filter(reviewer=late, state="open").count() == 3
    room.submissions.append(done.submission)
    room.check()
