"""The state machine: every step, what blocks it, dates, and the way back."""

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.classes.cast import (
    allocate,
    assignment,
    begin_ranking,
    extend,
    move,
    submit,
    submit_ranking,
)

from peerage_web.classes import texts
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.enums import ORDER, Phase
from peerage_web.classes.phases import queries as stepper
from peerage_web.classes.phases import readiness, state_machine
from peerage_web.classes.phases.services import take_due_step, take_due_steps, take_step
from peerage_web.classes.phases.state_machine import BY_CODE, STEPS, backward, onward
from peerage_web.shared.errors import Refused


def step(cast, code: str) -> None:
    take_step(assignment=cast.assignment, code=code, by=cast.people["instructor"])


def blockers(cast, code: str) -> list[str]:
    return [one.code for one in readiness.blockers(cast.assignment, BY_CODE[code])]


def submissions(cast, count: int = 4):
    return [submit(cast.assignment, one) for one in cast.students[:count]]


def test_every_phase_has_one_way_on_and_one_back_with_words_and_conditions():
    assert [onward(phase).target for phase in ORDER[:-1]] == list(ORDER[1:])
    assert [backward(phase).target for phase in ORDER[1:]] == list(ORDER[:-1])
    assert (onward(ORDER[-1]), backward(ORDER[0])) == (None, None)
    assert set(texts.STEPS) == set(readiness._BLOCKERS) == {one.code for one in STEPS}


def test_way_through_and_its_record(cast):
    step(cast, "publish")
    made = submissions(cast)
    step(cast, "stop-submitting")
    assert blockers(cast, "start-reviewing") == ["no-allocation"]
    allocate(cast.assignment, cast.students[4], made)
    step(cast, "start-reviewing")
    step(cast, "close")

    assert cast.assignment.phase == Phase.CLOSED
    moves = Event.objects.filter(verb="phase-moved").order_by("pk")
    assert [one.data["after"] for one in moves] == ["submitting", "allocating", "reviewing", "closed"]
    assert {one.actor for one in moves} == {cast.people["instructor"]}


def test_a_step_from_another_phase_is_refused_also_to_the_second_of_two_who_press_one_button(cast):
    twin = type(cast.assignment).objects.get(pk=cast.assignment.pk)
    with pytest.raises(Refused, match="in a different phase now"):
        step(cast, "close")
    step(cast, "publish")

    with pytest.raises(Refused, match="in a different phase now"):
        take_step(assignment=twin, code="publish", by=cast.people["assistant"])

    assert Event.objects.filter(verb="phase-moved").count() == 1


def test_publishing_needs_students_dates_and_kinds_and_no_more_reviews_than_submissions(cast):
    cast.assignment.reviews_per_student = 5
    (reason,) = readiness.blockers(cast.assignment, BY_CODE["publish"])
    expected = "5 reviews per student are too many for this course. At most 4 are possible."
    assert texts.reason(reason.code, reason.figures) == expected

    cast.assignment.reviews_per_student = 4
    cast.assignment.due_at = timezone.now() - timedelta(minutes=1)
    assert blockers(cast, "publish") == ["due-is-past"]

    cast.course.memberships.filter(role="student").update(role="dropped", dropped_at=timezone.now())
    cast.assignment.due_at = cast.assignment.reviews_due_at = None
    cast.assignment.file_kinds = []
    missing = ["few-students", "no-due-date", "no-reviews-due-date", "no-file-kinds"]
    assert blockers(cast, "publish") == missing


def test_allocating_needs_submissions_and_neither_drafts_nor_those_excluded_count(cast):
    move(cast.assignment, Phase.SUBMITTING)
    submissions(cast, 2)
    assert blockers(cast, "stop-submitting") == ["few-submissions"]

    third = submit(cast.assignment, cast.students[2])
    assert blockers(cast, "stop-submitting") == []

    third.versions.update(submitted_at=None)
    assert blockers(cast, "stop-submitting") == ["few-submissions"]

    third.versions.update(submitted_at=timezone.now())
    third.excluded_at = timezone.now()
    third.save()
    assert blockers(cast, "stop-submitting") == ["few-submissions"]


def test_published_assignment_can_be_taken_back_before_anybody_submitted(cast):
    step(cast, "publish")
    step(cast, "unpublish")
    assert cast.assignment.phase == Phase.SETUP

    step(cast, "publish")
    submissions(cast, 1)
    with pytest.raises(Refused, match="There is already 1 submission"):
        step(cast, "unpublish")


def test_allocation_is_thrown_away_only_while_nobody_has_begun(cast):
    move(cast.assignment, Phase.REVIEWING)
    allocate(cast.assignment, cast.students[4], submissions(cast))
    ranking = begin_ranking(cast.assignment, cast.students[4])

    with pytest.raises(Refused, match="1 reviewer has started"):
        step(cast, "allocate-again")
    assert Review.objects.count() == 4

    ranking.delete()
    step(cast, "allocate-again")

    assert cast.assignment.phase == Phase.ALLOCATING
    assert not Review.objects.exists()
    assert not AllocationRun.objects.exists()


def test_before_closing_it_says_how_many_rankings_are_missing(cast):
    move(cast.assignment, Phase.REVIEWING)
    for reviewer in cast.students[3:]:
        allocate(cast.assignment, reviewer, submissions(cast, 3))
    submit_ranking(assignment(cast.course), cast.students[3])  # of another assignment
    submit_ranking(cast.assignment, cast.students[4])

    (reason,) = readiness.warnings(cast.assignment, BY_CODE["close"])

    assert texts.reason(reason.code, reason.figures) == "1 reviewer has not submitted a ranking."


def test_closed_reviewing_opens_again_and_stays_open(cast):
    """The date that closed it has passed: without `by_date = False` it would close again at once."""
    move(cast.assignment, Phase.CLOSED)
    now, day = timezone.now(), timedelta(days=1)
    cast.assignment.due_at, cast.assignment.reviews_due_at = now - 2 * day, now - day
    cast.assignment.save()

    step(cast, "review-again")

    assert not take_due_step(assignment=cast.assignment)
    assert cast.assignment.phase == Phase.REVIEWING


def test_dates_move_it_on_once_and_by_nobody_and_what_is_blocked_waits(cast):
    past = timezone.now() - timedelta(minutes=11)
    move(cast.assignment, Phase.SUBMITTING)
    type(cast.assignment).objects.filter(pk=cast.assignment.pk).update(due_at=past, late_until=None)
    assert take_due_steps() == 0

    submissions(cast)
    assert (take_due_steps(), take_due_steps()) == (1, 0)

    (event,) = Event.objects.filter(verb="phase-moved")
    assert (event.actor, event.data["after"]) == (None, "allocating")


def test_grace_is_waited_for_and_reviewing_starts_by_itself_only_where_staff_said_so(cast):
    move(cast.assignment, Phase.SUBMITTING)
    cast.assignment.due_at = now = timezone.now()
    grace = now + timedelta(minutes=10)

    assert state_machine.is_due(cast.assignment, now + timedelta(minutes=9)) is None
    assert state_machine.is_due(cast.assignment, grace) is BY_CODE["stop-submitting"]

    cast.assignment.phase = Phase.ALLOCATING
    assert state_machine.is_due(cast.assignment, grace) is None
    cast.assignment.allocates_itself = True
    assert state_machine.is_due(cast.assignment, grace) is BY_CODE["start-reviewing"]


def test_reviewing_closes_after_the_last_extension(cast):
    move(cast.assignment, Phase.REVIEWING)
    later = cast.assignment.reviews_due_at + timedelta(days=3)
    extend(cast.assignment, cast.students[0], reviews_due_at=later)

    assert state_machine.is_due(cast.assignment, later - timedelta(minutes=1)) is None
    assert state_machine.is_due(cast.assignment, later) is BY_CODE["close"]


def test_stepper_tells_past_now_and_to_come_and_what_is_in_the_way(cast):
    move(cast.assignment, Phase.SUBMITTING)

    steps, offer = stepper.steps(cast.assignment), stepper.next_step(cast.assignment)

    assert [one.state for one in steps] == ["past", "now", *["to come"] * 4]
    assert (steps[1].phase, steps[1].until) == (Phase.SUBMITTING, cast.assignment.due_at)
    assert offer.blockers == ["There are 0 submissions; at least 3 are needed."]
    assert offer.warnings == [
        "5 submissions are still missing. If they arrive before the deadline for late submissions, "
        "they are added automatically."
    ]
