"""One broken course does not stop the background work of the others; its instructors are told."""

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.classes.release_room import ReleaseRoom

from peerage_web.accounts.models import Mail
from peerage_web.classes import quarantine
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.calendars.services import calendar_of
from peerage_web.classes.courses.models import Course
from peerage_web.classes.courses.services import change_course
from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.maintenance import maintain
from peerage_web.classes.release.models import ReleasedGrade
from peerage_web.files.services.running import LostJobs
from peerage_web.operations.maintenance import _maintain_all

REPAIRED = {"scale": "0:100", "anchors_as_evidence": True}  # of a run


@pytest.fixture
def broken(cast) -> ReleaseRoom:
    """Its grades are due, and its approved run cannot be read."""
    room = ReleaseRoom(cast)
    room.run()
    GradingRun.objects.filter(assignment=room.assignment).update(options=[])
    due(room.assignment, release_at=timezone.now() - timedelta(minutes=1))
    return room


def due(assignment: Assignment, **dates: object) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(by_date=True, **dates)


def failures() -> list[int]:
    return [event.data["count"] for event in Event.objects.filter(verb=quarantine.VERB).order_by("pk")]


@pytest.mark.both
def test_one_broken_course_is_held_back_and_told_while_the_others_go_on(broken):
    moves = broken.cast.elsewhere
    due(moves, opens_at=timezone.now())

    assert _maintain_all(LostJobs())  # so that it gives a sign of life, and the service is ready
    maintain()

    moves.refresh_from_db()
    broken.assignment.refresh_from_db()
    assert (moves.phase, broken.assignment.phase) == (Phase.SUBMITTING, Phase.CLOSED)
    assert failures() == [1]  # in two rounds
    mail = Mail.objects.get(kind="failed_step")
    assert (mail.person, "next phase" in mail.text) == (broken.by, True)


def test_it_is_tried_again_later_and_at_once_when_staff_change_something(broken, monkeypatch):
    maintain()
    change_course(course=broken.assignment.course, by=broken.by, term="Autumn")
    maintain()
    maintain()
    assert failures() == [1, 2]

    GradingRun.objects.filter(assignment=broken.assignment).update(options=REPAIRED)
    maintain()
    broken.assignment.refresh_from_db()
    assert broken.assignment.phase == Phase.CLOSED
    later = timezone.now() + timedelta(minutes=21)
    monkeypatch.setattr(quarantine.timezone, "now", lambda: later)
    maintain()
    broken.assignment.refresh_from_db()
    assert (broken.assignment.phase, failures()) == (Phase.RELEASED, [1, 2])
    assert Mail.objects.filter(kind="failed_step").count() == 1


def test_mail_about_grades_passes_a_course_for_which_it_cannot_be_written(broken, monkeypatch):
    GradingRun.objects.update(options=REPAIRED)
    maintain()
    assert ReleasedGrade.objects.filter(notified_at=None).count() == 0
    ReleasedGrade.objects.update(notified_at=None)

    def fail(_grade: ReleasedGrade) -> None:
        raise ValueError("a template that cannot be filled")

    monkeypatch.setattr("peerage_web.classes.release.services._notify", fail)
    maintain()
    maintain()
    assert failures() == [1]
    assert ReleasedGrade.objects.filter(notified_at=None).count() == 4


def test_a_zone_that_nobody_knows_is_utc(cast):
    Course.objects.filter(pk=cast.course.pk).update(time_zone="No/Where")
    due(cast.assignment, phase=Phase.SUBMITTING, due_at=timezone.now() + timedelta(days=1))

    assert "Submission due" in calendar_of(cast.students[0].person)
